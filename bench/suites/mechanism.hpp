// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/certificate.hpp"
#include "common/child.hpp"
#include "common/results.hpp"
#include "common/usage.hpp"

namespace bench {

/// One way to call or to stream: a program of peers/ and the message protocol it shall speak.
struct Mechanism {
  std::string orb;                        ///< "raw", "corbel", "omniORB-4.2.5": the `orb` of a case
  std::string protocol;                   ///< "none", "giop", "giop_lite"; "spin", "giop-spin" if it spins; "giop-lent"
  std::string program;                    ///< path
  std::set<std::string> transports = {};  ///< of its peer::About
  std::set<std::string> commands = {};    ///< of its peer::About
  std::set<std::string> types = {};       ///< of its peer::About

  Case case_on(const std::string& transport) const {
    return {{"orb", orb}, {"protocol", protocol}, {"transport", transport}};
  }
  /// For people: "corbel giop_lite", "omniORB-4.2.5".
  std::string label() const;
  bool over(const std::string& transport) const { return transports.contains(transport); }
  bool can(const std::string& command) const { return commands.contains(command); }
  /// It asks again and again while it waits.
  bool spins() const { return protocol.ends_with("spin") || can("spins"); }
};

/// Those whose programs lie beside this one, the raw sockets first, then Corbel, then omniORB. Notes their versions
/// in the machine. Throws std::runtime_error if the first two are not there.
std::vector<Mechanism> find_mechanisms(Machine& machine, bool with_giop_lite = true);

/// Every mechanism there is: the raw sockets first, then the wrapper facades, Corbel, omniORB and the optional peers.
/// `only`: names that a mechanism's orb must begin with, "raw" is always there; empty: all. `special`: also the raw
/// sockets and the Corbel that do not sleep at once, and the Corbel that sends from lent memory.
std::vector<Mechanism> find_all_mechanisms(Machine& machine, const std::vector<std::string>& only,
                                           bool special = false);

/// True of transports whose servers listen at an Internet address.
inline bool is_internet(const std::string& transport) {
  return transport == "tcp" || transport == "udp" || transport == "tls" || transport == "rudp";
}
/// True of transports with which the client's process is the server, too.
bool is_inside(const std::string& transport);

/// The Corbel whose laboratory was built in a folder, one mechanism per protocol. Throws std::runtime_error if there is
/// none.
std::vector<Mechanism> corbel_in(const std::string& folder);

/// What a peer of this name (its program is corbel-bench-NAME) offers, one mechanism per protocol; none if it was not
/// built.
std::vector<Mechanism> find_peer(const std::string& name);
/// What a peer needs to be built, for people: packages of Debian; empty if that is nothing.
std::string packages_of(const std::string& name);

/// Prints which optional peers were found, and what to install for the others.
void print_peers();

/// Runs a part of a measurement. False if that failed and the mechanism shall be left out from now on, which standard
/// error tells; failures of the raw sockets, the wrappers and Corbel are thrown on.
bool survives(const Mechanism& mechanism, const std::function<void()>& part);

/// A path beside the running program.
std::string beside(const std::string& name);

/// How the two processes of a mechanism are started.
struct Placement {
  std::vector<std::string> server_tool = {};  ///< what the program runs under: "valgrind" and its options
  std::vector<std::string> client_tool = {};
  ChildOptions server = {};
  ChildOptions client = {};
  std::string host = "127.0.0.1";  ///< where a server listens, over tcp and udp
};

/// A server that runs, and the text that leads to it.
struct Served {
  Child process;
  std::string reference;
};

/// A type of a stream for people: "BinStruct" of "struct".
std::string type_name(const std::string& type);

/// Starts one half of a mechanism; returns when it is ready. `where` is the address to listen on, or the path of a
/// local socket; `tool` is what the program runs under. Throw std::runtime_error.
Served start_server(const Mechanism& mechanism, const std::string& transport, const std::string& where,
                    const std::vector<std::string>& tool, const ChildOptions& options);
Child start_client(const Mechanism& mechanism, const std::string& transport, const std::string& reference,
                   const std::vector<std::string>& tool, const ChildOptions& options);

/// Sends a command of peers/peer.hpp to a client and returns the numbers of its answer. Throws std::runtime_error with
/// what the client said if that failed; `label` names it there.
std::vector<double> ask(Child& client, const std::string& label, const std::string& text, std::chrono::seconds timeout);

/// Makes a server over TLS show this certificate, which must outlive it, and ask for none: what is measured is the
/// traffic.
void serve_with(const Certificate& certificate, ChildOptions& server);
/// Makes a client over TLS believe any server.
void trust_anybody(ChildOptions& client);
/// The sockets with OpenSSL: the control of what goes over TLS, an "orb" named raw. Empty if they are not built.
std::vector<Mechanism> find_tls_sockets();

/// Makes a process of the mechanism ask for socket queues of so many octets; 0: leaves the system's.
void set_queues(const Mechanism& mechanism, int octets, ChildOptions& options);

/// A server and a client of one mechanism that have found each other. Over inproc and collocated, one process is both.
/// A server that spins is stopped between commands: it must not take the processor from what is measured in turn with
/// it.
class Pair {
 public:
  /// `path` is where the socket of a local transport goes.
  Pair(const Mechanism& mechanism, const std::string& transport, const std::string& path,
       const Placement& placement = {});

  /// Sends a command of peers/peer.hpp to the client and returns the numbers of its answer.
  std::vector<double> command(const std::string& text);
  const Child& client() const { return *client_; }
  /// The client where there is no other process.
  const Child& server() const { return server_ ? *server_ : *client_; }
  /// The texts that lead to the server.
  const std::string& reference() const { return reference_; }
  /// Ends the client by ending its input, then the server by SIGTERM.
  void end();

 private:
  void let_server_run(bool on) const;

  std::string label_;
  bool spins_;
  std::string reference_;
  std::optional<Child> server_;
  std::optional<Child> client_;
};

}  // namespace bench
