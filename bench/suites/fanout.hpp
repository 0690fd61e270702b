// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suites/mechanism.hpp"

namespace bench {

/// A server that is told how to learn which of its connections has octets.
struct Multiplexing {
  Mechanism mechanism;
  std::string name;                             ///< the `concurrency` of a case
  std::vector<std::string> server_environment;  ///< "NAME=value"
  std::vector<std::string> client_environment;  ///< what lets a client have as many connections as it is asked for
};

/// Descriptors that this process and its children may open, raised as far as allowed.
std::size_t raise_descriptors();

/// Raw sockets (a thread per connection, poll, epoll), Corbel in each -ORBConcurrency, omniORB, those of them that are
/// there. Notes their versions in the machine.
std::vector<Multiplexing> all_multiplexing(Machine& machine, const std::vector<std::string>& only);

/// One server under many names, so that a client of these has a connection for each: links to the server's local
/// socket.
class ServerNames {
 public:
  /// Makes links from 0 to count - 1 in `folder`, to the socket that the server will make there.
  ServerNames(const std::string& folder, std::size_t count);
  /// Where the server shall listen.
  const std::string& path() const { return path_; }
  /// For clients: the server's reference with a '*' where the number of a name goes.
  std::string reference(const Mechanism& mechanism, const std::string& reference) const;

 private:
  std::string folder_;
  std::string path_;
};

/// True if a function's purpose is to find the connection that has octets (of a server), or the connection to call over
/// (of a client); by its name, as callgrind tells it.
bool finds_octets(const std::string& function);
bool chooses_connection(const std::string& function);

}  // namespace bench
