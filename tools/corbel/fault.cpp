// SPDX-License-Identifier: Apache-2.0
// corbel fault: a bad network between clients and a server, on command.
#include "fault.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"

namespace corbel::tool {
namespace {

/// A rule as people name it, with the member it sets and how large that may be.
struct Rule {
  const char* name;
  double Faults::*real;
  double most;
};
constexpr double kDay = 86'400'000;
constexpr Rule kRules[] = {{"delay", &Faults::delay_ms, kDay},   {"throttle", &Faults::throttle, 1e12},
                           {"corrupt", &Faults::corrupt, 1},     {"drop", &Faults::drop, 1},
                           {"duplicate", &Faults::duplicate, 1}, {"reorder", &Faults::reorder, 1}};
constexpr const char* kCommands =
    "delay [there|back] MS [JITTER], throttle [there|back] OCTETS_PER_SECOND, corrupt|drop|duplicate|reorder "
    "[there|back] "
    "PROBABILITY, split [there|back] OCTETS, cut-after [there|back] OCTETS, cut, close, refuse on|off, silence on|off, "
    "clear, "
    "status";

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what + "; known are: " + kCommands);
}

/// "off" is 0.
double number(const std::string& text, double most) {
  if (text == "off") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most;
  if (!good) refuse("'" + text + "' is no number from 0 to " + std::to_string(static_cast<long long>(most)));
  return value;
}

bool on(const std::vector<std::string>& words) {
  if (words.size() != 2 || (words[1] != "on" && words[1] != "off")) refuse("'" + words[0] + "' takes on or off");
  return words[1] == "on";
}

struct FaultArguments {
  std::string reference;
  std::string ior_file;
  RelayOptions relay;
  std::vector<std::string> commands;
  std::uint64_t seed = 1;
  bool json = false;
};

}  // namespace

std::string FaultRules::obey(const std::string& command) {
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word && words.size() < 8;) words.push_back(word);
  if (words.empty()) refuse("a command is missing");
  const std::string& name = words[0];
  const bool stands_alone = name == "status" || name == "clear" || name == "cut" || name == "close";
  if (stands_alone && words.size() > 1) refuse("'" + name + "' has a word too many");
  if (name == "status") return status();
  if (name == "refuse" || name == "silence") {
    (name == "refuse" ? refuse_ : silent_) = on(words);
  } else if (name == "clear") {
    refuse_ = silent_ = false;
    const std::lock_guard lock(mutex_);
    faults_[0] = faults_[1] = {};
  } else if (name == "cut" || name == "close") {
    const std::lock_guard lock(obeying_);
    const std::size_t count = cut_ ? cut_(name == "cut") : 0;
    counts_.cut += count;
    return "ok " + std::to_string(count);
  } else {
    return set(words);
  }
  return "ok";
}

std::string FaultRules::set(const std::vector<std::string>& words) {
  std::size_t at = 1;
  bool ways[2] = {true, true};
  if (words.size() > at && (words[at] == "there" || words[at] == "back")) ways[words[at++] == "there" ? 1 : 0] = false;
  if (words.size() <= at) refuse("'" + words[0] + "' is no command, or lacks its number");
  const auto apply = [&](auto change) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < 2; ++i)
      if (ways[i]) change(faults_[i]);
  };
  const bool has_jitter = words[0] == "delay" && words.size() == at + 2;
  if (words.size() != at + 1 && !has_jitter) refuse("'" + words[0] + "' has a word too many");
  constexpr double kMostOctets = 1e15;
  if (words[0] == "split" || words[0] == "cut-after") {
    const auto octets = static_cast<std::uint64_t>(number(words[at], kMostOctets));
    apply([&](Faults& faults) { (words[0] == "split" ? faults.split : faults.cut_after) = octets; });
    return "ok";
  }
  const auto* const rule =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return words[0] == r.name; });
  if (rule == std::end(kRules)) refuse("'" + words[0] + "' is no command");
  const double value = number(words[at], rule->most);
  const double jitter = has_jitter ? number(words[at + 1], kDay) : 0;
  apply([&](Faults& faults) {
    faults.*rule->real = value;
    if (rule->real == &Faults::delay_ms) faults.jitter_ms = jitter;
  });
  return "ok";
}

