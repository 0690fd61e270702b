// SPDX-License-Identifier: Apache-2.0
// Valuetypes in the byte order that the first octet chooses: graphs of nodes, truncatable ones, an abstract interface.
// What is accepted must be written, and read again with the same shape.
#include <cstdlib>
#include <vector>

#include "corbel/ior/ior.hpp"
#include "corbel/mapping/value.hpp"

namespace {

using namespace corbel;  // NOLINT: one small program

constexpr std::string_view kNodeIds[] = {"IDL:N:1.0"};
constexpr std::string_view kMoreIds[] = {"IDL:M:1.0", "IDL:N:1.0"};

struct Node;
/// Every node of one input, so that circles can be broken.
std::vector<base::WeakPtr<Node>> made;

struct Node : public virtual CORBA::ValueBase {
  static const corba::ValueType _static_type;
  const corba::ValueType& _value_type() const noexcept override { return _static_type; }
  void _encode_state(cdr::Encoder& encoder) const override;
  void _decode_state(cdr::Decoder& decoder) override;
  std::string name;
  std::vector<CORBA::valuetype_reference<Node>> edges;
  CORBA::valuetype_reference<CORBA::ValueBase> other;
};
struct More : Node {
  static const corba::ValueType _static_type;
  const corba::ValueType& _value_type() const noexcept override { return _static_type; }
  void _encode_state(cdr::Encoder& encoder) const override {
    Node::_encode_state(encoder);
    mapping::Codec<std::vector<double>>::encode(encoder, numbers);
  }
  void _decode_state(cdr::Decoder& decoder) override {
    Node::_decode_state(decoder);
    mapping::Codec<std::vector<double>>::decode(decoder, numbers);
  }
  std::vector<double> numbers;
};
template <class V>
base::SharedPtr<CORBA::ValueBase> create() {
  auto value = base::make_shared<V>();
  made.push_back(base::SharedPtr<Node>(value));
  return value;
}
const corba::ValueType Node::_static_type{kNodeIds[0], kNodeIds, false, &create<Node>};
const corba::ValueType More::_static_type{kMoreIds[0], kMoreIds, false, &create<More>};

template <class V>
class Factory final : public CORBA::ValueFactoryBase {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::valuetype_reference<CORBA::ValueBase>(create<V>());
  }
};
class Orb final : public corba::OrbContext {
 public:
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior) override;
  CORBA::object_reference<CORBA::ORB> orb() override { return nullptr; }
  CORBA::object_reference<CORBA::ValueFactoryBase> find_value_factory(std::string_view id) override {
    if (id == kMoreIds[0]) return CORBA::make_reference<Factory<More>>();
    return id == kNodeIds[0] ? CORBA::object_reference<CORBA::ValueFactoryBase>(CORBA::make_reference<Factory<Node>>())
                             : nullptr;
  }
};

using List = std::vector<CORBA::valuetype_reference<Node>>;

/// Breaks the circles of what one input made.
void forget() {
  for (const auto& weak : std::exchange(made, {})) {
    const auto node = weak.lock();
    if (node == nullptr) continue;
    const auto edges = std::exchange(node->edges, {});
    const auto other = std::exchange(node->other, nullptr);
  }
}

base::Bytes written(const List& list, bool little) {
  cdr::Encoder encoder({.little_endian = little});
  mapping::Codec<List>::encode(encoder, list);
  if (!encoder.ok()) std::abort();
  return encoder.to_bytes();
}

}  // namespace

template <>
struct corbel::mapping::Codec<CORBA::valuetype_reference<Node>> : corbel::mapping::ValueCodec<Node> {};

namespace {

CORBA::object_reference<CORBA::Object> Orb::make_object(ior::Ior) {
  return nullptr;
}
void Node::_encode_state(cdr::Encoder& encoder) const {
  encoder.put_string(name);
  mapping::Codec<List>::encode(encoder, edges);
  mapping::Codec<CORBA::valuetype_reference<CORBA::ValueBase>>::encode(encoder, other);
}
void Node::_decode_state(cdr::Decoder& decoder) {
  decoder.get_string(name);
  mapping::Codec<List>::decode(decoder, edges);
  mapping::Codec<CORBA::valuetype_reference<CORBA::ValueBase>>::decode(decoder, other);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const bool little = (data[0] & 1) != 0;
  Orb orb;
  const auto read = [&](base::ConstByteSpan octets, bool order, List& list) {
    cdr::Decoder decoder(octets, {.little_endian = order});
    decoder.set_context((data[0] & 2) != 0 ? &orb : nullptr);
    mapping::Codec<List>::decode(decoder, list);
    return decoder.ok();
  };
  List list, again;
  if (read({data + 4, size - 4}, little, list)) {
    const base::Bytes first = written(list, !little);
    if (!read(first, !little, again) || written(again, !little) != first) std::abort();
  }
  list.clear();
  again.clear();
  forget();
  return 0;
}
