// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/error.hpp"
#include "corbel/connection/input_memory.hpp"
#include "corbel/connection/outstanding.hpp"
#include "corbel/connection/reading.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::connection {

/// Counts itself while it lives.
class Counted {
 public:
  explicit Counted(std::atomic<unsigned>& count) noexcept : count_(count) { count_.fetch_add(1); }
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<unsigned>& count_;
};

/// A thread that calls over a connection and waits for the reply. Lives on its stack, not longer than the connection.
struct Caller {
  /// What only callers need that share the connection; a caller that is alone must not pay for it.
  struct Listed : UnderWay, Sleeper {
    Listed() noexcept : UnderWay(Kind::caller) {}
    ~Listed() {
      if (account != nullptr) account->give_copy(octets.size());
    }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;
    base::Error error;   ///< why there is no reply
    base::Bytes octets;  ///< the reply, copied by the thread that read it
    std::vector<std::size_t> joints;
    messaging::IncomingReply reply;  ///< views into the copy
    cdr::Format format;              ///< of its body
    std::size_t body_at = 0;
    InputAccount* account = nullptr;  ///< of its connection, if that has paid for the copy
    std::optional<Counted> asks;      ///< within a request that it runs
  };

  Caller() noexcept {}  // NOLINT: the implicit one fills the room of `listed` with zeros

  messaging::Token token = 0;
  bool reading = false;  ///< it reads the connection
  std::optional<Listed> listed;
};

}  // namespace corbel::connection
