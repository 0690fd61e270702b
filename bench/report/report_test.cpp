// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/temporary.hpp"
#include "report/chart.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"
#include "report/then_and_now.hpp"

namespace bench {
namespace {

Result figure(const std::string& suite, const std::string& metric, const std::string& unit, double value, Case of) {
  Result result{suite, std::move(of), metric, unit, {value, value * 0.95, value * 1.1, 5}};
  if (value_of(result.of, "orb") != "raw") result.control = value * 1.1;
  return result;
}

/// Some of every suite, Corbel twice as good as omniORB wherever both are.
Report every_suite() {
  Report report;
  report.machine = {"A <fast> machine", 2, "Linux", 5.0, {{"corbel", "0.1"}}};
  const auto add = [&](const char* suite, const char* metric, const char* unit, double value, Case of) {
    for (const auto& [orb, factor] : {std::pair{"raw", 0.9}, {"corbel", 1.0}, {"omniORB-4.2.5", 2.0}}) {
      of["orb"] = orb;
      of["protocol"] = std::string(orb) == "raw" ? "none" : "giop";
      const bool more = more_is_better(figure(suite, metric, unit, 1, of));
      report.results.push_back(figure(suite, metric, unit, more ? value / factor : value * factor, of));
    }
  };
  for (const char* const type : {"octet", "BinStruct"}) {
    for (int size = 1024; size <= 131072; size *= 2) {
      const Case of{{"transport", "tcp"}, {"type", type}, {"buffer", std::to_string(size)}};
      add("ttcp", "throughput", "Mbit/s", 8.0 * size / (2 + size / 2000.0), of);
      Case emulated = of;
      emulated["network"] = "ATM";
      add("networks", "throughput", "Mbit/s", 8.0 * size / (20 + size / 18.0), emulated);
    }
  }
  for (const char* const metric : {"latency_p50", "latency_p99"}) {
    add("latency", metric, "us", 20, {{"transport", "tcp"}, {"placement", "one cpu"}});
  }
  add("counts", "instructions_per_call", "instructions", 1200, {{"transport", "tcp"}, {"side", "client"}});
  add("cubit", "latency_p50", "us", 30, {{"transport", "unix"}, {"type", "cube_struct"}});
  for (int connections = 1; connections <= 1000; connections *= 10) {
    add("scale", "calls", "1/s", 1e5 / connections, {{"connections", std::to_string(connections)}});
  }
  for (int entries = 1; entries <= 1000; entries *= 10) {
    for (const char* const scheme : {"linear search", "Corbel"}) {
      report.results.push_back(
          figure("demux", "time", "ns", *scheme == 'C' ? 8 : 3 * entries,
                 {{"what", "operation"}, {"scheme", scheme}, {"order", "last"}, {"entries", std::to_string(entries)}}));
    }
  }
  for (const int clients : {0, 1, 5, 10}) {
    report.results.push_back(figure("predictability", "latency_p99", "us", 100 + clients,
                                    {{"scheme", "one pool"}, {"clients", std::to_string(clients)}}));
  }
  report.results.push_back(
      figure("micro", "time", "ns", 3, {{"direction", "decode"}, {"type", "string list"}, {"by", "Corbel"}}));
  for (const char* const layer : {"stub", "wait and receive"}) {
    report.results.push_back(figure("whitebox", "layer_time", "us", 1,
                                    {{"orb", "corbel"},
                                     {"protocol", "giop"},
                                     {"transport", "tcp"},
                                     {"side", "client"},
                                     {"type", "void"},
                                     {"layer", layer}}));
  }
  for (const char* const function : {"system calls", "memcpy"}) {
    const Case of{{"orb", "corbel"},  {"protocol", "giop"}, {"transport", "tcp"},  {"type", "octet"},
                  {"buffer", "1024"}, {"side", "sender"},   {"function", function}};
    report.results.push_back(figure("profile", "share_of_time", "%", 50, of));
  }
  return report;
}

/// Throws unless every element that is opened is closed in order.
void expect_balanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '!' || name == "meta" || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(Page, IsWellFormedAndStandsAlone) {
  const std::string page = to_html(make_document(every_suite()));
  expect_balanced(page);
  for (const char* const outside : {"http:", "https:", "<script", "src=", "@import", "url("}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_NE(page.find("A &lt;fast&gt; machine"), std::string::npos);
}

TEST(Page, ComparesNothingWithAControlThatVariedByMoreThanAQuarter) {
  Report report = every_suite();
  const std::string before = to_markdown(make_document(report));
  EXPECT_EQ(before.find(" ? |"), std::string::npos);
  for (Result& result : report.results) {
    if (result.suite == "ttcp" && value_of(result.of, "orb") == "raw") result.value.max = result.value.median * 2;
  }
  const std::string page = to_markdown(make_document(report));
  EXPECT_NE(page.find(" ? |"), std::string::npos);
  EXPECT_NE(page.find("figures are left out here"), std::string::npos);
  EXPECT_EQ(page.find("| Streams |"), std::string::npos) << "the summary must not count them";
  EXPECT_NE(page.find("| Latency |"), std::string::npos);
  expect_balanced(to_html(make_document(report)));
}

TEST(Page, ShowsNobodyBesideOneOnAnAxis) {
  Report report;
  for (const int clients : {0, 1, 5}) {
    report.results.push_back(figure("predictability", "latency_p99", "us", 107 + clients,
                                    {{"scheme", "one pool"}, {"clients", std::to_string(clients)}}));
  }
  const std::string page = to_html(make_document(report));
  for (const char* const point : {": 107 us", ": 108 us", ": 112 us"})
    EXPECT_NE(page.find(point), std::string::npos) << point;
  EXPECT_NE(page.find(">0</text>"), std::string::npos);
}

TEST(Page, ShowsTheWarningsOfTheRuns) {
  Report report = every_suite();
  report.warnings = {"ttcp: the host took 30 % of the processor time away"};
  EXPECT_NE(to_html(make_document(report)).find("the host took 30 %"), std::string::npos);
}

TEST(Page, HasASectionForEachSuiteThatWasRun) {
  const Report everything = every_suite();
  const std::string page = to_html(make_document(everything));
  for (const char* const suite : {"ttcp", "latency", "counts", "cubit", "demux", "micro", "networks", "scale",
                                  "whitebox", "predictability", "profile", "model"}) {
    EXPECT_NE(page.find("<section id=\"" + std::string(suite) + "\""), std::string::npos) << suite;
  }
  Report few;
  few.results = {everything.results.begin(), everything.results.begin() + 3};
  const std::string small = to_html(make_document(few));
  EXPECT_NE(small.find("<section id=\"ttcp\""), std::string::npos);
  EXPECT_EQ(small.find("<section id=\"latency\""), std::string::npos);
  EXPECT_EQ(small.find("<section id=\"whitebox\""), std::string::npos);
  expect_balanced(to_html(make_document({})));
}

TEST(Page, TablesHaveACellForEachHead) {
  for (const Section& section : make_document(every_suite()).sections) {
    for (const DataTable& table : section.tables) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.heads.size()) << table.caption;
    }
  }
}

TEST(Summary, TellsWinsAndLossesAlike) {
  Report report;
  for (const auto& [orb, value] : {std::pair{"corbel", 10.0}, {"raw", 5.0}, {"omniORB-4.2.5", 20.0}}) {
    report.results.push_back(
        figure("latency", "latency_p50", "us", value, {{"orb", orb}, {"protocol", "giop"}, {"transport", "tcp"}}));
  }
  const std::string text = to_markdown(make_document(report));
  EXPECT_NE(text.find("| Latency | omniORB-4.2.5 | 1 | 1 | 0 | 0 | 2.00 x ahead | 2.00 x ahead | 2.00 x ahead |  |"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("| Latency | raw sockets | 1 | 0 | 0 | 1 | 2.00 x behind | 2.00 x behind | 2.00 x behind | tcp |"),
      std::string::npos)
      << text;
  const std::string page = to_html(make_document(report));
  EXPECT_NE(page.find("class=\"behind\">2.00 x behind"), std::string::npos);
  EXPECT_NE(page.find("class=\"ahead\">2.00 x ahead"), std::string::npos);
}

TEST(Summary, TakesNoFigureOfASlowNetworkForThatOfLoopback) {
  std::vector<Result> results;
  for (const auto& [suite, raw, ours] : {std::tuple{"networks", 9.0, 9.0}, {"ttcp", 20000.0, 10000.0}}) {
    const Case stream{{"transport", "tcp"}, {"mode", "oneway"},   {"type", "octet"},
                      {"buffer", "131072"}, {"queue", "default"}, {"protocol", "none"}};
    Case of = stream;
    of["orb"] = "raw";
    results.push_back(figure(suite, "throughput", "Mbit/s", raw, of));
    of["orb"] = "corbel";
    of["protocol"] = "giop";
    results.push_back(figure(suite, "throughput", "Mbit/s", ours, of));
    results.back().control = raw;
  }
  const auto figures = headline(results);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].first, "0.50 x raw");
  const auto sentences = plain_words(results);
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_NE(sentences[0].find("0.50 of the raw sockets' 20,000 Mbit/s"), std::string::npos) << sentences[0];
}

