// SPDX-License-Identifier: Apache-2.0
#include "suites/mechanism.hpp"

#include <unistd.h>

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

/// "omniORB 4.2.5" of a peer, with a dash; empty if there is no such program.
std::string name_of(const std::string& program) {
  if (access(program.c_str(), X_OK) != 0) return {};
  std::string text = output_of({program, "about"}, std::chrono::seconds(10));
  text = text.substr(0, text.find('\n'));
  if (const std::size_t blank = text.find(' '); blank != std::string::npos) text[blank] = '-';
  return text;
}

}  // namespace

std::string Mechanism::label() const {
  return orb == "corbel" ? orb + " " + protocol : orb;
}

std::string beside(const std::string& name) {
  const std::string own = own_path();
  return own.substr(0, own.rfind('/') + 1) + name;
}

std::vector<Mechanism> find_mechanisms(Machine& machine, bool with_giop_lite) {
  const std::string plain = beside("corbel-bench-plain");
  const std::string corbel = beside("corbel-bench-corbel");
  if (name_of(plain).empty() || name_of(corbel).empty()) {
    throw std::runtime_error("corbel-bench-plain and corbel-bench-corbel must lie beside " + own_path());
  }
  std::vector<Mechanism> found{{"raw", "none", plain}, {"corbel", "giop", corbel}};
  if (with_giop_lite) found.push_back({"corbel", "giop_lite", corbel});
  for (const char* const name : {"omniorb", "omniorb-newer"}) {
    const std::string program = beside(std::string("corbel-bench-") + name);
    const std::string orb = name_of(program);
    if (orb.empty()) continue;
    found.push_back({orb, "giop", program});
    machine.versions[name] = orb.substr(orb.find('-') + 1);
  }
  return found;
}

Pair::Pair(const Mechanism& mechanism, const std::string& transport, const std::string& path,
           const Placement& placement)
    : label_(mechanism.label() + " over " + transport),
      server_(with_tool(placement.server_tool, {mechanism.program, "server", mechanism.protocol, transport, path}),
              placement.server) {
  const std::string reference = reference_of(server_);
  client_.emplace(
      with_tool(placement.client_tool, {mechanism.program, "client", mechanism.protocol, transport, reference}),
      placement.client);
  if (client_->read_line(kStartTimeout) != "ready") throw std::runtime_error(label_ + ": the client does not start");
}

std::vector<double> Pair::command(const std::string& text) {
  client_->write_line(text);
  const std::string answer = client_->read_line(kCommandTimeout);
  if (!answer.starts_with("ok")) throw std::runtime_error(label_ + ": " + text + ": " + answer);
  std::istringstream words(answer.substr(2));
  std::vector<double> values;
  for (double value = 0; words >> value;) values.push_back(value);
  return values;
}

void Pair::end() {
  client_->end(kEndTimeout);
  server_.terminate(kEndTimeout);
}

}  // namespace bench
