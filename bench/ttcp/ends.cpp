// SPDX-License-Identifier: Apache-2.0
#include "ttcp/ends.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "common/certificate.hpp"
#include "common/cpus.hpp"
#include "common/results.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/mechanism.hpp"
#include "ttcp/control.hpp"

namespace bench {
namespace {

constexpr std::chrono::seconds kTalk(10);         ///< for a line that needs no work
constexpr std::chrono::seconds kStart(90);        ///< for a server to start
constexpr std::chrono::seconds kStream(30 * 60);  ///< the programs of peers/ end themselves after that
constexpr std::chrono::seconds kEnd(20);
constexpr const char* kGreeting = "corbel-ttcp";
constexpr const char* kVersion = "1";

/// The mechanism of a model over a transport; an empty protocol: the usual one. Throws std::runtime_error that says
/// what there is.
Mechanism mechanism_of(const std::string& model, const std::string& protocol, const std::string& transport) {
  static constexpr const char* kModels[] = {"c", "wrappers", "rpc", "corbel", "omniorb"};
  if (std::none_of(std::begin(kModels), std::end(kModels), [&](const char* known) { return model == known; })) {
    throw std::runtime_error("there is no model '" + model + "'; there are c, wrappers, rpc, corbel and omniorb");
  }
  const std::string sockets = transport == "tls" ? "openssl" : "plain";  // C sockets with OpenSSL are a program apart
  const std::string name = model == "c" ? sockets : model;
  const std::vector<Mechanism> found = find_peer(name);
  if (found.empty()) {
    const std::string packages = packages_of(name);
    throw std::runtime_error("model " + model + " was not built: no " + beside("corbel-bench-" + name) +
                             (packages.empty() ? "" : "; it needs the packages " + packages));
  }
  std::string there;
  for (const char* const usual : {"giop", "stubs", "none"}) {
    for (const Mechanism& one : found) {
      if (protocol.empty() ? one.protocol == usual : one.protocol == protocol) return one;
    }
  }
  for (const Mechanism& one : found) there += " " + one.protocol;
  throw std::runtime_error("model " + model + " has no protocol '" + protocol + "'; it has" + there);
}

void check(bool possible, const std::string& model, const std::string& what, const std::set<std::string>& there) {
  if (possible) return;
  std::string list;
  for (const std::string& one : there) list += " " + one;
  throw std::runtime_error("model " + model + " does not know " + what + "; it knows" + list);
}

/// What both sides agree on.
struct Stream {
  std::string model, protocol, transport, type;

