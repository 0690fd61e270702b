// SPDX-License-Identifier: Apache-2.0
#include "compressed.hpp"

#include <algorithm>
#include <string_view>

#include "wire.hpp"
#ifdef CORBEL_WITH_ZLIB
#include <zlib.h>
#endif

namespace corbel::tool {
namespace {

/// Nothing that zlib makes is longer, decompressed, than this many times its length (zlib's "Technical Details").
[[maybe_unused]] constexpr std::uint64_t kMostRatio = 1032;

/// True if exactly `target` comes of `source`.
bool inflate_to([[maybe_unused]] base::ConstByteSpan source, [[maybe_unused]] base::ByteSpan target) {
#ifdef CORBEL_WITH_ZLIB
  uLongf came = target.size();
  uLong used = source.size();
  return uncompress2(target.data(), &came, source.data(), &used) == Z_OK && came == target.size() &&
         used == source.size();
#else
  return false;
#endif
}

std::string name_of(std::uint16_t compressor) {
  const std::string text = ziop::to_string({compressor, 0});
  return text.substr(0, text.find(':'));
}

}  // namespace

bool is_ziop(base::ConstByteSpan octets) {
  return base::as_text(octets.first(std::min<std::size_t>(4, octets.size()))) ==
         std::string_view("ZIOP").substr(0, octets.size());
}

Opened open_compressed(base::ConstByteSpan message, std::uint32_t most) {
  const auto head = ziop::read_head(message, most);
  if (!head || head->size != message.size()) {
    return {{}, {}, "its head, as a compressed message, makes no sense, or it would become too large"};
  }
  Opened opened{name_of(head->compressor)};
#ifndef CORBEL_WITH_ZLIB
  opened.problem = "it is compressed, and this program was built without zlib";
  return opened;
#endif
  if (head->compressor != ziop::kZlib) {
    opened.problem = "it is compressed, by what this program does not know";
    return opened;
  }
  const base::ConstByteSpan data = message.subspan(ziop::kDataAt);
  const std::size_t size = ziop::kGiopHeader + std::size_t{head->original_length};
  if (head->original_length <= data.size() * kMostRatio) opened.message.resize(size);
  if (opened.message.empty() || !inflate_to(data, base::ByteSpan(opened.message).subspan(ziop::kGiopHeader))) {
    opened.message.clear();
    opened.problem = "it cannot be decompressed";
    return opened;
  }
  ziop::put_giop_header(message, head->original_length, opened.message.data());
  return opened;
}

}  // namespace corbel::tool
