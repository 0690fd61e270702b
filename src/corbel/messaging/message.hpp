// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ior/ior.hpp"

/// What requests and replies are to the rest of the ORB, whatever message protocol carries them.
namespace corbel::messaging {

using ior::Version;

/// When a oneway call returns and whether the server answers (Messaging::SyncScope). The values are GIOP 1.2's
/// response_flags (CORBA 3.3 part 2, 9.4.2.1).
enum class Response : std::uint8_t { none = 0, with_server = 1, with_target = 3 };

/// CORBA 3.3 part 2, 9.4.3.
enum class ReplyStatus : std::uint32_t {
  no_exception = 0,
  user_exception = 1,
  system_exception = 2,
  location_forward = 3,
  location_forward_perm = 4,
  needs_addressing_mode = 5,
};

/// CORBA 3.3 part 2, 9.4.6.
enum class LocateStatus : std::uint32_t {
  unknown_object = 0,
  object_here = 1,
  object_forward = 2,
  object_forward_perm = 3,
  system_exception = 4,
  needs_addressing_mode = 5,
};

/// A service context to send, or one found in a received message (in place).
struct ServiceContext {
  std::uint32_t id = 0;
  base::ConstByteSpan data;
};

/// Service contexts of a received message, in place. A view; dies with the message.
class CORBEL_API ServiceContextView {
 public:
  ServiceContextView() noexcept = default;
  /// `entries` are the octets after the list's count, at a multiple of 4 in the message and known to be whole;
  /// `swapped` if they are not in this machine's byte order.
  ServiceContextView(base::ConstByteSpan entries, std::uint32_t count, bool swapped) noexcept
      : entries_(entries), count_(count), swapped_(swapped) {}
  std::uint32_t count() const noexcept { return count_; }
  /// The first context with the id, if any: true and `data` set.
  bool find(std::uint32_t id, base::ConstByteSpan& data) const noexcept;
  /// Calls `visit` for each, in order.
  void for_each(base::FunctionRef<void(const ServiceContext&)> visit) const;
  /// The same contexts in a copy of the message: `from` is where it began, `to` where the copy does.
  ServiceContextView moved(const base::Octet* from, const base::Octet* to) const noexcept {
    if (count_ == 0) return {};
    return {{to + (entries_.data() - from), entries_.size()}, count_, swapped_};
  }

 private:
  /// Reads the context at `offset` and advances it to the next.
  ServiceContext next(std::size_t& offset) const noexcept;

  base::ConstByteSpan entries_;
  std::uint32_t count_ = 0;
  bool swapped_ = false;
};

/// Ties a reply to its request on the side that sent the request: made by Session::next_token(), given to
/// Session::put_request(), and found again in IncomingReply.
using Token = std::uint32_t;

/// Ties a reply to its request on the side that received the request. What it says only the session knows that made it.
struct Origin {
  std::uint32_t id = 0;
  std::uint8_t version = 0;
};

/// How a request is written that is not as usual: what it names its target by, where the peer does not take a mere key
/// (CORBA 3.3 part 2, 9.4.2.1), and its byte order. A value.
struct TargetAddress {
  enum class By : std::uint16_t { key = 0, profile = 1, reference = 2 };

  By by = By::profile;
  ior::Ior ior;                ///< the reference that leads there
  std::uint32_t selected = 0;  ///< by which of its profiles
  /// The body is in the byte order that is not this machine's, and so is the whole message then, where the protocol has
  /// two.
  bool swapped = false;
};

/// A request to encode: views that need only live for the call.
struct OutgoingRequest {
  Response response = Response::with_target;
  base::ConstByteSpan object_key;
  std::string_view operation;
  std::span<const ServiceContext> contexts;
  const TargetAddress* address = nullptr;  ///< instead of the key, where the protocol has that; null: by the key
};

/// A request that was received: views into the message, or into the session.
struct IncomingRequest {
  Origin origin;
  Response response = Response::none;
  base::ConstByteSpan object_key;
  std::string_view operation;
  ServiceContextView contexts;
};

/// A reply that was received.
struct IncomingReply {
  Token token = 0;
  ReplyStatus status = ReplyStatus::no_exception;
  ServiceContextView contexts;
};

/// A question where an object is.
struct IncomingLocateRequest {
  Origin origin;
  base::ConstByteSpan object_key;
};

using BodyWriter = base::FunctionRef<void(cdr::Encoder&)>;

}  // namespace corbel::messaging
