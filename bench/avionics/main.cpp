// SPDX-License-Identifier: Apache-2.0
// corbel-demo-avionics: two boards of a mission computer on a backplane of shared memory, and a remote terminal on a
// simulated field bus, which board B reaches through an in-line bridge on board A.
#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <thread>

#include "avionics/processes.hpp"
#include "common/child.hpp"
#include "common/machine.hpp"
#include "common/progress.hpp"
#include "common/results.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "controller.hpp"

namespace {

using avionics::Bulk;
using avionics::Flow;
using avionics::Sortie;
using avionics::Steady;

constexpr std::chrono::seconds kPatience(90);
constexpr auto kTakeOff = std::chrono::milliseconds(300);  // until all have read when the sortie begins

struct Arguments {
  double seconds = 10;
  bool quick = false;
  std::string json;
};

/// What came of a sortie.
struct Outcome {
  std::vector<Flow> flows;
  Bulk bulk;
  std::uint64_t blocks = 0;
  Avionics::Tally tally;
  std::uint64_t forwarded = 0;
  std::uint64_t wrong = 0;   // that board A was told
  field_bus::BusCounts bus;  // of the sortie alone
};

field_bus::BusSettings bus_settings() {
  field_bus::BusSettings settings;
  settings.silence = std::chrono::seconds(30);  // the host may be busy; nobody is to be thought dead for that
  return settings;
}

field_bus::BusCounts since(const field_bus::BusCounts& before, field_bus::BusCounts now) {
  now.frames -= before.frames;
  now.overruns -= before.overruns;
  now.polls -= before.polls;
  now.messages -= before.messages;
  now.words -= before.words;
  now.late -= before.late;
  now.busy -= before.busy;
  now.elapsed -= before.elapsed;
  return now;
}

double utilisation(const field_bus::BusCounts& bus) {
  return 100.0 * static_cast<double>(bus.busy.count()) /
         static_cast<double>(std::max<std::int64_t>(1, bus.elapsed.count()));
}

double mebi_per_s(const Bulk& bulk) {
  return bulk.seconds > 0 ? static_cast<double>(bulk.octets) / bulk.seconds / (1 << 20) : 0;
}

void introduce(const bench::Machine& machine, double seconds) {
  const field_bus::BusSettings bus = bus_settings();
  std::cout
      << "Three processes: boards A and B of a mission computer, joined by shared memory (the backplane), and a remote "
         "terminal with a sensor\n"
      << "and an actuator. It is on a simulated field bus (examples/field_bus, a plug-in): messages of " << bus.words
      << " words of 16 bits, " << bus.word_time / 1000 << " us each, polled by\nboard A in minor frames of "
      << bus.minor_frame / std::chrono::microseconds(1)
      << " us. Board B knows nothing of the bus: an in-line bridge on board A passes its calls on.\n"
      << "For " << bench::number(seconds, 1)
      << " s: periodic calls at 40 and 20 Hz, whose deadline is their period, while board B "
      << "sends blocks of " << avionics::kBlockSize / 1024 << " KiB to board A as fast as it goes.\n\n"
      << bench::describe(machine) << "\n\n"
      << std::flush;
}

Outcome fly(double seconds) {
  const bench::TemporaryFolder folder;
  const std::string bus = folder.path() + "/bus";
  auto controller = field_bus::Controller::start(bus, bus_settings());
  if (!controller) throw std::runtime_error("no bus: " + corbel::base::to_string(controller.error()));
  bench::Child terminal({bench::own_path(), "--as-terminal", AVIONICS_FIELD_BUS, "giop_lite+field_bus://" + bus + "/3"},
                        {.ends_with_input = true});
  avionics::BoardA board_a(AVIONICS_FIELD_BUS, terminal.read_line(kPatience));
  bench::Child board_b({bench::own_path(), "--as-board-b", board_a.bridged_terminal(), board_a.reference()},
                       {.ends_with_input = true});
  if (board_b.read_line(kPatience) != "ready") throw std::runtime_error("board B is not ready");

  const auto before = (*controller)->counts();
  const Sortie sortie{Steady::now() + kTakeOff, std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))};
  board_b.write_line(std::to_string(std::chrono::nanoseconds(sortie.begin.time_since_epoch()).count()) + " " +
                     std::to_string(sortie.length.count()));
  Outcome outcome;
  std::jthread flying([&] { outcome.flows.push_back(board_a.fly(sortie)); });
  const auto whole_seconds = static_cast<std::size_t>(seconds);
  bench::Progress progress(whole_seconds + 1);
  for (std::size_t second = 0; second <= whole_seconds && !avionics::interrupted; ++second) {
    std::this_thread::sleep_until(std::min(sortie.begin + std::chrono::seconds(second), sortie.begin + sortie.length));
    progress.step("second " + std::to_string(second) + ": " + std::to_string(board_a.blocks()) + " blocks, " +
                  std::to_string((*controller)->counts().messages - before.messages) + " messages on the bus");
  }
  flying.join();
  progress.finish();
  if (avionics::interrupted) throw std::runtime_error("interrupted");
  outcome.bus = since(before, (*controller)->counts());
  const auto patience = kPatience + std::chrono::seconds(whole_seconds);
  std::string line = board_b.read_line(patience);
  for (; avionics::is_flow(line); line = board_b.read_line(patience))
    outcome.flows.push_back(avionics::read_flow(line));
  outcome.bulk = avionics::read_bulk(line);
  try {
    outcome.tally = board_a.tally();
  } catch (const CORBA::Exception&) {
    // The terminal has gone: nothing is right then, which the flows tell better.
  }
  outcome.forwarded = board_a.forwarded().forwarded;
  outcome.blocks = board_a.blocks();
  outcome.wrong = board_a.wrong();
  board_b.end(kPatience);
  terminal.end(kPatience);
  return outcome;
}

