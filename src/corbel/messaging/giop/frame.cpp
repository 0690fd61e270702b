// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/header_reader.hpp"

namespace corbel::messaging::giop {
namespace {

constexpr std::uint32_t kMagic = 0x50'4f'49'47;  // "GIOP", read as little-endian
constexpr std::uint8_t kLittleEndian = 0x01;
constexpr std::uint8_t kMoreFragments = 0x02;
/// What usual messages begin with, up to the type: magic, version and flags.
constexpr std::uint64_t kUsual = std::uint64_t{kMagic} | 1ULL << 32 | 2ULL << 40 |
                                 (std::endian::native == std::endian::little ? std::uint64_t{kLittleEndian} << 48 : 0);

base::Error refuse(base::Code code) noexcept {
  return base::error(base::Stage::decode, code);
}

std::uint64_t load_little_endian(const base::Octet* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return std::endian::native == std::endian::little ? word : cdr::byte_swap(word);
}

template <unsigned kIndex>
std::uint8_t octet(std::uint64_t word) noexcept {
  return static_cast<std::uint8_t>(word >> (8 * kIndex));
}

}  // namespace

std::uint64_t Giop::usual_size(base::ConstByteSpan octets) const noexcept {
  const std::uint64_t differs = load_little_endian(octets.data()) ^ kUsual;
  // Request and reply are the types 0 and 1.
  if (differs >> 57 != 0 || differs << 8 != 0 || max_minor_ < 2) [[unlikely]]
    return 0;
  std::uint32_t size = 0;
  std::memcpy(&size, octets.data() + 8, sizeof size);
  return std::uint64_t{size} + kHeaderSize;
}

base::Result<FrameHeader> Giop::decode_frame(base::ConstByteSpan octets, const cdr::Limits& limits) const {
  if (octets.size() < kHeaderSize) return refuse(base::Code::truncated);
  const std::uint64_t word = load_little_endian(octets.data());
  if (static_cast<std::uint32_t>(word) != kMagic) return refuse(base::Code::malformed);
  const Version version{octet<4>(word), octet<5>(word)};
  if (version.major != 1 || version.minor > max_minor_) return refuse(base::Code::unsupported);
  const Traits& traits = traits_of(version.minor);
  const std::uint8_t flags = octet<6>(word);
  const auto type = static_cast<MessageType>(octet<7>(word));
  if ((flags & ~traits.flag_bits) != 0 || type > traits.last_type) return refuse(base::Code::malformed);
  const bool more = (flags & kMoreFragments) != 0;
  if (more && (traits.fragmentable & bit(type)) == 0) return refuse(base::Code::malformed);
  const bool little_endian = (flags & kLittleEndian) != 0;
  std::uint32_t size = 0;
  std::memcpy(&size, octets.data() + 8, sizeof size);
  if (little_endian != (std::endian::native == std::endian::little)) size = cdr::byte_swap(size);
  const std::uint64_t message_size = std::uint64_t{size} + kHeaderSize;
  if (message_size > limits.max_message_size) return refuse(base::Code::too_large);
  return FrameHeader{.type = type,
                     .version = version,
                     .little_endian = little_endian,
                     .more_fragments = more,
                     .header_size = kHeaderSize,
                     .message_size = static_cast<std::uint32_t>(message_size)};
}

base::Result<Giop::Fragment> Giop::decode_fragment(const FrameHeader& frame, base::ConstByteSpan message) const {
  if (frame.type != MessageType::fragment) return refuse(base::Code::bad_argument);
  Fragment fragment;
  fragment.has_request_id = traits_of(frame.version.minor).fragment_id;
  HeaderReader reader(message, is_swapped(frame));
  if (fragment.has_request_id) fragment.request_id = reader.get();
  if (!reader.ok()) return reader.error();
  fragment.data_offset = reader.position();
  return fragment;
}

base::Result<std::uint32_t> Giop::peek_request_id(const FrameHeader& frame, base::ConstByteSpan message) const {
  const Traits& traits = traits_of(frame.version.minor);
  HeaderReader reader(message, is_swapped(frame));
  switch (frame.type) {
    case MessageType::request:
    case MessageType::reply:
      if (traits.contexts_first) reader.get_contexts(reader.get(), {});
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
  const std::uint32_t id = reader.get();
  if (!reader.ok()) return reader.error();
  return id;
}

}  // namespace corbel::messaging::giop
