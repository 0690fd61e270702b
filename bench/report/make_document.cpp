// SPDX-License-Identifier: Apache-2.0
#include "common/table.hpp"
#include "report/gains.hpp"
#include "report/sections.hpp"
#include "report/then_and_now.hpp"

namespace bench {
namespace {

const std::vector<SuiteView>& views() {
  static const std::vector<SuiteView> kViews = {
      {"ttcp",
       "Streams of user data",
       {"Oneway calls, each with a buffer of user data, ended by a two-way call that returns when all has arrived. "
        "Thin vertical "
        "lines are the spread. In the table, in parentheses: multiples of the raw sockets."}},
      {"oneways",
       "Small oneway calls",
       {"Calls with 64 octets, a second: each by itself, and kept back until a hundred leave by one system call, as a "
        "C "
        "programmer gathers them. Over udp each is a datagram, and those count that arrived."},
       {"rate", "syscalls_per_1000"}},
      {"latency",
       "Latency of two-way calls",
       {"Medians over the repetitions; whiskers are the least and the greatest."},
       {"latency_p50", "latency_p99"}},
      {"counts",
       "What a call costs, counted",
       {"Instructions in user space, system calls, heap allocations and octets sent of one warm void two-way call. "
        "These repeat to "
        "the digit, whatever else the machine does."}},
      {"cubit", "The IDL_Cubit operations", {"Two-way calls that cube what they are given."}, {"time_per_call"}},
      {"values",
       "What applications pass around",
       {"A result of 1 MiB, a string, 1,000 strings, a tree of 100 structs, an Any with a struct, a chain of 100 "
        "valuetypes, and futures with ten under way; all but the first come back as they went."},
       {"instructions_per_call"}},
      {"collocated",
       "Calls within one process",
       {"No message, no protocol."},
       {"time_per_call", "instructions_per_call"}},
      {"demux",
       "Finding the operation and the object",
       {"One lookup among so many entries. \"Collocated call\" is everything from the stub over the object "
        "adapter to the "
        "servant and back in one process, not only the lookup."},
       {"time"},
       true},
      {"servers",
       "Whole servers with a hundred operations",
       {"What a server spends on one call over tcp, by step, and a client's time for so many times 100 calls of the "
        "last "
        "operation, oneway calls until the last is done. Linear search, hashing and direct index are the same server, "
        "its "
        "skeletons made with `corbel-idl --dispatch`. Depth: levels of adapters below the root one."},
       {"instructions_per_call", "instructions_by_depth", "time"},
       true},
      {"predictability",
       "High priority against low",
       {"A client of high priority calls once each millisecond while so many of low priority call without a pause. The "
        "server's four threads are all in one pool, where what is urgent waits behind the rest, or one of them is a "
        "lane "
        "for what is urgent. Jitter is the standard deviation of the latency."},
       {"latency_p50", "latency_p99", "jitter"},
       true},
      {"micro",
       "Marshalling",
       {"One element of a sequence, encoded and decoded by generated code and by hand. \"Send\": a message with so "
        "many "
        "octets over a local socket and back out, copied behind its header or gathered by the system call."}},
      {"compile",
       "Compiling generated code",
       {"Processor time of g++ -O2 -fPIC, and octets of code and data, for what each IDL compiler makes of three "
        "interfaces: "
        "an echo, the naming service, and one with a hundred operations. Without Any, type codes are left out."}},
      {"networks",
       "The papers' networks",
       {"Streams and calls over rate-limited virtual networks: Ethernet with packets of 1,500 octets, FDDI 4,500, ATM "
        "9,180, HiPPI and the unlimited one 65,280."},
       {"throughput", "latency_p50"}},
      {"lines",
       "Thin and long lines",
       {"Each packet is as long under way as its octets and the distance take, a lone one, too. Octets on the line "
        "count both "
        "ways, with the headers of TCP, IP and the link. giop_lite and frames save on headers, ziop (giop, compressed) "
        "on the "
        "1,024 octets of a log that some calls carry. Udp: the round trip of 8 octets by sockets."},
       {"latency_p50", "octets_per_call"}},
      {"scale", "Many clients, many connections", {}, {}, true},
      {"fanout",
       "Many connections at work",
       {"A client calls over so many connections in turn, or has as many threads as connections that call at the same "
        "time. Instructions of one call, of them those that find the connection to call over (client) or the one that "
        "has octets (server), by the names of functions. Idle: what a server does while nothing comes. Raw sockets are "
        "served by a thread for each connection, by poll and by epoll."},
       {"calls", "client_instructions", "server_instructions", "server_instructions_to_find"},
       true},
      {"restart",
       "A server that comes back",
       {"A server is stopped and started again at the same place: from its first word (where the reference leads to "
        "two "
        "servers, from the end of the first) to the first call that succeeds, and the calls that failed until then. "
        "One "
        "client calls on with a millisecond between calls, another when the server is back. Raw sockets connect again "
        "by "
        "hand."},
       {"first_good_call", "failed_calls"}},
      {"demo", "Moving files", {}, {"throughput"}},
  };
  return kViews;
}

/// Above the figures themselves.
void add_gains(Section& section, const std::vector<Result>& results) {
  DataTable gains = gains_table(results);
  if (!gains.rows.empty()) section.tables.insert(section.tables.begin(), std::move(gains));
}

}  // namespace

std::optional<Section> then_and_now_section(const Report& report) {
  const std::vector<Nearness> all = then_and_now(report.results);
  if (all.empty()) return std::nullopt;
  Section section{
      "then-and-now",
      "Then and now",
      {"How near to plain C sockets ORBs came when the papers were written, and do on this machine: 1 is C's own "
       "speed. Then SPARCstations and a 400 MHz Pentium II Xeon; streams in buffers of 128 KiB and void calls, today's "
       "with both ends on one processor. Ratios of different years compare "
       "ORBs with the C beside them, not machines."}};
  section.charts.push_back(then_and_now_svg(all, then_and_now_note(report.machine), false));
  DataTable table{"Then and now", {"what", "who", "share of C"}, {}, 2, true};
  for (const Nearness& one : all) table.rows.push_back({one.group, one.who, number(one.ratio, 2)});
  section.tables.push_back(std::move(table));
  return section;
}

Document make_document(const Report& report) {
  Document document;
  document.title = "What calls cost: Corbel's benchmark laboratory";
  document.paragraphs = {describe(report.machine)};
  std::string versions;
  for (const auto& [name, version] : report.machine.versions)
    versions += (versions.empty() ? "" : " · ") + name + " " + version;
  document.paragraphs.push_back(versions);
  if (was_busy(report.machine)) {
    document.warnings.push_back("Other programs took up to " + number(report.machine.load, 1) + " of " +
                                std::to_string(report.machine.cores) +
                                " processors when these figures were taken. Trust counts and ratios, not times.");
  }
  document.warnings.insert(document.warnings.end(), report.warnings.begin(), report.warnings.end());
  document.figures = headline(report.results);
  if (auto section = then_and_now_section(report)) document.sections.push_back(*std::move(section));
  document.sections.push_back(summary_section(report.results));
  Palette palette;
  for (const SuiteView& view : views()) {
    if (auto section = suite_section(view, report.results, palette)) {
      if (std::string(view.suite) == "cubit") add_gains(*section, report.results);
      document.sections.push_back(*std::move(section));
    }
    if (std::string(view.suite) == "ttcp") {
      if (auto section = profile_section(report.results)) document.sections.push_back(*std::move(section));
    }
    if (std::string(view.suite) != "counts") continue;
    if (auto section = whitebox_section(report.results)) document.sections.push_back(*std::move(section));
  }
  if (auto section = model_section(report.results)) document.sections.push_back(*std::move(section));
  document.sections.push_back(published_section());
  document.sections.push_back(
      {"method",
       "How to read this",
       {"Everything that is compared ran in turns in one session; a figure is the median of its repetitions. Raw C "
        "sockets that move "
        "the same octets are the control of every run. Counts (instructions, system calls, allocations, octets) "
        "decide; times on a "
        "shared machine are reported with their spread.",
        "\"one cpu\" binds client and server to the same processor, \"two cpus\" to one each; streams use two where "
        "there are two. "
        "All mechanisms run with their defaults. Versions, compiler flags and load stand at the top.",
        "A grey figure with a question mark stands beside raw sockets that varied by more than a quarter between "
        "repetitions: its ratio says nothing, and no summary uses it. Percentiles stand only where at least five calls "
        "lie beyond them."}});
  return document;
}

}  // namespace bench