  std::string text() const { return model + " " + protocol + " " + transport + " " + type; }
};

/// What is within one process has no two ends to be started apart.
void check(const Mechanism& mechanism, const Stream& stream) {
  std::set<std::string> between;
  for (const std::string& one : mechanism.transports)
    if (!is_inside(one)) between.insert(one);
  if (is_inside(stream.transport)) {
    throw std::runtime_error("transport " + stream.transport +
                             " is within one process, and corbel-ttcp measures between two; `corbel-bench cubit` "
                             "measures calls there");
  }
  if (stream.model == "c") between.insert("tls");
  check(between.contains(stream.transport), stream.model, "transport " + stream.transport, between);
  check(mechanism.types.contains(stream.type), stream.model, "type " + stream.type, mechanism.types);
}

void check_same(const char* what, const std::string& ours, const std::string& theirs) {
  if (ours.empty() || ours == theirs) return;
  throw std::runtime_error(std::string("the receiver was started for ") + what + " " + ours + ", the transmitter has " +
                           theirs);
}

/// What a transmitter wants. Throws std::runtime_error if that is not to be had.
Stream wanted(const std::string& line, const StreamOptions& options, const Control& control) {
  std::istringstream words(line);
  std::string greeting;
  std::string version;
  Stream stream;
  words >> greeting >> version;
  if (greeting != kGreeting) throw std::runtime_error("what connected is no corbel-ttcp");
  if (version != kVersion) {
    throw std::runtime_error("the receiver speaks version " + std::string(kVersion) +
                             " of corbel-ttcp, the transmitter version " + version +
                             "; install the same on both sides");
  }
  if (!(words >> stream.model >> stream.protocol >> stream.transport >> stream.type)) {
    throw std::runtime_error("the transmitter does not say what it sends");
  }
  check_same("model", options.model, stream.model);
  check_same("protocol", options.protocol, stream.protocol);
  check_same("transport", options.transport, stream.transport);
  check_same("type", options.type, stream.type);
  if (!is_internet(stream.transport) && !control.is_local()) {
    throw std::runtime_error("transport " + stream.transport + " is for two programs of one machine");
  }
  return stream;
}

/// What a process is told of the sockets it shall make.
void set_options(const Mechanism& mechanism, const std::string& model, const StreamOptions& options,
                 ChildOptions& child) {
  set_queues(mechanism, options.queue, child);
  if (options.cpu) {
    const std::vector<int> cpus = allowed_cpus();
    if (std::find(cpus.begin(), cpus.end(), *options.cpu) == cpus.end()) {
      throw std::runtime_error("there is no processor " + std::to_string(*options.cpu) + " here for this program");
    }
    child.cpu = options.cpu;
  }
  if (options.no_delay) return;
  if (!mechanism.can("delays"))
    throw std::runtime_error("model " + model + " always sends at once: -D off is not for it");
  child.environment.emplace_back("CORBEL_NO_DELAY=off");
}

/// What goes in datagrams goes one way, each buffer with its header in one of them.
void check_datagrams(const Stream& stream, const StreamOptions& options) {
  constexpr int kMost = 65000;
  if (options.mode != "oneway") throw std::runtime_error("over udp there is the mode oneway alone");
  if (options.buffer > kMost) {
    throw std::runtime_error("a datagram holds no buffer of " + std::to_string(options.buffer) + " octets; choose -l " +
                             std::to_string(kMost) + " at most, or less if " + stream.model + " cannot send it");
  }
  if (!options.no_delay) throw std::runtime_error("datagrams are never held back: -D is for tcp");
}

/// Before what may take half an hour.
void check_writable(const std::string& path) {
  if (path.empty()) return;
  std::error_code absent;
  const bool was_there = std::filesystem::exists(path, absent);
  if (!std::ofstream(path, std::ios::app)) throw std::runtime_error("cannot write " + path);
  if (!was_there) std::filesystem::remove(path, absent);
}

struct Outcome {
  double nanoseconds = 0, octets = 0, calls = 0;
  ProcessorTime processor = {};
  std::optional<double> sent = {};  ///< octets, where not all need arrive

