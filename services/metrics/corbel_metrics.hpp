// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <corbel/corbel.hpp>

/// Counts and times of calls, in the text format of Prometheus. An application that wants them has two more lines:
///
///   corbel::metrics::Metrics metrics;              // before ORB_init
///   auto orb = CORBA::ORB_init(argc, argv);
///   metrics.watch(orb);                            // connections, too
///   metrics.serve("127.0.0.1:9464");               // http://127.0.0.1:9464/metrics
///
/// ORBs of programs that do not use this pay nothing. Those that do pay for two portable interceptors: for each call on
/// each side two short locks, a look-up by the operation's name and a few atomic additions.
namespace corbel::metrics {

/// All calls of the ORBs that are made while this lives, by operation, and how they ended. Thread-safe.
class Metrics {
 public:
  Metrics();
  /// Stops serving. Calls are not counted any more.
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Has the ORB's connections and queues shown, too, until it is destroyed. Does not keep it alive.
  void watch(const IDL::traits<CORBA::ORB>::ref_type& orb);
  /// What there is now: text/plain; version=0.0.4.
  std::string text() const;
  /// Answers HTTP requests for it from a thread of its own: "HOST:PORT", "[::1]:PORT"; port 0 takes any. One endpoint
  /// only. Clients are answered one after the other and have two seconds each; there is no access control, so choose
  /// an address that only friends reach. Throws std::runtime_error if it cannot listen there.
  void serve(const std::string& address);
  /// Answers CORBA clients, too: registers an object (CorbelMetrics.idl) as the initial reference "CorbelMetrics" of
  /// the ORB, so that corbaloc::host:port/CorbelMetrics of this server leads to it, and leaves the root POA's manager
  /// as it is. Every client that can connect can then read the metrics. When this is gone, the object does not exist.
  /// Throws CORBA exceptions: ORB::InvalidName the second time.
  void serve(const IDL::traits<CORBA::ORB>::ref_type& orb);
  /// Where it serves; 0 if it does not.
  std::uint16_t port() const noexcept;

 private:
  class Endpoint;
  struct Parts;
  static std::string text(const Parts& parts);

  const std::shared_ptr<Parts> parts_;
  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace corbel::metrics