void print(const Outcome& outcome) {
  bench::Table table({"flow", "way", "period ms", "deadline ms", "activations", "met", "missed", "p50 us", "p99 us",
                      "max us", "content"},
                     2, true);
  for (const Flow& flow : outcome.flows) {
    const std::string period = bench::number(static_cast<double>(flow.period.count()) / 1000, 0);
    table.add({flow.name, flow.way, period, period, std::to_string(flow.activations), std::to_string(flow.met),
               std::to_string(flow.missed), bench::number(flow.p50_us), bench::number(flow.p99_us),
               bench::number(flow.max_us), flow.wrong + flow.failed == 0 ? "right" : "WRONG"});
  }
  table.print(std::cout);
  const field_bus::BusCounts& bus = outcome.bus;
  std::cout << "\nBulk transfer from B to A over the backplane: " << bench::number(mebi_per_s(outcome.bulk), 0)
            << " MiB/s, " << outcome.bulk.blocks << " blocks.\n"
            << "Field bus: busy " << bench::number(utilisation(bus), 1) << " % of the time; " << bus.polls << " polls, "
            << bus.messages << " messages, " << bus.words << " data words in " << bus.frames << " minor frames ("
            << bus.overruns << " came late, " << bus.late << " polls were answered late).\n"
            << "Times are from activation to completion; most of them is waiting for a turn on the bus. The host is no "
               "real-time system: deadlines that\n"
            << "were missed are its other work. The bridge has passed " << outcome.forwarded << " requests on.\n";
  for (const Flow& flow : outcome.flows) {
    if (flow.failed > 0)
      std::cout << flow.name << ": " << flow.failed << " calls failed, the first: " << flow.why << '\n';
  }
  if (outcome.bulk.why != "-") std::cout << "The bulk transfer ended early: " << outcome.bulk.why << '\n';
}

