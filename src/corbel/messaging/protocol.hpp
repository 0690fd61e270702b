// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ior/ior.hpp"

/// Port 1, the ORB messaging component: what a message protocol must do. Pure functions over octets, no I/O, so every
/// protocol can be tested without a socket.
namespace corbel::messaging {

using ior::Version;

/// Message kinds (GIOP's numbers, CORBA 3.3 part 2, 9.4.1).
enum class MessageType : std::uint8_t {
  request = 0,
  reply = 1,
  cancel_request = 2,
  locate_request = 3,
  locate_reply = 4,
  close_connection = 5,
  message_error = 6,
  fragment = 7,
};

/// When a oneway call returns and whether the server answers (Messaging::SyncScope). The values are GIOP 1.2's
/// response_flags (9.4.2.1).
enum class Response : std::uint8_t { none = 0, with_server = 1, with_target = 3 };

enum class ReplyStatus : std::uint32_t {
  no_exception = 0,
  user_exception = 1,
  system_exception = 2,
  location_forward = 3,
  location_forward_perm = 4,
  needs_addressing_mode = 5,
};

enum class LocateStatus : std::uint32_t {
  unknown_object = 0,
  object_here = 1,
  object_forward = 2,
  object_forward_perm = 3,
  system_exception = 4,
  needs_addressing_mode = 5,
};

/// What the first octets of a message say about it.
struct FrameHeader {
  MessageType type = MessageType::message_error;
  Version version;
  bool little_endian = true;
  bool more_fragments = false;
  std::uint8_t header_size = 0;    ///< octets before the body; a joined message keeps its first header
  std::uint32_t message_size = 0;  ///< octets in all, header included
};

/// A service context to send, or one found in a received message (in place).
struct ServiceContext {
  std::uint32_t id = 0;
  base::ConstByteSpan data;
};
inline constexpr std::uint32_t kCodeSetsContext = 1;

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

 private:
  /// Reads the context at `offset` and advances it to the next.
  ServiceContext next(std::size_t& offset) const noexcept;

  base::ConstByteSpan entries_;
  std::uint32_t count_ = 0;
  bool swapped_ = false;
};

/// A request to encode: views that need only live for the call.
struct OutgoingRequest {
  std::uint32_t request_id = 0;
  Response response = Response::with_target;
  base::ConstByteSpan object_key;
  std::string_view operation;
  std::span<const ServiceContext> contexts;
};

/// A decoded request header: views into the message.
struct IncomingRequest {
  std::uint32_t request_id = 0;
  Response response = Response::none;
  base::ConstByteSpan object_key;
  std::string_view operation;
  ServiceContextView contexts;
  /// The target came as a profile or reference of a kind that we can't take a key from: answer NEEDS_ADDRESSING_MODE.
  bool needs_key_addressing = false;
};

struct IncomingReply {
  std::uint32_t request_id = 0;
  ReplyStatus status = ReplyStatus::no_exception;
  ServiceContextView contexts;
};

struct IncomingLocateRequest {
  std::uint32_t request_id = 0;
  base::ConstByteSpan object_key;
  bool needs_key_addressing = false;
};

struct IncomingLocateReply {
  std::uint32_t request_id = 0;
  LocateStatus status = LocateStatus::unknown_object;
};

/// What a protocol needs of the transport under it; checked against transport::Traits when the two are combined.
struct Requirements {
  bool ordered = true;
  bool reliable = true;
  bool whole_messages = false;  ///< cannot cut messages out of a byte stream: the transport must keep their boundaries
};

using BodyWriter = base::FunctionRef<void(cdr::Encoder&)>;

/// A message protocol. Stateless and thread-safe: what is particular to a connection (version, code sets) is passed in
/// as a cdr::Format. Encoding functions write one whole message (header, body, patched size) into an encoder that was
/// reset; whether it worked is the encoder's ok(). Decoding functions take a whole message, fragments joined, and leave
/// `body` at the first octet of the body.
class Protocol {
 public:
  virtual ~Protocol() = default;

  /// The word used in endpoints and options: "giop", "giop_lite".
  virtual std::string_view name() const noexcept = 0;
  virtual Requirements requirements() const noexcept = 0;
  /// The highest version spoken; replies use the version of the request.
  virtual Version version() const noexcept = 0;
  /// True if CodeSets service contexts can be sent (GIOP from 1.1).
  virtual bool has_service_contexts() const noexcept = 0;

  /// Octets that decode_frame() needs.
  virtual std::size_t frame_header_size() const noexcept = 0;
  /// Reads a frame header. Fails with malformed (magic, type, size), unsupported (version), too_large (limit).
  virtual base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const = 0;
  /// For a fragment: the request id it continues and where its data begin. Protocols without fragments fail.
  struct Fragment {
    std::uint32_t request_id = 0;
    bool has_request_id = false;  ///< GIOP 1.1 fragments carry none: they continue the open message
    std::size_t data_offset = 0;
  };
  virtual base::Result<Fragment> decode_fragment(const FrameHeader& frame, base::ConstByteSpan message) const = 0;
  /// The request id of any message that has one (to match the fragments of an incomplete message).
  virtual base::Result<std::uint32_t> peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const = 0;

  virtual void encode_request(cdr::Encoder& encoder, const OutgoingRequest& request, BodyWriter body) const = 0;
  virtual void encode_reply(cdr::Encoder& encoder, std::uint32_t request_id, ReplyStatus status,
                            std::span<const ServiceContext> contexts, BodyWriter body) const = 0;
  virtual void encode_locate_request(cdr::Encoder& encoder, std::uint32_t request_id,
                                     base::ConstByteSpan object_key) const = 0;
  virtual void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t request_id, LocateStatus status,
                                   BodyWriter body) const = 0;
  virtual void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t request_id) const = 0;
  /// close_connection or message_error.
  virtual void encode_control(cdr::Encoder& encoder, MessageType type) const = 0;

  virtual base::Result<IncomingRequest> decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                       const cdr::Limits& limits, cdr::Decoder& body) const = 0;
  virtual base::Result<IncomingReply> decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                   const cdr::Limits& limits, cdr::Decoder& body) const = 0;
  virtual base::Result<IncomingLocateRequest> decode_locate_request(const FrameHeader& frame,
                                                                    base::ConstByteSpan message,
                                                                    const cdr::Limits& limits) const = 0;
  virtual base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                                const cdr::Limits& limits,
                                                                cdr::Decoder& body) const = 0;
  /// The id that a CancelRequest names.
  virtual base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame,
                                                            base::ConstByteSpan message) const = 0;
};

}  // namespace corbel::messaging
