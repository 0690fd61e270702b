// SPDX-License-Identifier: Apache-2.0
#include "report/sections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>

#include "common/table.hpp"
#include "report/bars.hpp"
#include "report/chart.hpp"
#include "report/model.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"

namespace bench {
namespace {

std::string range_text(double low, double high) {
  return number(low, 1) + " to " + (std::isfinite(high) ? number(high, 1) : "any");
}

struct Split {
  double orb = 0;
  double kernel = 0;
};

/// What ORB and kernel take of the calls that `wanted` describes, on one side.
Split split_of(const std::vector<Result>& results, Case wanted, const std::string& side) {
  wanted["side"] = side;
  Split split;
  for (const Result& result : results) {
    if (result.suite != "whitebox" || result.metric != "layer_time" || !matches(result.of, wanted)) continue;
    (is_system_layer(result.of.at("layer")) ? split.kernel : split.orb) += result.value.median;
  }
  return split;
}

/// The layers of one side of a void call; those of the kernel only in the table.
void add_layers(Section& section, const std::vector<Result>& results, const std::string& transport,
                const std::string& side) {
  BarChart chart{side + ", " + transport + ": the ORB's layers", "us", 3, {}};
  DataTable table{side + ", " + transport, {"layer", "us", "least", "most"}, {}, 1};
  for (const Result& result : results) {
    if (result.suite != "whitebox" || result.metric != "layer_time") continue;
    if (!matches(result.of, {{"protocol", "giop"}, {"transport", transport}, {"side", side}, {"type", "void"}}))
      continue;
    const std::string& layer = result.of.at("layer");
    const bool kernel = is_system_layer(layer);
    if (!kernel) chart.bars.push_back({layer, 1, result.value.median, result.value.min, result.value.max});
    table.rows.push_back({layer + (kernel ? " (kernel)" : ""), number(result.value.median, 3),
                          number(result.value.min, 3), number(result.value.max, 3)});
  }
  if (table.rows.empty()) return;
  section.charts.push_back(to_svg(chart));
  section.tables.push_back(std::move(table));
}

/// What the ORB and what the kernel takes of calls with more and more octets (figure 19 of the 2001 paper).
void add_sizes(Section& section, const std::vector<Result>& results, const std::string& transport) {
  LineChart chart{"calls with octets, " + transport + ": ORB and kernel",
                  "us",
                  {},
                  {{"ORB, both sides", 1, {}}, {"kernel", 0, {}}},
                  true};
  std::set<int> sizes;
  for (const Result& result : results) {
    const bool wanted =
        result.metric == "layer_time" && matches(result.of, {{"transport", transport}, {"type", "octet"}});
    if (result.suite == "whitebox" && wanted) sizes.insert(std::atoi(result.of.at("octets").c_str()));
  }
  for (const int size : sizes) {
    const Case of{{"protocol", "giop"}, {"transport", transport}, {"type", "octet"}, {"octets", std::to_string(size)}};
    const Split client = split_of(results, of, "client");
    const double orb = client.orb + split_of(results, of, "server").orb;
    const double kernel = client.orb + client.kernel - orb;
    chart.ticks.emplace_back(size, size_text(std::to_string(size)));
    chart.series[0].points.push_back({static_cast<double>(size), orb, orb, orb});
    chart.series[1].points.push_back({static_cast<double>(size), kernel, kernel, kernel});
  }
  if (sizes.size() > 2) section.charts.push_back(to_svg(chart));
}

DataTable published_layers(const char* title, const PublishedLayer* begin, const PublishedLayer* end) {
  DataTable table{title, {"layer", "us"}, {}, 1};
  for (const PublishedLayer* layer = begin; layer != end; ++layer) {
    table.rows.push_back({layer->layer, number(layer->microseconds, 2)});
  }
  return table;
}

DataTable profile_table(const std::vector<Result>& results) {
  DataTable table{"Copies and allocations of one two-way call",
                  {"case", "side", "memcpy calls", "octets copied", "allocations"},
                  {},
                  2};
  for (const Result& result : results) {
    if (result.suite != "whitebox" || result.metric != "copies") continue;
    std::vector<std::string> row{case_text(without(common_part(result.of), {"side"})), result.of.at("side"),
                                 plain_number(result.value.median)};
    for (const char* const metric : {"copied_octets", "allocations"}) {
      const auto found = std::find_if(results.begin(), results.end(),
                                      [&](const Result& one) { return one.metric == metric && one.of == result.of; });
      row.push_back(found == results.end() ? "" : plain_number(found->value.median));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

DataTable rooms_table(const std::vector<Result>& results) {
  DataTable table{"Instructions of a void call, by room", {"transport", "side", "room", "instructions"}, {}, 3};
  for (const Result& result : results) {
    if (result.suite != "whitebox" || result.metric != "instructions") continue;
    table.rows.push_back(
        {result.of.at("transport"), result.of.at("side"), result.of.at("room"), plain_number(result.value.median)});
  }
  return table;
}

}  // namespace

std::optional<Section> whitebox_section(const std::vector<Result>& results) {
  const bool any = std::any_of(results.begin(), results.end(), [](const Result& r) { return r.suite == "whitebox"; });
  if (!any) return std::nullopt;
  Section section{
      "whitebox",
      "Where the time of one call goes",
      {"A void two-way call between two processes, cut by time probes into the layers it passes. What the kernel "
       "does (sending, waiting, waking, receiving) is left out of the charts and counted below."}};
  DataTable splits{
      "Figure 18: a void call, both sides, us",
      {"protocol", "transport", "messaging", "transport adapter", "ORB", "system", "sum", "whole as measured"},
      {},
      2};
  for (const std::string transport : {"tcp", "unix"}) {
    for (const char* const side : {"client", "server"}) add_layers(section, results, transport, side);
    add_sizes(section, results, transport);
  }
  for (const CallBars& bars : bars_of(results)) {
    const double user = bars.messaging + bars.adapter + bars.orb;
    splits.rows.push_back({bars.of.at("protocol"), bars.of.at("transport"), number(bars.messaging, 2),
                           number(bars.adapter, 2), number(bars.orb, 2), number(bars.system, 1), number(bars.sum(), 1),
                           bars.whole ? number(*bars.whole, 1) : ""});
    section.paragraphs.push_back("- With " + bars.of.at("protocol") + " over " + bars.of.at("transport") +
                                 " messaging, transport adapter and ORB take " + number(user, 2) + " us of a call's " +
                                 number(bars.sum(), 1) +
                                 " us, both sides together: " + number(100 * user / bars.sum(), 0) + " %.");
  }
  section.paragraphs.push_back("- In 2001 the ORB took about 90 us of 189 us over TCP loopback: 48 %.");
  section.legend = {{"ORB", 1}, {"kernel", 0}};
  section.tables.insert(section.tables.begin(), std::move(splits));
  for (DataTable table :
       {profile_table(results), rooms_table(results),
        published_layers("Client, 2001 (400 MHz Pentium II Xeon)", std::begin(kClient2001), std::end(kClient2001)),
        published_layers("Server, 2001", std::begin(kServer2001), std::end(kServer2001))}) {
    if (!table.rows.empty()) section.tables.push_back(std::move(table));
  }
  return section;
}

std::optional<Section> model_section(const std::vector<Result>& results) {
  std::vector<Case> unfit;
  const auto rows = network_parameters(results, &unfit);
  if (rows.empty()) return std::nullopt;
  Section section{
      "model",
      "The linear model",
      {"As in the NASA report of 1996: the time of a message of m octets is T = b0 + b1 m. r_max = 1 / b1 is the "
       "throughput that ever larger messages approach, with its 90 % confidence interval; n_1/2 is the message that "
       "reaches half of it; t_0 the least round trip: 8 octets over UDP of sockets on the emulated networks, else the "
       "void "
       "two-way call."}};
  const std::vector<std::string> heads{"mechanism", "network",      "r_max Mbit/s", "90 % interval",
                                       "R2",        "n_1/2 octets", "t_0 us"};
  DataTable table{"Network parameters here", heads, {}, 2};
  std::size_t left_out = unfit.size();
  for (const NetworkParameters& row : rows) {
    if (value_of(row.of, "orb") == "memcpy") continue;
    if (!std::isfinite(row.r_max_range.high)) {  // the sizes explain less than chance does
      ++left_out;
      continue;
    }
    const Case of = without(row.of, {"orb", "protocol"});
    table.rows.push_back({mechanism_name(row.of), case_text(of), plain_number(row.r_max),
                          range_text(row.r_max_range.low, row.r_max_range.high), number(row.line.r_squared, 3),
                          (row.n_half_at_most ? "at most " : "") + number(row.n_half),
                          row.t_0 ? number(*row.t_0, 1) : ""});
  }
  if (left_out > 0) {
    section.paragraphs.push_back(std::to_string(left_out) + " streams are left out: their times do not lie on a line.");
  }
  DataTable published{"Network parameters of 1996", heads, {}, 2};
  for (const PublishedParameters& row : kNasaParameters) {
    published.rows.push_back({row.mechanism, row.network, number(row.r_max, 1), range_text(row.low, row.high),
                              number(row.r_squared, 3), number(row.n_half), number(row.t_0)});
  }
  section.tables = {std::move(table), std::move(published)};
  return section;
}

Section published_section() {
  Section section{
      "published",
      "What was published from 1995 to 2001",
      {"For comparison. The machines were SPARCstations (1995, 1996), SGI workstations (NASA, 1996) and a 400 MHz "
       "Pentium II Xeon (2001); the networks 10 Mbit/s Ethernet, 100 Mbit/s FDDI, 155 Mbit/s ATM and 800 Mbit/s HiPPI. "
       "White-box tables and network parameters stand in their sections above."}};
  DataTable streams{"Streams of octets, Mbit/s (1995)", {"mechanism", "queues", "network"}, {}, 3};
  for (const int size : kTtcpSizes) streams.heads.push_back(size_text(std::to_string(size)));
  for (const PublishedStream& row : kTtcp1995) {
    std::vector<std::string> ethernet{row.mechanism, row.queue, "Ethernet"};
    for (const double value : row.ethernet) ethernet.push_back(number(value, 2));
    std::vector<std::string> atm{row.mechanism, row.queue, "ATM", "", "", "", ""};
    for (const double value : row.atm) atm.push_back(number(value, 2));
    streams.rows.push_back(std::move(ethernet));
    streams.rows.push_back(std::move(atm));
  }
  DataTable ranges{"Typed data, highest / lowest Mbit/s (1996)",
                   {"mechanism", "remote scalars", "remote structs", "loopback scalars", "loopback structs"},
                   {},
                   1};
  const auto pair = [](const double(&values)[2]) { return number(values[0]) + " / " + number(values[1]); };
  for (const PublishedRange& row : kSigcomm1996) {
    ranges.rows.push_back({row.mechanism, pair(row.remote_scalar), pair(row.remote_struct), pair(row.loopback_scalar),
                           pair(row.loopback_struct)});
  }
  DataTable types{"Orbix, messages of 16 KiB, Mbit/s (NASA, 1996)",
                  {"network", "bulk char", "bulk struct", "round trip char", "round trip struct"},
                  {},
                  1};
  for (const PublishedTypes& row : kNasaTypes) {
    types.rows.push_back({row.network, number(row.bulk_char, 1), number(row.bulk_struct, 1), number(row.trip_char, 1),
                          number(row.trip_struct, 1)});
  }
  DataTable demux{"The last of 100 operations, ms for 100 calls (1996)", {"scheme", "ms"}, {}, 1};
  for (const PublishedDemux& row : kDemux1996) demux.rows.push_back({row.scheme, number(row.milliseconds, 2)});
  DataTable calls{"1,000 times 100 calls, seconds (1996)", {"calls", "as shipped", "operations indexed"}, {}, 1};
  for (const PublishedCalls& row : kCalls1996) {
    calls.rows.push_back({row.calls, number(row.original, 1), number(row.indexed, 1)});
  }
  DataTable improved{
      "Gain of indexed operations, per cent of the client's time (1996)", {"calls", "1", "100", "500", "1,000"}, {}, 1};
  for (const PublishedImprovement& row : kGains1996) {
    improved.rows.push_back({row.calls});
    for (const double percent : row.percent) improved.rows.back().push_back(number(percent, 2));
  }
  DataTable gains{"IDL_Cubit, per cent faster (2001)", {"what", "least", "most", "mean"}, {}, 1};
  for (const PublishedGain& row : kGains2001) {
    gains.rows.push_back(
        {row.what, number(row.least, 2), number(row.most, 2), row.mean > 0 ? number(row.mean, 2) : ""});
  }
  section.tables = {std::move(streams), std::move(ranges),   std::move(types), std::move(demux),
                    std::move(calls),   std::move(improved), std::move(gains)};
  return section;
}

}  // namespace bench