  double lost_percent() const { return sent && *sent > 0 ? 100 * (*sent - octets) / *sent : 0; }
};

void tell(const StreamOptions& options, const Mechanism& mechanism, const Stream& stream, const Outcome& outcome,
          const char* side) {
  const double rate = outcome.octets * 8000 / std::max(outcome.nanoseconds, 1.0);
  const std::string head = std::string("corbel-ttcp ") + side + ": ";
  std::cout << head << stream.text() << '\n'
            << head << number(outcome.octets) << " octets in " << number(outcome.nanoseconds / 1e9, 3)
            << " s: " << number(rate, 2) << " Mbit/s\n"
            << (outcome.sent
                    ? head + number(*outcome.sent) + " octets sent, " + number(*outcome.sent - outcome.octets) +
                          " lost: " + number(outcome.lost_percent(), 2) + " %\n"
                    : "")
            << head << number(outcome.calls) << " calls, " << number(outcome.nanoseconds / 1e3 / outcome.calls, 2)
            << " us each\n"
            << head << number(outcome.processor.user, 2) << " s user, " << number(outcome.processor.system, 2)
            << " s system\n";
  if (options.json.empty()) return;
  Report report;
  report.machine = this_machine();
  const auto add = [&](const char* metric, const char* unit, double value) {
    Result result{"ttcp-tool", mechanism.case_on(stream.transport), metric, unit, summarise({value})};
    result.of["type"] = stream.type == "struct" ? "BinStruct" : stream.type;
    result.of["side"] = side;
    if (options.queue > 0) result.of["queue"] = std::to_string(options.queue);
    report.results.push_back(std::move(result));
  };
  add("throughput", "Mbit/s", rate);
  if (outcome.sent) add("loss", "%", outcome.lost_percent());
  add("calls", "calls", outcome.calls);
  add("user", "s", outcome.processor.user);
  add("system", "s", outcome.processor.system);
  write_json(report, options.json);
}

ProcessorTime since(const ProcessorTime& before, const ProcessorTime& now) {
  return {now.user - before.user, now.system - before.system};
}

void receive_from(Control& control, const Mechanism& mechanism, const Stream& stream, Served& served,
                  const StreamOptions& options) {
  const ProcessorTime before = processor_time_of(served.process.process());
  control.say("ready " + served.reference);
  std::istringstream words(control.hear(kStream));
  std::string done;
  Outcome outcome;
  if (!(words >> done >> outcome.nanoseconds >> outcome.octets >> outcome.calls) || done != "done" ||
      outcome.calls < 1) {
    throw std::runtime_error("the transmitter does not say how it went");
  }
  if (double sent = 0; words >> sent) outcome.sent = sent;
  outcome.processor = since(before, processor_time_of(served.process.process()));
  served.process.terminate(kEnd);
  tell(options, mechanism, stream, outcome, "-r");
}

/// False if what the transmitter wants is not to be had; both sides are told why.
bool receive_one(Control& control, const StreamOptions& options) {
  const TemporaryFolder folder;
  std::optional<Mechanism> mechanism;
  std::optional<Certificate> certificate;
  std::optional<Served> served;
  Stream stream;
  try {
    stream = wanted(control.hear(kTalk), options, control);
    mechanism = mechanism_of(stream.model, stream.protocol, stream.transport);
    check(*mechanism, stream);
    ChildOptions child;
    if (stream.transport == "tls") serve_with(certificate.emplace(), child);
    set_options(*mechanism, stream.model, options, child);
    const std::string where = is_internet(stream.transport) ? control.own_address() : folder.path() + "/socket";
    served.emplace(start_server(*mechanism, stream.transport, where, {}, child));
  } catch (const std::runtime_error& refusal) {
    std::cerr << "corbel-ttcp -r: refused: " << refusal.what() << "; waiting for the next\n";
    try {
      control.say(std::string("refused ") + refusal.what());
    } catch (const std::runtime_error&) {  // it has gone, and waits for no reason
    }
    return false;
  }
  receive_from(control, *mechanism, stream, *served, options);
  return true;
}

}  // namespace

int receive_stream(const StreamOptions& options) {
  check_writable(options.json);
  Listener listener(options.listen, options.port);
  std::cout << "corbel-ttcp -r: waiting on " << options.listen << ":" << listener.port() << std::endl;
  for (;;) {
    Control control = listener.accept();
    if (receive_one(control, options)) return 0;
  }
}

int transmit_stream(const StreamOptions& options, const std::string& host) {
  const auto either = [](const std::string& given, const char* usual) { return given.empty() ? usual : given; };
  Stream stream{either(options.model, "corbel"), options.protocol, either(options.transport, "tcp"),
                either(options.type, "octet")};
  const Mechanism mechanism = mechanism_of(stream.model, stream.protocol, stream.transport);
  stream.protocol = mechanism.protocol;
  check(mechanism, stream);
  std::set<std::string> modes;
  for (const char* const one : {"oneway", "twoway", "ring"})
    if (mechanism.can(one)) modes.insert(one);
  check(modes.contains(options.mode), stream.model, "mode " + options.mode, modes);
  if (stream.transport == "udp") check_datagrams(stream, options);
  check_writable(options.json);
  ChildOptions child;
  set_options(mechanism, stream.model, options, child);
  if (stream.transport == "tls") trust_anybody(child);
  Control control = connect_to(host, options.port);
  control.say(std::string(kGreeting) + " " + kVersion + " " + stream.text());
  const std::string answer = control.hear(kStart);
  if (answer.starts_with("refused ")) throw std::runtime_error("the receiver refuses: " + answer.substr(8));
  if (!answer.starts_with("ready ")) {
    throw std::runtime_error("what answers at " + host + ":" + std::to_string(options.port) + " is no corbel-ttcp");
  }
  Child client = start_client(mechanism, stream.transport, answer.substr(6), {}, child);
  ask(client, mechanism.label(), "ping 1", kTalk);  // that the connection is made does not count
  const ProcessorTime before = processor_time_of(client.process());
  const std::vector<double> figures = ask(client, mechanism.label(),
                                          "stream " + options.mode + " " + stream.type + " " +
                                              std::to_string(options.buffer) + " " + std::to_string(options.calls),
                                          kStream);
  const Outcome outcome{figures.at(0), figures.at(1), static_cast<double>(options.calls),
                        since(before, processor_time_of(client.process())),
                        figures.size() > 2 ? std::optional(figures[2]) : std::nullopt};
  client.end(kEnd);
  std::ostringstream done;
  done.precision(17);
  done << "done " << outcome.nanoseconds << ' ' << outcome.octets << ' ' << outcome.calls;
  if (outcome.sent) done << ' ' << *outcome.sent;
  control.say(done.str());
  tell(options, mechanism, stream, outcome, "-t");
  return 0;
}

}  // namespace bench
