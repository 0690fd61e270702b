// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop_lite/codec.hpp"

namespace corbel::messaging::conformance {

/// Giop and GiopLite behind one interface.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::size_t frame_header_size() const = 0;
  virtual base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const = 0;
  virtual void encode_request(cdr::Encoder& encoder, std::uint32_t id, const OutgoingRequest& request,
                              BodyWriter body) const = 0;
  virtual void encode_reply(cdr::Encoder& encoder, std::uint32_t id, ReplyStatus status,
                            std::span<const ServiceContext> contexts, BodyWriter body) const = 0;
  virtual void encode_locate_request(cdr::Encoder& encoder, std::uint32_t id, base::ConstByteSpan key) const = 0;
  virtual void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t id, LocateStatus status,
                                   BodyWriter body) const = 0;
  virtual void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t id) const = 0;
  virtual void encode_control(cdr::Encoder& encoder, MessageType type) const = 0;
  virtual base::Result<DecodedRequest> decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                      const cdr::Limits& limits, cdr::Decoder& body) const = 0;
  virtual base::Result<IncomingReply> decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                   const cdr::Limits& limits, cdr::Decoder& body) const = 0;
  virtual base::Result<DecodedLocateRequest> decode_locate_request(const FrameHeader& frame,
                                                                   base::ConstByteSpan message,
                                                                   const cdr::Limits& limits) const = 0;
  virtual base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                                const cdr::Limits& limits,
                                                                cdr::Decoder& body) const = 0;
  virtual base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame,
                                                            base::ConstByteSpan message) const = 0;
};

template <class T, std::size_t kHeader>
class CodecOf final : public Codec {
 public:
  template <class... Arguments>
  explicit CodecOf(Arguments... arguments) : codec_(arguments...) {}
  std::size_t frame_header_size() const override { return kHeader; }
  base::Result<FrameHeader> decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const override {
    return codec_.decode_frame(octets, limits);
  }
  void encode_request(cdr::Encoder& encoder, std::uint32_t id, const OutgoingRequest& request,
                      BodyWriter body) const override {
    codec_.encode_request(encoder, id, request, body);
  }
  void encode_reply(cdr::Encoder& encoder, std::uint32_t id, ReplyStatus status,
                    std::span<const ServiceContext> contexts, BodyWriter body) const override {
    if constexpr (requires { codec_.encode_reply(encoder, id, status, contexts, body); }) {
      codec_.encode_reply(encoder, id, status, contexts, body);
    } else {
      codec_.encode_reply(encoder, id, status, body);
    }
  }
  void encode_locate_request(cdr::Encoder& encoder, std::uint32_t id, base::ConstByteSpan key) const override {
    codec_.encode_locate_request(encoder, id, key);
  }
  void encode_locate_reply(cdr::Encoder& encoder, std::uint32_t id, LocateStatus status,
                           BodyWriter body) const override {
    codec_.encode_locate_reply(encoder, id, status, body);
  }
  void encode_cancel_request(cdr::Encoder& encoder, std::uint32_t id) const override {
    codec_.encode_cancel_request(encoder, id);
  }
  void encode_control(cdr::Encoder& encoder, MessageType type) const override { codec_.encode_control(encoder, type); }
  base::Result<DecodedRequest> decode_request(const FrameHeader& frame, base::ConstByteSpan message,
                                              const cdr::Limits& limits, cdr::Decoder& body) const override {
    auto request = codec_.decode_request(frame, message, limits, body);
    if (!request) return request.error();
    DecodedRequest decoded;
    static_cast<IncomingRequest&>(decoded) = *request;
    if constexpr (requires { request->needs_key_addressing; }) {
      decoded.needs_key_addressing = request->needs_key_addressing;
    }
    return decoded;
  }
  base::Result<IncomingReply> decode_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                           const cdr::Limits& limits, cdr::Decoder& body) const override {
    return codec_.decode_reply(frame, message, limits, body);
  }
  base::Result<DecodedLocateRequest> decode_locate_request(const FrameHeader& frame, base::ConstByteSpan message,
                                                           const cdr::Limits& limits) const override {
    const auto request = codec_.decode_locate_request(frame, message, limits);
    if (!request) return request.error();
    return DecodedLocateRequest{{request->origin, request->object_key}};
  }
  base::Result<IncomingLocateReply> decode_locate_reply(const FrameHeader& frame, base::ConstByteSpan message,
                                                        const cdr::Limits& limits, cdr::Decoder& body) const override {
    return codec_.decode_locate_reply(frame, message, limits, body);
  }
  base::Result<std::uint32_t> decode_cancel_request(const FrameHeader& frame,
                                                    base::ConstByteSpan message) const override {
    return codec_.decode_cancel_request(frame, message);
  }

 private:
  const T codec_;
};

inline std::unique_ptr<const Codec> make_giop_codec() {
  return std::make_unique<CodecOf<giop::Giop, giop::kHeaderSize>>(Version{1, 2});
}
inline std::unique_ptr<const Codec> make_giop_lite_codec() {
  return std::make_unique<CodecOf<giop_lite::GiopLite, giop_lite::kHeaderSize>>();
}

/// A codec in one of its versions and byte orders.
struct Case {
  std::string name;
  std::unique_ptr<const Codec> (*make)();
  cdr::Format format;
  bool contexts;     ///< messages carry service contexts
  bool with_server;  ///< requests can ask for a reply before the servant runs
};

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool little : {true, false}) {
    for (std::uint8_t minor = 0; minor < 3; ++minor) {
      const std::string name = "Giop1" + std::to_string(minor) + (little ? "Little" : "Big");
      all.push_back({name, &make_giop_codec, {.little_endian = little, .giop_minor = minor}, true, minor > 1});
    }
  }
  all.push_back({"GiopLite", &make_giop_lite_codec, {}, false, true});
  return all;
}

}  // namespace corbel::messaging::conformance
