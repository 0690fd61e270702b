// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "common/table.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"

namespace bench {
namespace {

/// Per cent of time or instructions from which on a function is shown.
constexpr double kShown = 1.5;

std::string value_text(const std::vector<Result>& results, const char* metric, const Case& of, int digits) {
  const Result* const found = find_result(results, "profile", metric, of);
  return found == nullptr ? "" : number(found->value.median, digits);
}

/// "512 sendmsg, 1 recvfrom" of a side; what is less than a hundredth of all is left out.
std::string calls_text(const std::vector<Result>& results, const Case& side) {
  double all = 0;
  const auto is_call = [&](const Result& result) {
    return result.suite == "profile" && result.metric == "system_calls" && matches(result.of, side);
  };
  for (const Result& result : results) all += is_call(result) ? result.value.median : 0;
  std::string text;
  for (const Result& result : results) {
    if (!is_call(result) || result.value.median < all / 100) continue;
    text += (text.empty() ? "" : ", ") + number(result.value.median) + " " + result.of.at("call");
  }
  return text;
}

/// One side of all streams.
DataTable functions_table(const std::vector<Result>& results, const std::string& side) {
  DataTable table{side + ", 64 MiB", {"type", "buffer", "who", "function", "% of time", "% of instructions"}, {}, 4};
  std::vector<Case> done;
  for (const Result& result : results) {
    if (result.suite != "profile" || value_of(result.of, "function").empty() || value_of(result.of, "side") != side) {
      continue;
    }
    if (std::find(done.begin(), done.end(), result.of) != done.end()) continue;
    done.push_back(result.of);
    const Result* const time = find_result(results, "profile", "share_of_time", result.of);
    const Result* const instructions = find_result(results, "profile", "share_of_instructions", result.of);
    const double most =
        std::max(time == nullptr ? 0 : time->value.median, instructions == nullptr ? 0 : instructions->value.median);
    if (most < kShown) continue;
    std::string function = result.of.at("function");
    if (instructions == nullptr && time != nullptr) {
      const std::string calls = calls_text(results, without(result.of, {"function"}));
      if (!calls.empty()) function += " (" + calls + ")";
    }
    table.rows.push_back({result.of.at("type"), size_text(result.of.at("buffer")), mechanism_name(result.of),
                          std::move(function), value_text(results, "share_of_time", result.of, 1),
                          value_text(results, "share_of_instructions", result.of, 1)});
  }
  return table;
}

DataTable times_table(const std::vector<Result>& results) {
  DataTable table{
      "Processor time of 64 MiB, ms", {"type", "buffer", "who", "side", "user", "system", "instructions"}, {}, 4};
  for (const Result& result : results) {
    if (result.suite != "profile" || result.metric != "user_time") continue;
    double instructions = 0;
    for (const Result& other : results) {
      const bool counted = other.suite == "profile" && other.metric == "instructions" && matches(other.of, result.of);
      instructions += counted ? other.value.median : 0;
    }
    table.rows.push_back({result.of.at("type"), size_text(result.of.at("buffer")), mechanism_name(result.of),
                          result.of.at("side"), number(result.value.median, 1),
                          value_text(results, "system_time", result.of, 1), grouped(instructions)});
  }
  return table;
}

DataTable published_table(const char* title, const PublishedFunction* begin, const PublishedFunction* end) {
  DataTable table{title, {"mechanism", "type", "function", "ms", "%"}, {}, 3};
  for (const PublishedFunction* row = begin; row != end; ++row) {
    table.rows.push_back({row->mechanism, row->type, row->function, number(row->milliseconds), number(row->percent)});
  }
  return table;
}

}  // namespace

std::optional<Section> profile_section(const std::vector<Result>& results) {
  const bool any = std::any_of(results.begin(), results.end(), [](const Result& r) { return r.suite == "profile"; });
  if (!any) return std::nullopt;
  Section section{
      "profile",
      "What a stream spends, function by function",
      {"64 MiB, oneway over tcp. Instructions are those in user space, by function; the processor time is "
       "the kernel's (system calls) and the user's, which is split as the instructions are. Large copies "
       "count an instruction for each octet, though the processor moves many at once: they take a smaller part "
       "than shown. Each column adds up to 100 for each "
       "side, what is below 1.5 left out here. Below: the same of 1996 over ATM."}};
  section.tables = {times_table(results), functions_table(results, "sender"), functions_table(results, "receiver"),
                    published_table("Sender, 1996", std::begin(kSender1996), std::end(kSender1996)),
                    published_table("Receiver, 1996", std::begin(kReceiver1996), std::end(kReceiver1996))};
  return section;
}

}  // namespace bench
