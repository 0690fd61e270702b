// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "corbel/base/log.hpp"

namespace corbel::base {
namespace {

LogRecord record(std::span<const LogField> fields) {
  return {1'795'369'501'123'456'789, LogLevel::warning, LogModule::connection, "message refused", fields, "", 42};
}

std::string as_line(const LogRecord& record, bool with_time = false) {
  char line[kLongestLogLine];
  return std::string(line, format_log_text(record, with_time, line));
}

std::string as_json(const LogRecord& record) {
  char line[kLongestLogLine];
  return std::string(line, format_log_json(record, line));
}

std::string value(std::string_view text) {
  const LogField fields[] = {{"v", text}};
  const std::string line = as_line(record(fields));
  return line.substr(line.find("v=") + 2);
}

TEST(LogFormat, ALineSaysWhenWhoWhatAndTheFields) {
  const LogField fields[] = {{"peer", "tcp://127.0.0.1:4000"},
                             {"octets", 12U},
                             {"by", -3},
                             {"again", true},
                             {"error", error(Stage::receive, Code::malformed)}};
  LogRecord whole = record(fields);
  whole.orb = "first";
  EXPECT_EQ(as_line(whole, true),
            "2026-11-22T17:45:01.123456Z [" + std::to_string(::getpid()) +
                ".42] warning connection: message refused peer=tcp://127.0.0.1:4000 octets=12 by=-3 again=true "
                "error=\"receive: malformed data\" orb=first");
  EXPECT_EQ(as_line(record({})), "warning connection: message refused");
}

TEST(LogFormat, ForeignTextCannotEndALineNorSteerATerminal) {
  EXPECT_EQ(value("a\n2026-11-22 error orb: forged"), R"("a\n2026-11-22 error orb: forged")");
  EXPECT_EQ(value("\x1b[2J\r\x07"), R"("\u001b[2J\u000d\u0007")");
  EXPECT_EQ(value("x y=\"z\" \\"), R"("x y=\"z\" \\")");
  EXPECT_EQ(value(""), R"("")");
  EXPECT_EQ(value("caf\xc3\xa9"), "\"caf\xc3\xa9\"");
  EXPECT_EQ(value("\xc2\x9b"
                  "2J"),
            R"("\u009b2J")");  // the control sequence introducer of C1
  EXPECT_EQ(value("a\xe2\x80\xae"
                  "b"),
            R"("a\u202eb")");                       // turns the direction of what follows
  EXPECT_EQ(value("\xe2\x80\xa8"), R"("\u2028")");  // line separator
  EXPECT_EQ(value("\xff\xc3(\xed\xa0\x80\xc0\x80"), R"("\xff\xc3(\xed\xa0\x80\xc0\x80")");  // no UTF-8
  EXPECT_EQ(value("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")");                            // beyond Unicode
  EXPECT_EQ(value("\xe2\x82"), R"("\xe2\x82")");                                            // cut off
  EXPECT_EQ(value(std::string_view("\0x", 2)), R"("\u0000x")");
}

TEST(LogFormat, OctetsAreTextOrHexadecimal) {
  const Bytes key{0, 1, 0xFE};
  const Bytes long_key(100, 0);
  const LogField fields[] = {{"a", as_bytes("NameService")}, {"b", ConstByteSpan(key)}, {"c", ConstByteSpan(long_key)}};
  EXPECT_EQ(as_line(record(fields)),
            "warning connection: message refused a=NameService b=0x0001fe c=0x" + std::string(128, '0') + "...");
}

TEST(LogFormat, JsonIsReadBackAsItWas) {
  const LogField fields[] = {{"text", "quote \" back \\ line \n bell \x07 caf\xc3\xa9 \xe2\x80\xae"},
                             {"raw", "\xff"},
                             {"n", -5},
                             {"big", ~0ULL},
                             {"yes", true},
                             {"key", ConstByteSpan()},
                             {"error", error(Stage::connect, Code::refused, 111)}};
  LogRecord whole = record(fields);
  whole.orb = "my \"orb\"";
  const auto read = nlohmann::json::parse(as_json(whole));
  EXPECT_EQ(read["time"], "2026-11-22T17:45:01.123456Z");
  EXPECT_EQ(read["level"], "warning");
  EXPECT_EQ(read["module"], "connection");
  EXPECT_EQ(read["event"], "message refused");
  EXPECT_EQ(read["process"], ::getpid());
  EXPECT_EQ(read["thread"], 42);
  EXPECT_EQ(read["orb"], "my \"orb\"");
  EXPECT_EQ(read["fields"]["text"], fields[0].text);
  EXPECT_EQ(read["fields"]["raw"], "\\xff");
  EXPECT_EQ(read["fields"]["n"], -5);
  EXPECT_EQ(read["fields"]["big"], ~0ULL);
  EXPECT_EQ(read["fields"]["yes"], true);
  EXPECT_EQ(read["fields"]["key"], "0x");
  EXPECT_EQ(read["fields"]["error"], "connect: refused (Connection refused)");
}

TEST(LogFormat, LinesAreBoundedAndStillWhole) {
  const std::string words(100'000, '"');
  const std::string raw(100'000, '\xff');
  const std::string name(3000, 'n');
  const LogField fields[] = {{"a", words}, {"b", raw}, {"c", words}, {"d", raw}, {name, "x"}, {"last", 1}};
  LogRecord whole = record(fields);
  whole.orb = words;
  const std::string line = as_line(whole, true);
  EXPECT_LE(line.size(), kLongestLogLine);
  EXPECT_NE(line.find(" ... orb="), std::string::npos);
  EXPECT_NE(line.find("last=1"), std::string::npos);
  const std::string json = as_json(whole);
  EXPECT_LE(json.size(), kLongestLogLine);
  const auto read = nlohmann::json::parse(json);
  EXPECT_EQ(read["cut"], true);
  EXPECT_EQ(read["fields"]["last"], 1);
  const std::string a = read["fields"]["a"];
  EXPECT_TRUE(a.ends_with("..."));
}

}  // namespace
}  // namespace corbel::base
