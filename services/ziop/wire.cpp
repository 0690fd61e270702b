// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include <corbel/base/function_ref.hpp>
#include <corbel/cdr/decoder.hpp>
#include <corbel/cdr/encapsulation.hpp>

namespace corbel::ziop {
namespace {

using base::Code;

constexpr std::size_t kLeastPolicy = 8;
constexpr std::size_t kLevelOctets = 4;
constexpr std::uint16_t kUsualLevel = 6;

/// The names of the compressors that the OMG has numbered, each at its number.
constexpr std::array<std::string_view, 10> kNames{"none", "gzip", "pkzip", "bzip2", "zlib",
                                                  "lzma", "lzo",  "rzip",  "7x",    "xar"};

bool read_short(std::string_view text, std::uint16_t& value) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

std::optional<IdLevel> read_level(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  IdLevel one{0, kUsualLevel};
  if (colon != std::string_view::npos && !read_short(text.substr(colon + 1), one.level)) return std::nullopt;
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) {
    one.id = static_cast<std::uint16_t>(found - kNames.begin());
  } else if (!read_short(name, one.id)) {
    return std::nullopt;
  }
  return one.id == 0 ? std::nullopt : std::optional(one);
}

base::Bytes encapsulated(base::FunctionRef<void(cdr::Encoder&)> write) {
  auto octets = cdr::encapsulate(write);
  if (!octets) throw std::bad_alloc();  // a few octets: nothing else can be the matter
  return *std::move(octets);
}

Levels decode_levels(cdr::Decoder& value) {
  const std::size_t count = std::min(value.take_count(kLevelOctets), kMostLevels);
  Levels levels(count);
  for (IdLevel& one : levels) {
    one.id = value.get<std::uint16_t>();
    one.level = value.get<std::uint16_t>();
  }
  return value.ok() ? levels : Levels();
}

template <class T>
T load(const base::Octet* from, bool swapped) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return swapped ? cdr::byte_swap(value) : value;
}

template <class T>
void store(base::Octet* to, T value, bool swapped) noexcept {
  if (swapped) value = cdr::byte_swap(value);
  std::memcpy(to, &value, sizeof value);
}

bool is_swapped(base::ConstByteSpan header) noexcept {
  return ((header[6] & 1) != 0) != (std::endian::native == std::endian::little);
}

base::Error refuse(Code code) noexcept {
  return base::error(base::Stage::receive, code);
}

}  // namespace

std::string to_string(const IdLevel& one) {
  std::string text(one.id < kNames.size() ? std::string(kNames[one.id]) : std::to_string(one.id));
  return text.append(":").append(std::to_string(one.level));
}

std::optional<Levels> read_levels(std::string_view text) {
  Levels levels;
  if (text == "off") return levels;
  for (;;) {
    const std::size_t comma = text.find(',');
    const auto one = read_level(text.substr(0, comma));
    if (!one || levels.size() == kMostLevels) return std::nullopt;
    levels.push_back(*one);
    if (comma == std::string_view::npos) return levels;
    text.remove_prefix(comma + 1);
  }
}

Levels in_common(const Levels& mine, const Levels& theirs) {
  Levels both;
  for (const IdLevel& one : mine) {
    const auto found = std::ranges::find(theirs, one.id, &IdLevel::id);
    if (found != theirs.end()) both.push_back({one.id, std::min(one.level, found->level)});
  }
  return both;
}

base::Bytes encode(const Exposed& exposed) {
  const base::Bytes enabling = encapsulated([&](cdr::Encoder& encoder) { encoder.put(exposed.enabled); });
  const base::Bytes compressors = encapsulated([&](cdr::Encoder& encoder) {
    encoder.put_count(exposed.compressors.size());
    for (const IdLevel& one : exposed.compressors) {
      encoder.put(one.id);
      encoder.put(one.level);
    }
  });
  return encapsulated([&](cdr::Encoder& encoder) {
    const std::array<std::pair<std::uint32_t, const base::Bytes*>, 2> policies{
        {{kEnablingPolicy, &enabling}, {kCompressorsPolicy, &compressors}}};
    encoder.put_count(policies.size());
    for (const auto& [type, value] : policies) {
      encoder.put(type);
      encoder.put_count(value->size());
      encoder.copy_octets(value->data(), value->size());
    }
  });
}

Exposed decode_exposed(base::ConstByteSpan octets) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(octets);
  const std::size_t count = decoder.take_count(kLeastPolicy);
  Exposed exposed;
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
    const auto type = decoder.get<std::uint32_t>();
    const base::ConstByteSpan data = decoder.get_octet_sequence();
    if (!decoder.ok() || (type != kEnablingPolicy && type != kCompressorsPolicy)) continue;
    cdr::Decoder value = cdr::Decoder::from_encapsulation(data);
    if (type == kCompressorsPolicy) {
      exposed.compressors = decode_levels(value);
    } else {
      const bool enabled = value.get<bool>();
      exposed.enabled = value.ok() && enabled;
    }
  }
  return exposed.enabled ? exposed : Exposed();
}

base::Result<Head> read_head(base::ConstByteSpan octets, std::uint32_t most) {
  if (octets[4] != 1 || octets[5] != 2) return refuse(Code::unsupported);
  const bool swapped = is_swapped(octets);
  const auto rest = load<std::uint32_t>(octets.data() + 8, swapped);
  if (rest < kDataAt - kGiopHeader) return refuse(Code::malformed);
  if (most < kDataAt || rest > most - kGiopHeader) return refuse(Code::too_large);
  Head head{static_cast<std::uint32_t>(rest + kGiopHeader), 0, 0};
  if (octets.size() < kDataAt) return head;
  head.compressor = load<std::uint16_t>(octets.data() + 12, swapped);
  head.original_length = load<std::uint32_t>(octets.data() + 16, swapped);
  if (load<std::uint32_t>(octets.data() + 20, swapped) != head.size - kDataAt) return refuse(Code::malformed);
  if (head.original_length > most - kGiopHeader) return refuse(Code::too_large);
  return head;
}

void put_giop_header(base::ConstByteSpan compressed, std::uint32_t original_length, base::Octet* to) noexcept {
  std::memcpy(to, compressed.data(), kGiopHeader);
  to[0] = 'G';
  store(to + 8, original_length, is_swapped(compressed));
}

void put_head(base::ConstByteSpan giop, bool swapped, std::uint16_t compressor, std::uint32_t original_length,
              std::uint32_t data_length, base::Octet* to) noexcept {
  std::memcpy(to, giop.data(), kGiopHeader);
  to[0] = 'Z';
  store(to + 8, static_cast<std::uint32_t>(data_length + kDataAt - kGiopHeader), swapped);
  store(to + 12, compressor, swapped);
  std::memset(to + 14, 0, 2);
  store(to + 16, original_length, swapped);
  store(to + 20, data_length, swapped);
}

}  // namespace corbel::ziop
