// SPDX-License-Identifier: Apache-2.0
// Marshalling by Corbel's generated codecs and by hand.
#include <stdexcept>
#include <vector>

#include "micro/cases.hpp"
#include "micro/hand_written.hpp"
#include "micro/meter.hpp"
#include "payload.hpp"

namespace {

using namespace bench;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::mapping::Codec;

Payload::Node tree(int depth, std::int32_t id) {
  Payload::Node node(id, id * 0.5, name_of(static_cast<std::size_t>(id)), {});
  if (depth > 1) node.children() = {tree(depth - 1, 2 * id), tree(depth - 1, 2 * id + 1)};
  return node;
}

/// Adds encoding and decoding of `value`, which has `elements` elements. `value` outlives the run.
template <class T>
void add(Meter& meter, const char* type, const T& value, std::size_t elements) {
  static Encoder encoder;
  static std::vector<std::uint8_t> buffer(1U << 20);
  encoder.reset({});
  Codec<T>::encode(encoder, value);
  static const corbel::base::Bytes octets = encoder.to_bytes();
  HandWriter check(buffer);
  check.put(value);
  T copy;
  if (check.size() != octets.size() || std::memcmp(buffer.data(), octets.data(), octets.size()) != 0 ||
      !HandReader(buffer.data(), check.size()).get(copy)) {
    throw std::logic_error(std::string("by hand and by codec, a ") + type + " looks different");
  }
  meter.add(piece("encode", type, "Corbel"), elements, [&value] {
    encoder.reset({});
    Codec<T>::encode(encoder, value);
    keep(encoder.segments());
  });
  meter.add(piece("encode", type, "hand-written"), elements, [&value] {
    HandWriter writer(buffer);
    writer.put(value);
    keep(writer.size());
  });
  meter.add(piece("decode", type, "Corbel"), elements, [] {
    T decoded;
    Decoder decoder({octets.data(), octets.size()}, {});
    Codec<T>::decode(decoder, decoded);
    if (!decoder.ok()) throw std::logic_error("cannot decode");
    keep(decoded);
  });
  meter.add(piece("decode", type, "hand-written"), elements, [] {
    T decoded;
    if (!HandReader(octets.data(), octets.size()).get(decoded)) throw std::logic_error("cannot decode");
    keep(decoded);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  Meter meter(argc, argv);
  const Payload::BinStructs structs(kBinStructs, Payload::BinStruct(1, 'c', 2, 3, 4.5));
  Payload::Names names;
  for (std::size_t i = 0; i < kNames; ++i) names.push_back(name_of(i));
  const Payload::Node root = tree(kTreeDepth, 1);
  add(meter, "BinStruct sequence", structs, kBinStructs);
  add(meter, "string list", names, kNames);
  add(meter, "tree of structs", root, kTreeNodes);
  meter.run();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
  return 1;
}
