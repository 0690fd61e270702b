// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/child.hpp"
#include "common/results.hpp"

namespace bench {

/// One way to call or to stream: a program of peers/ and the message protocol it shall speak.
struct Mechanism {
  std::string orb;       ///< "raw", "corbel", "omniORB-4.2.5": the `orb` of a case
  std::string protocol;  ///< "none", "giop", "giop_lite"
  std::string program;   ///< path

  Case case_on(const std::string& transport) const {
    return {{"orb", orb}, {"protocol", protocol}, {"transport", transport}};
  }
  /// For people: "corbel giop_lite", "omniORB-4.2.5".
  std::string label() const;
};

/// Those whose programs lie beside this one, the raw sockets first, then Corbel, then the others. Notes their versions
/// in the machine. Throws std::runtime_error if the first two are not there.
std::vector<Mechanism> find_mechanisms(Machine& machine, bool with_giop_lite = true);

/// A path beside the running program.
std::string beside(const std::string& name);

/// How the two processes of a mechanism are started.
struct Placement {
  std::vector<std::string> server_tool = {};  ///< what the program runs under: "valgrind" and its options
  std::vector<std::string> client_tool = {};
  ChildOptions server = {};
  ChildOptions client = {};
};

/// A server and a client of one mechanism that have found each other.
class Pair {
 public:
  /// `path` is where a unix socket goes.
  Pair(const Mechanism& mechanism, const std::string& transport, const std::string& path,
       const Placement& placement = {});

  /// Sends a command of peers/peer.hpp to the client and returns the numbers of its answer.
  std::vector<double> command(const std::string& text);
  /// Ends the client by ending its input, then the server by SIGTERM.
  void end();

 private:
  std::string label_;
  Child server_;
  std::optional<Child> client_;
};

}  // namespace bench
