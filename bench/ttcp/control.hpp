// SPDX-License-Identifier: Apache-2.0
// The conversation of two corbel-ttcp beside what they measure: lines over TCP (IPv4).
//
//     transmitter: corbel-ttcp 1 MODEL PROTOCOL TRANSPORT TYPE
//     receiver:    ready REFERENCE | refused WHY
//     transmitter: done NANOSECONDS OCTETS CALLS       when all has arrived
#pragma once

#include <chrono>
#include <string>

namespace bench {

/// One end of a connection. One thread uses it.
class Control {
 public:
  explicit Control(int handle) noexcept : handle_(handle) {}
  ~Control();
  Control(Control&& other) noexcept;
  Control& operator=(Control&&) = delete;

  /// Throws std::runtime_error if the other side has gone.
  void say(const std::string& line);
  /// The next line, without the newline. Throws std::runtime_error if the other side goes, does not send it in time or
  /// sends more than 64 KiB without an end.
  std::string hear(std::chrono::seconds timeout);
  /// Numeric address of this end: where the other side can reach this machine.
  std::string own_address() const;
  /// True if both ends are on the same machine, as far as addresses tell.
  bool is_local() const;

 private:
  int handle_;
  std::string buffer_;  ///< read, not yet given out
};

/// Listens for transmitters.
class Listener {
 public:
  /// `address` is numeric; port 0: the system chooses. Throws std::runtime_error.
  Listener(const std::string& address, int port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const;
  Control accept();

 private:
  int handle_;
};

/// Connects to a receiver. Throws std::runtime_error that says what to do.
Control connect_to(const std::string& host, int port);

}  // namespace bench
