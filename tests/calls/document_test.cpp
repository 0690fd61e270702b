// SPDX-License-Identifier: Apache-2.0
// The table of docs/calls.md is that of these tests. With CORBEL_UPDATE_DOCS=1 in the environment it is rewritten.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "corbel/orb/error_table.hpp"
#include "endings.hpp"
#include "files.hpp"

namespace corbel::calls_test {
namespace {

constexpr std::string_view kBegin = "<!-- the table of tests/calls: generated -->\n";
constexpr std::string_view kEnd = "<!-- end of the table -->\n";

std::string minor_text(const End& end) {
  if (end.exception.empty() || end.completed.empty()) return "";
  if (end.minor == 0) return "0";
  if (end.minor == 77) return "the server's";
  if (end.minor == 78) return "the interceptor's";
  const std::string meaning = corba::minor_name(end.exception, end.minor);
  if ((end.minor & 0xfffff000) == CORBA::OMGVMCID) return "OMG " + std::to_string(end.minor & 0xfff) + ", " + meaning;
  std::ostringstream text;
  text << "0x" << std::hex << end.minor << ", " << meaning;
  return text.str();
}

std::string does(const End& end) {
  std::string text = end.note;
  if (end.then == Then::goes_on) text += (text.empty() ? "" : ", then ") + std::string("tries the next place");
  return text.empty() ? "nothing" : text;
}

std::string table() {
  std::string text =
      "| when | what happens | executed? | the caller gets | minor | Corbel by itself |\n|---|---|---|---|---|---|\n";
  for (const End& end : ends()) {
    std::string gets = end.exception.empty() ? "the results" : "`" + end.exception + "`";
    if (end.exception == "Refused") gets = "that exception";
    if (!end.completed.empty()) gets += ", `COMPLETED_" + end.completed + "`";
    text += "| " + end.where + " | " + end.how + " | " + end.executed + " | " + gets + " | " + minor_text(end) + " | " +
            does(end) + " |\n";
  }
  return text;
}

TEST(Document, HasTheTableOfTheseTests) {
  const std::string path = std::string(CORBEL_DOCS) + "/calls.md";
  const std::string text = test::text_of_file(path);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t first = begin + kBegin.size();
  const std::string wanted = text.substr(0, first) + '\n' + table() + '\n' + text.substr(end);
  if (std::getenv("CORBEL_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << wanted;
  } else {
    EXPECT_EQ(text, wanted) << "docs/calls.md is out of date: run with CORBEL_UPDATE_DOCS=1";
  }
}

/// Whether the row of docs/errors.md decides about this end.
bool decides(const orb::ErrorRow& row, const End& end) {
  if (row.exception != end.exception || end.completed != name_of(static_cast<CORBA::CompletionStatus>(row.completed)))
    return false;
  if (row.minor != 0) return row.minor == end.minor;
  const std::uint32_t number = end.minor - corba::vendor_minor(base::Stage::none, base::Code::none);
  if (number >= 128 * 16) return false;  // not Corbel's own
  return &orb::classify(static_cast<base::Stage>(number / 128), static_cast<base::Code>(number % 128)) == &row;
}

/// Rows by which no call of a client ends.
bool concerns_others(const orb::ErrorRow& row) {
  using base::Code;
  using base::Stage;
  switch (row.stage) {
    case Stage::none:  // what no row is for
    case Stage::listen:
    case Stage::accept:
    case Stage::upcall:
      return true;
    case Stage::configure:  // but for the ORB of a process that forked
      return row.code != Code::cancelled;
    case Stage::dispatch:  // of servers, but for the addressing that they want
      return row.code != Code::unsupported;
    case Stage::resolve:  // of string_to_object and its like; in a forward, whatever is wrong is malformed
      // too_many_components ends calls as key_too_long does, which has a line.
      return row.code == Code::truncated || row.code == Code::too_large || row.code == Code::bad_string ||
             row.code == Code::too_expanded || row.code == Code::too_many_profiles ||
             row.code == Code::too_many_components;
    case Stage::connect:  // said by servers, in an answer
      return row.code == Code::wide_data;
    case Stage::send:  // the connection makes `encode` of it, because it stays well
      return row.code == Code::too_large;
    case Stage::wait:  // a connection that breaks is lost
      return row.code == Code::malformed;
    case Stage::receive:  // the connection makes `wait` of it; what is too short for its header is malformed
      return row.code == Code::timed_out || row.code == Code::cancelled || row.code == Code::truncated;
    default:
      return false;
  }
}

TEST(Document, TellsOfEveryErrorByWhichACallMayEnd) {
  for (const orb::ErrorRow& row : orb::error_table()) {
    if (concerns_others(row)) continue;
    EXPECT_TRUE(std::any_of(ends().begin(), ends().end(), [&](const End& end) { return decides(row, end); }))
        << "docs/calls.md has no line for: " << to_string(row.stage) << ", " << to_string(row.code) << ", "
        << row.exception << ' ' << name_of(static_cast<CORBA::CompletionStatus>(row.completed))
        << "; add an End for it, or say in concerns_others() why no call ends so";
  }
}

}  // namespace
}  // namespace corbel::calls_test
