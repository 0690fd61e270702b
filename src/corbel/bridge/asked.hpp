// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::bridge {

/// What a client wants: a request or a question where an object is, as it came. Views into the client's message, until
/// keep() makes them views into a copy. Used by one thread at a time.
class Asked {
 public:
  enum class Kind : std::uint8_t { request, location };

  /// `passes_contexts`: the client's protocol has them.
  Asked(const messaging::IncomingRequest& request, const cdr::Decoder& body, bool passes_contexts);
  /// Where the object is. It is asked what every object can be asked over any protocol: whether it does not exist.
  explicit Asked(const messaging::IncomingLocateRequest& request);
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  Kind kind() const noexcept { return kind_; }
  const messaging::Origin& origin() const noexcept { return origin_; }
  messaging::Response response() const noexcept { return response_; }
  bool wants_reply() const noexcept { return response_ != messaging::Response::none; }
  std::string_view operation() const noexcept { return operation_; }
  const cdr::Decoder& body() const noexcept { return body_; }
  /// Those that go along.
  const std::vector<messaging::ServiceContext>& contexts() const noexcept { return contexts_; }
  /// How many bridges it has passed before this one.
  std::uint32_t bridges() const noexcept { return bridges_; }

  /// What a copy of all of it takes; 0: it cannot be copied.
  std::size_t size() const noexcept;
  /// The message may go: all of it is in a copy then. Throws std::bad_alloc and leaves it as it is.
  void keep(const cdr::Limits& limits);
  /// The message may go, and all but the operation's name with it.
  void let_go() noexcept;
  /// False after let_go().
  bool is_whole() const noexcept { return whole_; }

  /// True for contexts that are passed on; others belong to the connection that they came over, or to this bridge.
  static bool passes(const messaging::ServiceContext& context) noexcept;
  /// Says nothing; moves the body of a GIOP 1.0 or 1.1 message by 4 octets (modulo 8). "CBLp".
  static constexpr std::uint32_t kPaddingContext = 0x43424c70;
  /// How many bridges a request has passed, as an encapsulated unsigned long. "CBLh".
  static constexpr std::uint32_t kBridgesContext = 0x43424c68;

 private:
  const Kind kind_;
  const messaging::Origin origin_;
  const messaging::Response response_;
  bool whole_ = true;
  std::uint32_t bridges_ = 0;
  std::string_view operation_;
  std::vector<messaging::ServiceContext> contexts_;
  cdr::Decoder body_;
  base::Bytes copy_;
};

}  // namespace corbel::bridge
