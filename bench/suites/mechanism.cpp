// SPDX-License-Identifier: Apache-2.0
#include "suites/mechanism.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

constexpr std::chrono::seconds kStartTimeout(60);
constexpr std::chrono::seconds kCommandTimeout(120);
constexpr std::chrono::seconds kEndTimeout(20);

std::vector<std::string> with_tool(std::vector<std::string> tool, const std::vector<std::string>& argv) {
  tool.insert(tool.end(), argv.begin(), argv.end());
  return tool;
}

/// What follows "ready" in the first line.
std::string reference_of(Child& server) {
  const std::string line = server.read_line(kStartTimeout);
  if (!line.starts_with("ready ")) throw std::runtime_error("a server said: " + line);
  return line.substr(6);
}

struct Peer {
  const char* name;      ///< corbel-bench-NAME is the program
  const char* packages;  ///< of Debian, that it is built with; null: always there
};
constexpr Peer kPeers[] = {
    {"plain", nullptr},
    {"wrappers", nullptr},
    {"corbel", nullptr},
    {"omniorb", "omniorb omniidl libomniorb4-dev"},
    {"omniorb-newer", "python3-venv; ./dev bench then fetches omniORB from PyPI"},
    {"rpc", "libtirpc-dev rpcsvc-proto"},
    {"zeromq", "libzmq3-dev"},
    {"capnp", "libcapnp-dev capnproto"},
    {"ice", "libzeroc-ice-dev zeroc-ice-compilers"},
    {"grpc", "libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc"},
    {"jacorb", "default-jdk-headless maven; ./dev bench --peers then fetches JacORB from Maven Central"},
    {"openmpi", "openmpi-bin libopenmpi-dev"},
    {"pvm", "pvm pvm-dev"},
};

std::set<std::string> words_of(std::istream& lines) {
  std::string line;
  std::getline(lines, line);
  std::istringstream text(line);
  std::set<std::string> words;
  std::string word;
  for (text >> word; text >> word;) words.insert(word);  // the first one names the line
  return words;
}

bool is_lent(std::string_view protocol) {
  return protocol.ends_with("-lent");
}

/// One mechanism per protocol of a peer; none if there is no such program.
std::vector<Mechanism> mechanisms_of(const std::string& peer, const std::string& program) {
  if (access(program.c_str(), X_OK) != 0) return {};
  std::istringstream lines(output_of({program, "about"}, std::chrono::seconds(10)));
  std::string name;
  std::getline(lines, name);
  if (const std::size_t blank = name.find(' '); blank != std::string::npos) name[blank] = '-';
  if (peer == "plain" || peer == "openssl") name = "raw";
  if (peer == "wrappers") name = peer;
  if (peer == "corbel") name = peer;
  const std::set<std::string> protocols = words_of(lines);
  const std::set<std::string> transports = words_of(lines);
  const std::set<std::string> commands = words_of(lines);
  const std::set<std::string> types = words_of(lines);
  std::vector<Mechanism> found;
  for (const std::string& protocol : protocols) {
    found.push_back({name, protocol, program, transports, commands, types});
    if (is_lent(protocol)) {
      found.back().transports = {"shm"};
      found.back().commands = {"oneway", "twoway"};
      found.back().types = {"octet", "struct"};
    }
  }
  return found;
}

std::vector<Mechanism> mechanisms_of(const std::string& peer) {
  return mechanisms_of(peer, beside("corbel-bench-" + peer));
}

void note_version(Machine& machine, const std::string& peer, const std::string& orb) {
  if (peer == "plain" || peer == "wrappers" || peer == "corbel") return;
  machine.versions[peer] = orb.substr(orb.rfind('-') + 1);
}

/// What few suites measure.
bool is_special(std::string_view protocol) {
  return protocol.ends_with("spin") || is_lent(protocol);
}

bool wanted(const std::string& orb, const std::vector<std::string>& only) {
  return only.empty() || orb == "raw" ||
         std::any_of(only.begin(), only.end(), [&](const std::string& name) { return orb.starts_with(name); });
}

}  // namespace

bool is_inside(const std::string& transport) {
  return transport == "inproc" || transport == "collocated";
}

std::string Mechanism::label() const {
  const bool usual = protocol == "none" || (protocol == "giop" && orb != "corbel");
  return usual ? orb : orb + " " + protocol;
}

std::string beside(const std::string& name) {
  const std::string own = own_path();
  return own.substr(0, own.rfind('/') + 1) + name;
}

std::vector<Mechanism> find_all_mechanisms(Machine& machine, const std::vector<std::string>& only, bool special) {
  std::vector<Mechanism> all;
  for (const Peer& peer : kPeers) {
    const std::vector<Mechanism> found = mechanisms_of(peer.name);
    if (found.empty()) machine.versions[peer.name] = "absent";
    if (found.empty() && (peer.name == std::string("plain") || peer.name == std::string("corbel"))) {
      throw std::runtime_error("corbel-bench-plain and corbel-bench-corbel must lie beside " + own_path());
    }
    for (const Mechanism& mechanism : found) {
      if (!wanted(mechanism.orb, only) || (is_special(mechanism.protocol) && !special)) continue;
      all.push_back(mechanism);
      note_version(machine, peer.name, mechanism.orb);
    }
  }
  return all;
}