TEST(Markdown, HoldsTheFiguresOfTheCharts) {
  const std::string text = to_markdown(make_document(every_suite()));
  EXPECT_NE(text.find("| tcp, octet | Corbel giop |"), std::string::npos);
  EXPECT_EQ(text.find("<svg"), std::string::npos);
}

TEST(ThenAndNow, StandsInFrontWithTheNewestPeerAndDrawsTheSameFromItsOwnFigures) {
  std::vector<Result> results;
  const auto add = [&](const char* orb, const char* protocol, const char* buffer, double value) {
    Result result = figure("ttcp", "throughput", "Mbit/s", value,
                           {{"orb", orb},
                            {"protocol", protocol},
                            {"transport", "tcp"},
                            {"placement", "one cpu"},
                            {"type", "octet"},
                            {"buffer", buffer},
                            {"mode", "oneway"},
                            {"queue", "default"}});
    results.push_back(std::move(result));
  };
  EXPECT_TRUE(then_and_now(results).empty());
  EXPECT_TRUE(then_and_now_svg({}, "", true).empty());
  add("corbel", "giop", "1024", 10);
  EXPECT_TRUE(then_and_now(results).empty());  // not what the papers measured
  add("corbel", "giop", "131072", 1);
  EXPECT_TRUE(then_and_now(results).empty());  // nothing to compare it with
  results.pop_back();
  add("raw", "none", "131072", 100);
  add("corbel", "giop_lite", "131072", 50);
  add("corbel", "giop", "131072", 90);
  add("omniORB-4.3.4", "giop", "131072", 60);
  add("omniORB-4.2.5", "giop", "131072", 40);
  const auto all = then_and_now(results);
  ASSERT_EQ(all.size(), 6U);  // four published ones
  EXPECT_NEAR(all[0].ratio, 38.44 / 48.60, 1e-9);
  EXPECT_EQ(all[4].who, "Corbel, today");
  EXPECT_EQ(all[5].who, "omniORB-4.3.4, today");
  EXPECT_NEAR(all[5].ratio, 0.6, 1e-9);
  const auto used = then_and_now_results(results);
  EXPECT_EQ(used.size(), 3U);
  EXPECT_EQ(then_and_now_svg(then_and_now(used), "<x>", true), then_and_now_svg(all, "<x>", true));
  EXPECT_NE(then_and_now_svg(all, "<x>", true).find("&lt;x&gt;"), std::string::npos);
  Report report;
  report.machine = {"m", 1, "Linux", 0, {}};
  report.results = results;
  EXPECT_EQ(make_document(report).sections.at(0).id, "then-and-now");
}