/// True if everything that was said arrived once, as it was said.
bool conclude(const Outcome& outcome) {
  std::uint64_t activations = 0;
  std::uint64_t met = 0;
  std::uint64_t bad = outcome.wrong + outcome.tally.wrong();
  for (const Flow& flow : outcome.flows) {
    activations += flow.activations;
    met += flow.met;
    bad += flow.wrong + flow.failed;
  }
  const std::uint64_t of_terminal = outcome.flows.at(0).activations + outcome.flows.at(1).activations;
  const bool once = outcome.tally.samples() == of_terminal &&
                    outcome.tally.moves() == outcome.flows.at(2).activations && outcome.blocks == outcome.bulk.blocks &&
                    outcome.bulk.why == "-";
  const bool good = bad == 0 && once && outcome.bulk.blocks > 0;
  std::cout << '\n' << (good ? "All " : "FAILED: of ") << activations << " periodic calls and " << outcome.bulk.blocks;
  if (good) {
    std::cout << " blocks arrived once and as they were sent; " << met << " of the calls met their deadlines.\n";
  } else {
    std::cout << " blocks, " << bad << " were wrong or failed" << (once ? "" : ", or did not arrive exactly once")
              << ".\n";
  }
  return good;
}

std::vector<bench::Result> results_of(const Outcome& outcome) {
  std::vector<bench::Result> results;
  const auto add = [&](const bench::Case& of, const std::string& metric, const std::string& unit, double value) {
    results.push_back({"avionics", of, metric, unit, bench::summarise({value})});
  };
  for (const Flow& flow : outcome.flows) {
    const bench::Case of{{"flow", flow.name}, {"way", flow.way}};
    add(of, "period", "us", static_cast<double>(flow.period.count()));
    add(of, "deadline", "us", static_cast<double>(flow.period.count()));
    add(of, "activations", "", static_cast<double>(flow.activations));
    add(of, "met", "", static_cast<double>(flow.met));
    add(of, "missed", "", static_cast<double>(flow.missed));
    add(of, "wrong", "", static_cast<double>(flow.wrong + flow.failed));
    add(of, "p50", "us", flow.p50_us);
    add(of, "p99", "us", flow.p99_us);
    add(of, "max", "us", flow.max_us);
  }
  add({{"transfer", "bulk"}}, "throughput", "MiB/s", mebi_per_s(outcome.bulk));
  add({{"bus", "field bus"}}, "utilisation", "%", utilisation(outcome.bus));
  add({{"bus", "field bus"}}, "messages", "", static_cast<double>(outcome.bus.messages));
  add({{"bus", "field bus"}}, "data words", "", static_cast<double>(outcome.bus.words));
  return results;
}

int run(const Arguments& arguments) {
  bench::Report report{bench::this_machine(), {}, {}};
  introduce(report.machine, arguments.seconds);
  const Outcome outcome = fly(arguments.seconds);
  print(outcome);
  if (!arguments.json.empty()) {
    report.results = results_of(outcome);
    bench::write_json(report, arguments.json);
    std::cout << "Figures written to " << arguments.json << ".\n";
  }
  return conclude(outcome) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Two boards of a mission computer and a remote terminal on a field bus: periodic calls beside a bulk transfer.",
      "corbel-demo avionics");
  app.add_option("--seconds", arguments.seconds, "how long to fly")
      ->check(CLI::Range(0.2, 86400.0))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the figures to this file, too");
  app.add_flag("--quick", arguments.quick, "fly two seconds");
  try {
    if (argc > 3 && std::string(argv[1]) == "--as-terminal") return avionics::terminal_main(argv[2], argv[3]);
    if (argc > 3 && std::string(argv[1]) == "--as-board-b") return avionics::board_b_main(argv[2], argv[3]);
    CLI11_PARSE(app, argc, argv);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { avionics::interrupted = true; });
    if (arguments.quick) arguments.seconds = 2;
    return run(arguments);
  } catch (const std::exception& failure) {
    std::cout << std::flush;
    std::cerr << "corbel-demo-avionics: " << failure.what() << '\n';
    return 2;
  }
}
