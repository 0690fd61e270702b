// SPDX-License-Identifier: Apache-2.0
// What stands between clients and a server: it takes connections, makes one to the server for each, and hands over the
// octets of both ways.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "corbel/ior/ior.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

namespace CLI {
class App;
}

namespace corbel::tool {

/// Which way octets go: from the client to the server, or back.
enum class Way : std::uint8_t { there, back };
inline std::size_t index(Way way) {
  return static_cast<std::size_t>(way);
}

/// A client's connection and the one to the server that belongs to it.
class Link {
 public:
  /// Sends on, waiting while the receiver is slow; false if it has gone. One thread at a time for each way.
  virtual bool send(Way way, base::ConstByteSpan octets) = 0;
  /// No more will come this way: the receiver sees the end. After send().
  virtual void finish(Way way) = 0;
  /// Ends both connections at once; with `reset` the peers see a reset, and what is under way is lost. Any thread.
  virtual void cut(bool reset) = 0;
  /// True once it was cut. Any thread.
  virtual bool broken() const = 0;

 protected:
  ~Link() = default;
};

/// What is done with the octets of one link. One thread calls for each way.
class Talk {
 public:
  virtual ~Talk() = default;
  /// Octets have come; the Talk sends them, or what it makes of them. False ends the link.
  virtual bool octets(Way way, base::ConstByteSpan octets, Link& link) = 0;
  /// The sender has no more.
  virtual void end(Way way, Link& link) { link.finish(way); }
};

/// The two sides that a link joins.
struct Ends {
  unsigned number = 0;  ///< of the link, counted from 1
  ipc::InetAddress client;
  ipc::InetAddress server;
};

struct RelayOptions {
  std::string listen = "127.0.0.1:0";  ///< HOST:PORT
  std::string publish;                 ///< host in the reference for clients; that of `listen` if empty
  long connect_timeout = 5000;         ///< milliseconds
  int most_links = 64;
};
/// Adds --listen, --publish, --ior-file and so on. `options` and `ior_file` must live as long as the command.
void add_relay_options(CLI::App& command, RelayOptions& options, std::string& ior_file);

/// Takes connections at one address and passes them on to another. Thread-safe.
class Relay {
 public:
  using MakeTalk = std::function<std::unique_ptr<Talk>(const Ends& ends)>;

  /// Listens. `host` and `port` are the server's. Throws std::runtime_error if that cannot be.
  Relay(const RelayOptions& options, std::string host, std::uint16_t port, MakeTalk make);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  ipc::InetAddress address() const { return address_; }
  /// The given reference with this relay in the place of its server: one IIOP profile, nothing that leads past it.
  ior::Ior through(const ior::Ior& ior) const;
  /// Serves until stop(), from another thread than stop() is called on.
  void run();
  /// Ends all links, and run().
  void stop();
  /// Cuts all links that there are; how many.
  std::size_t cut(bool reset);

 private:
  class Wire;

  void begin(ipc::TcpStream client, unsigned number);
  void clear_ended(bool all);

  const RelayOptions options_;
  const std::string host_;
  const std::uint16_t port_;
  const MakeTalk make_;
  ipc::TcpAcceptor acceptor_;
  ipc::InetAddress address_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  std::list<std::shared_ptr<Wire>> wires_;
  bool stopped_ = false;
};

/// The address and the object key of what a reference leads to: its first IIOP profile. Throws std::runtime_error if
/// it has none, or is only to be reached by TLS.
struct Target {
  ior::Ior ior;
  std::string host;
  std::uint16_t port = 0;
};
Target relay_target(const std::string& reference);

/// Runs the relay until SIGINT, SIGTERM or end_serving(). Call block_signals() first, before any thread is made; from
/// then on a reader that goes away does not end the process either.
void block_signals();
void wait_for_end();
void serve(Relay& relay);
/// Takes the end if it comes before anybody waits for it: true.
bool end_comes_within(std::chrono::milliseconds time);
/// Whether wait_for_end() or end_comes_within() has seen the end. Thread-safe.
bool end_came();
/// Makes serve() and wait_for_end() return. Thread-safe.
void end_serving();

/// Says on standard output how clients get through the relay (as a line of text or of JSON), and writes that reference
/// into `ior_file` unless that is empty.
void announce(const Relay& relay, const Target& target, const std::string& ior_file, bool json);

}  // namespace corbel::tool