std::string FaultRules::status() const {
  nlohmann::ordered_json json;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < 2; ++i) {
    auto& way = json[i == 0 ? "there" : "back"] = nlohmann::ordered_json::object();
    for (const Rule& rule : kRules)
      if (faults_[i].*rule.real > 0) way[rule.name] = faults_[i].*rule.real;
    if (faults_[i].jitter_ms > 0) way["jitter"] = faults_[i].jitter_ms;
    if (faults_[i].split > 0) way["split"] = faults_[i].split;
    if (faults_[i].cut_after > 0) way["cut-after"] = faults_[i].cut_after;
  }
  json["refuse"] = refuse_.load();
  json["silence"] = silent_.load();
  const std::pair<const char*, const std::atomic<std::uint64_t>&> counts[] = {
      {"connections", counts_.connections}, {"refused", counts_.refused}, {"cut", counts_.cut},
      {"messages", counts_.messages},       {"octets", counts_.octets},   {"delayed", counts_.delayed},
      {"corrupted", counts_.corrupted},     {"dropped", counts_.dropped}, {"duplicated", counts_.duplicated},
      {"reordered", counts_.reordered}};
  for (const auto& [name, count] : counts) json["counts"][name] = count.load();
  return json.dump();
}

void FaultRules::set_cut(std::function<std::size_t(bool)> cut) {
  const std::lock_guard lock(obeying_);
  cut_ = std::move(cut);
}

Faults FaultRules::of(Way way) const {
  const std::lock_guard lock(mutex_);
  return faults_[static_cast<std::size_t>(way)];
}

bool FaultRules::happens(double probability) {
  if (probability <= 0) return false;
  const std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

std::uint64_t FaultRules::below(std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  return end < 2 ? 0 : std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
}

namespace {

/// Ends a link before anything is said.
class RefusingTalk final : public Talk {
 public:
  bool octets(Way, base::ConstByteSpan, Link& link) override {
    link.cut(true);
    return false;
  }
};

int fault(const FaultArguments& arguments) {
  block_signals();
  // Else the thread below would wait with the C library's lock of stdin, which exit() of glibc 2.41 waits for.
  std::ios::sync_with_stdio(false);
  const auto rules = std::make_shared<FaultRules>(arguments.seed);
  for (const std::string& command : arguments.commands) rules->obey(command);
  const Target target = relay_target(arguments.reference);
  Relay relay(arguments.relay, target.host, target.port, [rules](const Ends&) -> std::unique_ptr<Talk> {
    ++rules->counts().connections;
    if (!rules->refuses()) return std::make_unique<FaultTalk>(*rules);
    ++rules->counts().refused;
    return std::make_unique<RefusingTalk>();
  });
  rules->set_cut([&relay](bool reset) { return relay.cut(reset); });
  announce(relay, target, arguments.ior_file, arguments.json);
  // It waits for a line as long as the program lives, and nothing can wake it.
  std::thread([rules] {
    for (std::string line; std::getline(std::cin, line);) {
      std::string answer;
      try {
        answer = rules->obey(line.substr(0, 1000));
      } catch (const std::exception& failure) {
        answer = std::string("error ") + failure.what();
      }
      std::cout << answer << std::endl;
    }
  }).detach();
  serve(relay);
  rules->set_cut(nullptr);
  return kDone;
}

}  // namespace

void add_fault(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<FaultArguments>();
  CLI::App* const command = app.add_subcommand("fault", "Be a bad network between clients and a server");
  command->add_option("REF", arguments->reference, "An object of the server; what clients get leads through here")
      ->required();
  add_relay_options(*command, arguments->relay, arguments->ior_file);
  command->add_option("--do", arguments->commands, "Obey this command first")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  command->add_option("--seed", arguments->seed, "Of what happens by chance")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the reference as JSON");
  command->footer(
      std::string(
          "Standard input takes commands while it runs, a line each, and standard output answers 'ok', 'error ...'\n"
          "or JSON: ") +
      kCommands +
      ".\nWithout there (requests) or back (replies) both ways are meant; 'off' is 0. Whole GIOP messages are "
      "delayed,\n"
      "dropped, corrupted behind their header, sent twice or overtaken.\n"
      "Example: corbel fault server.ior --do 'delay 100 20' --do 'corrupt back 0.01'");
  command->callback([arguments, &run] { run = [arguments] { return fault(*arguments); }; });
}

}  // namespace corbel::tool
