// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/results.hpp"
#include "report/document.hpp"

namespace bench {

/// Gives each mechanism its colour, the same on the whole page.
class Palette {
 public:
  int colour_of(const std::string& name);

 private:
  std::map<std::string, int> given_;
};

/// What was measured: a mechanism, a scheme, or the program whose code ran.
std::string contestant(const Case& of);
/// The case without what was measured and the control: what contestants have in common.
Case common_part(const Case& of);
/// For people: "tcp, octet, two cpus, side client".
std::string case_text(const Case& of);
/// True if more is better: a rate.
bool more_is_better(const Result& result);

/// What a section shows of a suite, whatever its cases are: lines where a case is measured for three or more sizes or
/// numbers, else bars.
struct SuiteView {
  const char* suite;
  const char* title;
  std::vector<std::string> paragraphs;
  std::vector<std::string> charted = {};  ///< metrics with charts; empty: all
  bool logarithmic = false;
};
std::optional<Section> suite_section(const SuiteView& view, const std::vector<Result>& results, Palette& palette);

std::optional<Section> whitebox_section(const std::vector<Result>& results);
/// What each function takes of a stream, beside tables 2 and 3 of the SIGCOMM paper of 1996.
std::optional<Section> profile_section(const std::vector<Result>& results);
std::optional<Section> model_section(const std::vector<Result>& results);
Section published_section();

/// What costs what, in sentences ("- ..." each); those whose figures these results do not hold are left out.
std::vector<std::string> plain_words(const std::vector<Result>& results);
/// The papers' ratios to C beside today's; nullopt if the results hold nothing of the kind.
std::optional<Section> then_and_now_section(const Report& report);
/// What costs what, wins and losses.
Section summary_section(const std::vector<Result>& results);
/// The headline figures that these results hold.
std::vector<std::pair<std::string, std::string>> headline(const std::vector<Result>& results);

/// The whole report; suites that these results do not hold are left out.
Document make_document(const Report& report);

}  // namespace bench
