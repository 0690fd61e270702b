// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <corbel/corbel.hpp>

/// Spans of calls, sent to a collector by OpenTelemetry's protocol (OTLP over HTTP, JSON). An application that wants
/// them has one more line:
///
///   corbel::tracing::Tracer tracer({.service = "plant"});    // before ORB_init
///
/// Each call is a span on each side. The context of W3C's Trace Context goes along in a service context, so that the
/// calls that a servant makes for a request belong to the same trace. ORBs of programs that do not use this pay
/// nothing.
namespace corbel::tracing {

/// What the environment says where a member is empty is in docs/tracing.md.
struct Settings {
  std::string service{};  ///< this process's name in traces; empty: OTEL_SERVICE_NAME, or the program's name
  std::string
      endpoint{};  ///< http:// or https://, "/v1/traces" is appended; empty: the environment's, or localhost:4318
  std::map<std::string, std::string> attributes{};  ///< of the process, such as {"deployment.environment", "test"}
  /// Of the traces that begin here, from 0 to 1. Those that come in are followed as their caller decided.
  double share = 1;
  std::chrono::milliseconds interval{1000};  ///< how long spans wait for others to leave with
  std::size_t most_waiting = 4096;           ///< spans; newer ones are dropped while the collector takes none
};

/// Since the Tracer was made. Each finished span is in the end sent or dropped.
struct Figures {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;
  std::uint64_t waiting = 0;
  std::string last_error;  ///< of the collector, or of the way there; empty after a success
};

/// All calls of the ORBs that are made while this lives. Thread-safe. A call never waits for the collector.
class Tracer {
 public:
  /// Throws std::invalid_argument if the endpoint is no URL of HTTP, or a figure is out of its range.
  explicit Tracer(Settings settings = {});
  /// Sends what waits, for two seconds at most. Calls make no spans any more.
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Sends what waits now; true if all of it has been taken by the deadline.
  bool flush(std::chrono::milliseconds most = std::chrono::seconds(10));
  Figures figures() const;

 private:
  friend class Span;
  struct Parts;
  const std::shared_ptr<Parts> parts_;
};

/// A span of the application's own, from construction to destruction: what this thread does meanwhile, calls
/// included, is below it. Must end on the thread that made it, before those that were made earlier there.
class Span {
 public:
  Span(Tracer& tracer, std::string_view name);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void set(std::string_view key, std::string_view value);
  /// It ended in an error.
  void failed(std::string_view why);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// The context of what this thread does, "00-TRACE-SPAN-FLAGS" as in the HTTP header `traceparent`: for log lines, and
/// for what is not CORBA. Empty outside requests and spans.
std::string traceparent();

}  // namespace corbel::tracing
