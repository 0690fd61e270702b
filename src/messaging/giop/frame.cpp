// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop/codec.hpp"
#include "messaging/giop/header_reader.hpp"

namespace corbel::messaging::giop {
namespace {

constexpr std::uint8_t kLittleEndian = 0x01;
constexpr std::uint8_t kMoreFragments = 0x02;

base::Error refuse(base::Code code) noexcept { return base::error(base::Stage::decode, code); }

}  // namespace

base::Result<FrameHeader> Giop::decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const {
  if (octets.size() < kHeaderSize) return refuse(base::Code::truncated);
  if (std::memcmp(octets.data(), "GIOP", 4) != 0) return refuse(base::Code::malformed);
  const Version version{octets[4], octets[5]};
  if (version.major != 1 || version.minor > max_minor_) return refuse(base::Code::unsupported);
  const Traits& traits = traits_of(version.minor);
  const std::uint8_t flags = octets[6];
  const auto type = static_cast<MessageType>(octets[7]);
  if ((flags & ~traits.flag_bits) != 0 || type > traits.last_type) return refuse(base::Code::malformed);
  const bool more = (flags & kMoreFragments) != 0;
  if (more && (traits.fragmentable & bit(type)) == 0) return refuse(base::Code::malformed);
  const bool little_endian = (flags & kLittleEndian) != 0;
  std::uint32_t size = 0;
  std::memcpy(&size, octets.data() + 8, sizeof size);
  if (little_endian != (std::endian::native == std::endian::little)) size = cdr::byte_swap(size);
  if (limits.max_message_size < kHeaderSize || size > limits.max_message_size - kHeaderSize) {
    return refuse(base::Code::too_large);
  }
  return FrameHeader{.type = type,
                     .version = version,
                     .little_endian = little_endian,
                     .more_fragments = more,
                     .header_size = kHeaderSize,
                     .message_size = static_cast<std::uint32_t>(size + kHeaderSize)};
}

base::Result<Protocol::Fragment> Giop::decode_fragment(const FrameHeader& frame, base::ConstByteSpan message) const {
  if (frame.type != MessageType::fragment) return refuse(base::Code::bad_argument);
  Fragment fragment;
  fragment.has_request_id = traits_of(frame.version.minor).fragment_id;
  cdr::Decoder decoder = after_frame(frame, message);
  if (fragment.has_request_id) fragment.request_id = decoder.get<std::uint32_t>();
  if (!decoder.ok()) return decoder.error();
  fragment.data_offset = decoder.position();
  return fragment;
}

base::Result<std::uint32_t> Giop::peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const {
  const Traits& traits = traits_of(frame.version.minor);
  cdr::Decoder decoder = after_frame(frame, message);
  switch (frame.type) {
    case MessageType::request:
    case MessageType::reply:
      if (traits.contexts_first) take_contexts(decoder, message, {});
      break;
    case MessageType::cancel_request:
    case MessageType::locate_request:
    case MessageType::locate_reply:
      break;
    case MessageType::fragment:
      if (traits.fragment_id) break;
      [[fallthrough]];
    default:
      return refuse(base::Code::bad_argument);
  }
  const auto id = decoder.get<std::uint32_t>();
  if (!decoder.ok()) return decoder.error();
  return id;
}

}  // namespace corbel::messaging::giop
