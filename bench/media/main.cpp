// SPDX-License-Identifier: Apache-2.0
// corbel-demo-media: streams video and sound between two processes over several carriers, plain sockets beside.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <thread>

#include "common/child.hpp"
#include "common/cpus.hpp"
#include "common/machine.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "media/corbel_way.hpp"
#include "studio.hpp"

namespace {

using Steady = std::chrono::steady_clock;
using DeskRef = IDL::traits<Studio::Desk>::ref_type;

constexpr std::chrono::seconds kStart(30);
constexpr std::uint64_t kMostAhead = 24;  // frames that the sender is ahead of what has arrived, when it is in a hurry
constexpr std::chrono::milliseconds kSilence(100);  // after which nothing more comes where frames may be lost
constexpr std::chrono::seconds kPatience(20);       // where none are
constexpr auto kFrameTime = std::chrono::microseconds(16'667);  // 60 pictures a second

struct Arguments {
  std::string file;
  bool quick = false;
  double seconds = 1;
  std::uint32_t frames = 1500;
};

/// One way, and what came of it.
struct Row {
  std::string name;
  std::string transport;
  std::unique_ptr<media::Way> way;
  std::size_t control = 0;
  // In a hurry:
  double mebi_per_s = 0;
  double lost_percent = 0;
  double processor_us = 0;  // a frame, both processes
  double instructions = 0;
  double copies = 0;  // of each octet
  // At 60 pictures a second:
  double paced_lost_percent = 0;
  double jitter_us = 0;
  std::uint64_t in_step = 0;
  std::uint64_t out_of_step = 0;
  std::string reported;
  // Both:
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t wrong = 0;
};

bool loses_nothing(const Row& row) {
  return row.transport == "unix" || row.transport == "shm";
}

Steady::duration patience(const Row& row) {
  return loses_nothing(row) ? Steady::duration(kPatience) : Steady::duration(kSilence);
}

/// Waits until so many have come, or nothing comes any more.
void await(const Row& row, const DeskRef& desk, std::uint64_t count) {
  std::uint64_t before = desk->arrived();
  for (auto last = Steady::now(); before < count && Steady::now() - last < patience(row);) {
    const std::uint64_t now = desk->arrived();
    if (now != before) last = Steady::now();
    before = now;
  }
}

double percent_lost(std::uint64_t sent, std::uint64_t arrived) {
  return arrived >= sent ? 0 : 100.0 * static_cast<double>(sent - arrived) / static_cast<double>(sent);
}

void note(Row& row, std::uint64_t sent, const Studio::Seen& seen) {
  row.sent += sent;
  row.arrived += seen.pictures() + seen.sounds();
  row.wrong += seen.wrong();
}

/// As fast as the receiver takes it.
void hurry(Row& row, const DeskRef& desk, const media::Content& content, std::uint32_t frames) {
  desk->begin();
  row.way->picture(0, content.picture(0), Steady::now());  // connects, and tells names
  await(row, desk, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(15));
  desk->begin();
  const media::Cost before = media::cost_so_far();
  const auto begin = Steady::now();
  std::uint64_t lost = 0;
  for (std::uint32_t i = 0; i < frames; ++i) {
    row.way->picture(i, content.picture(i), Steady::now());
    if ((i + 1) % (kMostAhead / 2) != 0) continue;
    std::uint64_t arrived = desk->arrived();
    for (auto last = Steady::now(); arrived + lost + kMostAhead / 2 < i + 1;) {
      const std::uint64_t now = desk->arrived();
      if (now != arrived) last = Steady::now();
      if (now == arrived && Steady::now() - last > patience(row)) lost = i + 1 - arrived;
      arrived = now;
    }
  }
  await(row, desk, frames);
  const double seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  const media::Cost after = media::cost_so_far();
  const Studio::Seen seen = desk->end();
  note(row, frames, seen);
  const auto octets = static_cast<double>(seen.octets());
  row.mebi_per_s = octets / seconds / (1 << 20);
  row.lost_percent = percent_lost(frames, seen.pictures());
  row.processor_us = (after.processor_us - before.processor_us + seen.processor()) / frames;
  row.instructions = static_cast<double>(after.instructions - before.instructions + seen.instructions()) / frames;
  row.copies = octets == 0 ? 0 : static_cast<double>(after.copied - before.copied + seen.copied()) / octets;
}

/// 60 pictures a second, each with the sound that was captured with it, in its time.
void keep_time(Row& row, const DeskRef& desk, const media::Content& content, double seconds) {
  desk->begin();
  const auto begin = Steady::now();
  const auto frames = static_cast<std::uint32_t>(seconds * 60);
  for (std::uint32_t i = 0; i < frames; ++i) {
    const auto moment = begin + i * kFrameTime;
    std::this_thread::sleep_until(moment);
    row.way->sound(i, content.sound(i), moment);
    row.way->picture(i, content.picture(i), moment);
  }
  await(row, desk, 2 * std::uint64_t{frames});
  const Studio::Seen seen = desk->end();
  note(row, 2 * std::uint64_t{frames}, seen);
  row.paced_lost_percent = percent_lost(2 * std::uint64_t{frames}, seen.pictures() + seen.sounds());
  row.jitter_us = seen.jitter();
  row.in_step = seen.in_step();
  row.out_of_step = seen.out_of_step();
}

std::vector<Row> make_rows(const media::Orb& orb, bench::Child& receiver, DeskRef& desk) {
  std::map<std::string, std::string> frames;
  std::map<std::string, std::string> plain;
  for (std::string line; (line = receiver.read_line(kStart)) != "ready";) {
    const std::size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    const std::string rest = line.substr(blank + 1);
    if (name == "plain") {
      plain[rest.substr(0, rest.find(' '))] = rest;
    } else {
      frames[name] = rest;
    }
  }
  desk = IDL::traits<Studio::Desk>::narrow(orb->string_to_object(frames.at("desk")));
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const std::string& transport, std::unique_ptr<media::Way> way) {
    rows.emplace_back();
    rows.back().name = name;
    rows.back().transport = transport;
    rows.back().way = std::move(way);
  };
  for (const std::string transport : {"unix", "udp", "multicast"}) {
    add("C sockets", transport, media::make_plain_way(plain.at(transport)));
    const std::size_t control = rows.size() - 1;
    rows.back().control = control;
    add("frames", transport, media::make_corbel_way(frames.at(transport)));
    rows.back().control = control;
    if (transport != "unix") continue;
    add("frames", "shm", media::make_corbel_way(frames.at("shm")));
    rows.back().control = control;
  }
  return rows;
}

void print(const std::vector<Row>& rows) {
  const auto count = [](double value, int decimals) { return value == 0 ? "-" : bench::number(value, decimals); };
  bench::Table table({"protocol", "carrier", "MiB/s", "x C", "lost %", "us/frame", "x C", "instr./frame", "copies",
                      "lost %", "jitter us", "in step", "content"},
                     2, true);
  for (const Row& row : rows) {
    const Row& control = rows[row.control];
    const bool is_control = &row == &control;
    if (is_control && &row != &rows.front()) table.add_rule();
    table.add({row.name, row.transport, bench::number(row.mebi_per_s, 0),
               is_control ? "" : bench::number(row.mebi_per_s / control.mebi_per_s, 2),
               bench::number(row.lost_percent, 2), bench::number(row.processor_us, 1),
               is_control ? "" : bench::number(row.processor_us / control.processor_us, 2), count(row.instructions, 0),
               bench::number(row.copies, 2), bench::number(row.paced_lost_percent, 2), bench::number(row.jitter_us, 0),
               std::to_string(row.in_step) + "/" + std::to_string(row.in_step + row.out_of_step),
               row.wrong == 0 ? "right" : "WRONG"});
  }
  table.print(std::cout);
}

/// True if every frame that arrived was as it had been sent, and where nothing can be lost all did.
bool conclude(const std::vector<Row>& rows) {
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t wrong = 0;
  std::uint64_t out_of_step = 0;
  bool lost_unduly = false;
  for (const Row& row : rows) {
    sent += row.sent;
    arrived += row.arrived;
    wrong += row.wrong;
    out_of_step += row.out_of_step;
    lost_unduly = lost_unduly || (loses_nothing(row) && row.arrived != row.sent) || row.arrived == 0;
  }
  const bool good = wrong == 0 && out_of_step == 0 && !lost_unduly;
  std::cout << (good ? "All " : "FAILED: of ") << arrived << " frames that arrived of " << sent
            << (good ? " sent were, octet for octet, what had been sent, pictures and sound in step"
                     : " sent, " + std::to_string(wrong) + " were wrong and " + std::to_string(out_of_step) +
                           " out of step" + (lost_unduly ? ", or were lost where nothing may be" : ""))
            << ".\n";
  return good;
}

int run(const Arguments& arguments) {
  media::start_meters();
  const media::Content content(arguments.file);
  bench::pin_to_cpu(bench::allowed_cpus().front());
  bench::Child receiver({bench::own_path(), "--as-receiver", arguments.file},
                        {.cpu = bench::allowed_cpus().back(), .ends_with_input = true});
  const media::Orb orb = media::make_orb("director", {});
  DeskRef desk;
  std::vector<Row> rows = make_rows(orb, receiver, desk);
  std::cout
      << "One process streams video and sound to another: " << (arguments.file.empty() ? "generated" : "the")
      << " frames" << (arguments.file.empty() ? "" : " of " + arguments.file)
      << ", every 30th a key frame of 146 KiB, the others 8 to 47 KiB.\n"
      << "By oneway operations compiled from IDL (bench/media/studio.idl) over the protocol frames; in the same run by "
         "C sockets.\n\n"
      << bench::describe(bench::this_machine()) << "\n\n"
      << std::flush;
  bench::Progress progress(2 * rows.size());
  for (Row& row : rows) {
    progress.step(row.name + " over " + row.transport + ", as fast as it goes");
    hurry(row, desk, content, arguments.frames);
    progress.step(row.name + " over " + row.transport + ", 60 pictures a second");
    keep_time(row, desk, content, arguments.seconds);
    row.reported = row.way->reported();
  }
  progress.finish();
  print(rows);
  std::cout << "\nLeft: " << arguments.frames
            << " pictures as fast as the receiver takes them (processor time of both processes; copies of each octet "
               "in both,\n"
               "by the program and by system calls). Right: "
            << bench::number(arguments.seconds, 1)
            << " s at 60 pictures a second with their sound; jitter as RFC 3550 has it; in step: pictures\n"
               "and sounds that show the same time of capture. \"x C\": divided by the C sockets above (shm: by unix). "
               "\"-\": "
               "not countable here.\n";
  for (const Row& row : rows) {
    if (!row.reported.empty())
      std::cout << "The receiver reports over " << row.transport << ": " << row.reported << ".\n";
  }
  std::cout << '\n';
  const bool good = conclude(rows);
  rows.clear();
  desk = nullptr;
  orb->destroy();
  receiver.end(std::chrono::seconds(5));
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Streams video and sound from one process to another by the protocol frames, plain sockets beside.",
               "corbel-demo media");
  app.add_option("FILE", arguments.file, "a video file whose octets are streamed; default: generated frames");
  app.add_flag("--quick", arguments.quick, "less to send");
  app.add_option("--seconds", arguments.seconds, "how long to stream at 60 pictures a second")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--frames", arguments.frames, "pictures to send as fast as it goes")
      ->check(CLI::Range(10U, 10'000'000U))
      ->capture_default_str();
  try {
    if (argc > 2 && std::string(argv[1]) == "--as-receiver") return media::receiver_main(argv[2]);
    CLI11_PARSE(app, argc, argv);
    if (arguments.quick) arguments.frames = 120, arguments.seconds = 0.25;
    return run(arguments);
  } catch (const std::exception& failure) {
    std::cout << std::flush;
    std::cerr << "corbel-demo-media: " << failure.what() << '\n';
    return 2;
  }
}
