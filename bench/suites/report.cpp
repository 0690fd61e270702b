// SPDX-License-Identifier: Apache-2.0
// Suite report: one page and one Markdown file from the figures of any runs.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "report/reader.hpp"
#include "report/sections.hpp"
#include "report/then_and_now.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
  std::cout << "Wrote " << path.string() << ".\n";
}

/// The chart for docs/, and what it is made of.
void write_then_and_now(const std::filesystem::path& folder, Report all) {
  const std::string chart = then_and_now_svg(then_and_now(all.results), then_and_now_note(all.machine), true);
  if (chart.empty()) return;
  write(folder / "then-and-now.svg", chart);
  all.results = then_and_now_results(all.results);
  all.warnings.clear();
  write_json(all, (folder / "then-and-now.json").string());
}

}  // namespace

int run_report(const Settings& settings, Report& report) {
  const Report all = read_all(settings.files);
  const Document document = make_document(all);
  report.results.clear();
  std::filesystem::create_directories(settings.output);
  write(std::filesystem::path(settings.output) / "report.html", to_html(document));
  write(std::filesystem::path(settings.output) / "report.md", to_markdown(document));
  write_then_and_now(settings.output, all);
  return 0;
}

}  // namespace bench
