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
#include "suites/suite.hpp"

namespace bench {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
  std::cout << "Wrote " << path.string() << ".\n";
}

}  // namespace

int run_report(const Settings& settings, Report& report) {
  const Document document = make_document(read_all(settings.files));
  report.results.clear();
  std::filesystem::create_directories(settings.output);
  write(std::filesystem::path(settings.output) / "report.html", to_html(document));
  write(std::filesystem::path(settings.output) / "report.md", to_markdown(document));
  return 0;
}

}  // namespace bench
