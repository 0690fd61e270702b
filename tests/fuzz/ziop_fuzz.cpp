// SPDX-License-Identifier: Apache-2.0
// Streams of compressed messages. The first octet says what follows: such a stream; what one message has inside, which
// is then compressed as it should be; or policies of compression.
#include <zlib.h>

#include <cstdlib>
#include <memory>

#include "corbel/ior/ior.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "fuzz/message_input.hpp"
#include "layer.hpp"
#include "wire.hpp"

namespace {

using namespace corbel;

const messaging::Protocol& protocol() {
  static const auto making = std::make_shared<ziop::Making>();
  static const auto made = ziop::make_layer(making, {})->over(messaging::make_giop(), {});
  return *made;
}

/// The message of GIOP, whatever its header says of its size, compressed.
base::Bytes compressed(base::ConstByteSpan giop) {
  const base::ConstByteSpan body = giop.subspan(ziop::kGiopHeader);
  uLongf size = compressBound(static_cast<uLong>(body.size()));
  base::Bytes message(ziop::kDataAt + size);
  if (compress2(message.data() + ziop::kDataAt, &size, body.data(), static_cast<uLong>(body.size()), 1) != Z_OK) {
    std::abort();
  }
  const bool swapped = ((giop[6] & 1) != 0) != (std::endian::native == std::endian::little);
  ziop::put_head(giop, swapped, ziop::kZlib, static_cast<std::uint32_t>(body.size()), static_cast<std::uint32_t>(size),
                 message.data());
  message.resize(ziop::kDataAt + size);
  return message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const base::ConstByteSpan octets(data + 1, size - 1);
  switch (data[0]) {
    case 0:
      fuzz::read_stream(protocol(), octets);
      break;
    case 1:
      if (octets.size() >= ziop::kGiopHeader) fuzz::read_stream(protocol(), compressed(octets));
      break;
    case 2:
      if (ziop::decode_exposed(octets).compressors.size() > ziop::kMostLevels) std::abort();
      break;
    default:
      break;
  }
  return 0;
}