std::vector<Mechanism> find_mechanisms(Machine& machine, bool with_giop_lite) {
  std::vector<Mechanism> found = find_all_mechanisms(machine, {"corbel", "omniORB"});
  std::erase_if(found, [&](const Mechanism& one) { return one.protocol == "giop_lite" && !with_giop_lite; });
  return found;
}

std::vector<Mechanism> corbel_in(const std::string& folder) {
  const std::string program = folder + "/corbel-bench-corbel";
  std::vector<Mechanism> found = mechanisms_of("corbel", program);
  if (found.empty()) throw std::runtime_error("there is no " + program);
  return found;
}

bool survives(const Mechanism& mechanism, const std::function<void()>& part) try {
  part();
  return true;
} catch (const std::runtime_error& failure) {
  if (mechanism.orb == "raw" || mechanism.orb == "wrappers" || mechanism.orb == "corbel") throw;
  std::cerr << "\nGoing on without " << mechanism.label() << ": " << failure.what() << '\n';
  return false;
}

void print_peers() {
  std::cout << "Peers of the laboratory:\n";
  for (const Peer& peer : kPeers) {
    const std::vector<Mechanism> found = mechanisms_of(peer.name);
    std::cout << "  " << peer.name << ": ";
    if (!found.empty()) {
      std::cout << "found" << (peer.packages != nullptr ? ", " + found[0].orb : "") << '\n';
    } else {
      std::cout << "not built; install " << (peer.packages != nullptr ? peer.packages : "nothing, build corbel-bench")
                << '\n';
    }
  }
  std::cout << "In the source tree, ./dev bench --peers installs and builds what can be.\n";
}

std::vector<Mechanism> find_peer(const std::string& name) {
  return mechanisms_of(name);
}

std::string packages_of(const std::string& name) {
  for (const Peer& peer : kPeers) {
    if (peer.name == name && peer.packages != nullptr) return peer.packages;
  }
  return {};
}

std::string type_name(const std::string& type) {
  if (type == "padded") return "padded BinStruct";
  return type == "struct" ? "BinStruct" : type;
}

Served start_server(const Mechanism& mechanism, const std::string& transport, const std::string& where,
                    const std::vector<std::string>& tool, const ChildOptions& options) {
  Child process(with_tool(tool, {mechanism.program, "server", mechanism.protocol, transport, where}), options);
  std::string reference = reference_of(process);
  return {std::move(process), std::move(reference)};
}

Child start_client(const Mechanism& mechanism, const std::string& transport, const std::string& reference,
                   const std::vector<std::string>& tool, const ChildOptions& options) {
  Child client(with_tool(tool, {mechanism.program, "client", mechanism.protocol, transport, reference}), options);
  if (client.read_line(kStartTimeout) != "ready") {
    throw std::runtime_error(mechanism.label() + " over " + transport + ": the client does not start");
  }
  return client;
}

std::vector<double> ask(Child& client, const std::string& label, const std::string& text,
                        std::chrono::seconds timeout) {
  client.write_line(text);
  const std::string answer = client.read_line(timeout);
  if (!answer.starts_with("ok")) throw std::runtime_error(label + ": " + text + ": " + answer);
  std::istringstream words(answer.substr(2));
  std::vector<double> values;
  for (double value = 0; words >> value;) values.push_back(value);
  return values;
}

void serve_with(const Certificate& certificate, ChildOptions& server) {
  server.environment.push_back("CORBEL_TLS_CERTIFICATE=" + certificate.file());
  server.environment.emplace_back("CORBEL_TLS_VERIFY_CLIENTS=off");
}

void trust_anybody(ChildOptions& client) {
  client.environment.emplace_back("CORBEL_TLS_VERIFY_SERVER=off");
}

std::vector<Mechanism> find_tls_sockets() {
  return find_peer("openssl");
}

void set_queues(const Mechanism& mechanism, int octets, ChildOptions& options) {
  if (octets == 0) return;
  options.environment.push_back("CORBEL_BENCH_QUEUE=" + std::to_string(octets));
  if (!mechanism.can("queues")) options.environment.push_back("LD_PRELOAD=" + beside("libcorbel-bench-queues.so"));
}

Pair::Pair(const Mechanism& mechanism, const std::string& transport, const std::string& path,
           const Placement& placement)
    : label_(mechanism.label() + " over " + transport), spins_(mechanism.spins()) {
  if (!is_inside(transport)) {
    Served served = start_server(mechanism, transport, is_internet(transport) ? placement.host : path,
                                 placement.server_tool, placement.server);
    server_.emplace(std::move(served.process));
    reference_ = std::move(served.reference);
  }
  client_.emplace(start_client(mechanism, transport, reference_, placement.client_tool, placement.client));
  let_server_run(false);
}

void Pair::let_server_run(bool on) const {
  if (spins_ && server_) kill(server_->process(), on ? SIGCONT : SIGSTOP);
}

std::vector<double> Pair::command(const std::string& text) {
  let_server_run(true);
  std::vector<double> values = ask(*client_, label_, text, kCommandTimeout);
  let_server_run(false);
  return values;
}

void Pair::end() {
  let_server_run(true);
  client_->end(kEndTimeout);
  if (server_) server_->terminate(kEndTimeout);
}

}  // namespace bench
