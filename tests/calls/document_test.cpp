// SPDX-License-Identifier: Apache-2.0
// The table of docs/calls.md is that of these tests. With CORBEL_UPDATE_DOCS=1 in the environment it is rewritten.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "endings.hpp"

namespace corbel::calls_test {
namespace {

constexpr std::string_view kBegin = "<!-- the table of tests/calls: generated -->\n";
constexpr std::string_view kEnd = "<!-- end of the table -->\n";

std::string minor_text(const End& end) {
  if (end.exception.empty() || end.completed.empty()) return "";
  if (end.minor == 77) return "the server's";
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
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string text = read.str();
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

}  // namespace
}  // namespace corbel::calls_test