TEST(Contestants, AreToldApartByWhatTheirClientsWereTold) {
  EXPECT_EQ(contestant({{"orb", "corbel"}}), "Corbel");
  EXPECT_EQ(contestant({{"orb", "corbel"}, {"scheme", "two servers"}}), "Corbel, two servers");
  EXPECT_EQ(contestant({{"scheme", "linear search"}}), "linear search");
}

TEST(Reader, ReadsWhatTheLaboratoryWrote) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/figures.json";
  const Report written = every_suite();
  write_json(written, path);
  const Report read = read_all({path, path});
  EXPECT_EQ(read.machine.processor, written.machine.processor);
  ASSERT_EQ(read.results.size(), 2 * written.results.size());
  EXPECT_EQ(read.results[1].of, written.results[1].of);
  EXPECT_EQ(read.results[1].control, written.results[1].control);
}

TEST(Reader, NamesTheFileThatIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/wrong.json";
  std::ofstream(path) << R"({"machine": {}})";
  try {
    read_json(path);
    FAIL() << "read a report without a machine";
  } catch (const std::runtime_error& failure) {
    EXPECT_NE(std::string(failure.what()).find(path), std::string::npos);
  }
  EXPECT_THROW(read_json("/nowhere/at/all"), std::runtime_error);
}

TEST(Numbers, AreShortAndReadable) {
  EXPECT_EQ(plain_number(1234567.8), "1,234,568");
  EXPECT_EQ(plain_number(0.1234), "0.123");
  EXPECT_EQ(plain_number(12.34), "12.3");
  EXPECT_EQ(plain_number(-1234), "-1,234");
  EXPECT_EQ(size_text("65536"), "64 KiB");
  EXPECT_EQ(size_text("1"), "1 B");
  EXPECT_EQ(size_text("default"), "default");
}

TEST(PlainWords, SayWhatCostsWhatAndNothingWithoutFigures) {
  EXPECT_TRUE(plain_words({}).empty());
  std::vector<Result> results;
  const auto add = [&](const char* orb, const char* side, double value) {
    results.push_back(figure("counts", "instructions_per_call", "instructions", value,
                             {{"orb", orb}, {"protocol", "none"}, {"transport", "tcp"}, {"side", side}}));
  };
  add("raw", "client", 76);
  add("raw", "server", 57);
  add("wrappers", "client", 77);
  EXPECT_TRUE(plain_words(results).empty());  // one side is missing
  add("wrappers", "server", 57);
  const auto sentences = plain_words(results);
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(
      sentences[0],
      "- The wrapper facades cost nothing: 134 instructions a call where C sockets take 133, both sides together.");
}

}  // namespace
}  // namespace bench
