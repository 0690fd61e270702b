// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/value.hpp"

#include <ostream>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/references.hpp"
#include "corbel/corba/value_graph.hpp"

namespace corbel::corba {

const ValueType kAnyValue{};

namespace {

using ValuePtr = ValueGraph::ValuePtr;

/// An empty value of the type: from the registered factory, else of the formal type; null if neither can.
ValuePtr make(cdr::Decoder& decoder, std::string_view id, const ValueType& formal) {
  if (decoder.context() != nullptr) {
    const auto factory = static_cast<OrbContext*>(decoder.context())->find_value_factory(id);
    if (factory != nullptr) return factory->create_for_unmarshal()._shared();
  }
  return id == formal.id && formal.create != nullptr ? formal.create() : ValuePtr();
}

/// The value as the first of its types that can be made; it counts as truncated unless that is its own.
ValuePtr make(cdr::Decoder& decoder, const cdr::ValueHeader& header, const ValueType& formal) {
  const std::span<const std::string_view> ids =
      header.ids.empty() ? std::span<const std::string_view>(&formal.id, 1) : header.ids;
  for (const std::string_view& id : ids) {
    ValuePtr value = make(decoder, id, formal);
    if (value == nullptr) continue;
    // Only chunks show where a derived type's state ends.
    if (&id != ids.data() && !header.chunked) decoder.fail(base::Code::malformed);
    return value;
  }
  decoder.fail(base::Code::not_found);
  return {};
}

/// A value that stands elsewhere in the message and was skipped there, or read as the octets of an Any. Not inlined:
/// what it needs of the stack would be needed for each level.
[[gnu::noinline]] ValuePtr decode_again(cdr::Decoder& decoder, std::size_t position, const ValueType& formal) {
  cdr::Decoder again = decoder.at(position);
  ValuePtr value;
  {
    const cdr::ValueReader::Again scope(again);
    value = decode_value(again, formal);
  }
  decoder.settle(again);
  return value;
}

/// What follows the header. Inlined, for it is part of each level.
[[gnu::always_inline]] inline ValuePtr decode_state(cdr::Decoder& decoder, cdr::ValueReader& reader,
                                                    const cdr::ValueHeader& header, const ValueType& formal,
                                                    ValueGraph& graph) {
  if (!decoder.enter()) return {};
  ValuePtr value = make(decoder, header, formal);
  if (decoder.ok()) {
    ValueGraph::State state(graph, header.position, value);  // first: the state may refer to the value
    value->_decode_state(decoder);
    reader.end(header);
    if (decoder.ok()) state.succeed();
  }
  decoder.leave();
  return decoder.ok() ? value : ValuePtr();
}

}  // namespace

void encode_value(cdr::Encoder& encoder, const CORBA::ValueBase* value, std::string_view formal_id) {
  if (is_traced(encoder, value)) return;
  cdr::ValueWriter writer(encoder);
  if (value == nullptr) return writer.put_null();
  if (writer.put_known(value)) return;
  const ValueType& type = value->_value_type();
  const bool framed = type.custom || type.ids.size() > 1;
  const bool plain = type.id == formal_id && !framed && !writer.in_chunks();
  const bool chunked = writer.begin(value, plain ? std::span<const std::string_view>() : type.ids, framed);
  if (encoder.ok()) value->_encode_state(encoder);
  writer.end(chunked);
}

ValuePtr decode_value(cdr::Decoder& decoder, const ValueType& formal) {
  cdr::ValueReader reader(decoder);
  const cdr::ValueHeader header = reader.begin();
  if (!decoder.ok() || header.kind == cdr::ValueHeader::Kind::null) return {};
  ValueGraph& graph = ValueGraph::of(reader);
  if (header.kind == cdr::ValueHeader::Kind::known) {
    ValuePtr known = graph.find(header.position);
    return known != nullptr ? known : decode_again(decoder, header.position, formal);
  }
  return decode_state(decoder, reader, header, formal, graph);
}

ValuePtr decode_value(cdr::Decoder& decoder, const cdr::ValueHeader& header, const ValueType& formal) {
  cdr::ValueReader reader(decoder);
  return decode_state(decoder, reader, header, formal, ValueGraph::of(reader));
}

void print_value(std::ostream& stream, const CORBA::ValueBase& value) {
  thread_local int depth = 0;
  struct Guard {
    Guard() { ++depth; }
    ~Guard() { --depth; }
  } guard;
  depth > 4 ? void(stream << value._value_type().id << "{...}") : value._print(stream);
}

void encode_abstract(cdr::Encoder& encoder, const CORBA::AbstractBase* either) {
  const auto* object = dynamic_cast<const CORBA::Object*>(either);
  encoder.put(object != nullptr);
  if (object != nullptr) return encode_reference(encoder, object);
  encode_value(encoder, dynamic_cast<const CORBA::ValueBase*>(either), {});
}

}  // namespace corbel::corba

namespace CORBA {

ValueBase::~ValueBase() = default;
ValueFactoryBase::~ValueFactoryBase() = default;
std::string ValueFactoryBase::_obv_repository_id() const {
  return {};
}
AbstractBase::~AbstractBase() = default;

valuetype_reference<ValueBase> ValueBase::_copy_value() const {
  corbel::cdr::Encoder encoder;
  corbel::corba::encode_value(encoder, this, _value_type().id);
  corbel::base::Bytes octets = encoder.to_bytes();
  corbel::cdr::Decoder decoder(octets, encoder.format(), corbel::cdr::Limits::none());
  corbel::base::SharedPtr<ValueBase> copy;
  if (encoder.ok()) copy = corbel::corba::decode_value(decoder, _value_type());
  if (encoder.ok() && decoder.ok()) return valuetype_reference<ValueBase>(std::move(copy));
  const auto error = encoder.ok() ? decoder.error() : encoder.error();
  const bool no_factory = error.code == corbel::base::Code::not_found;
  const std::uint32_t minor =
      no_factory ? corbel::corba::minor::kNoValueFactory : corbel::corba::vendor_minor(error.stage, error.code);
  throw MARSHAL(minor, CompletionStatus::COMPLETED_NO,
                "copying a value of type " + std::string(_value_type().id) + ": " + std::string(to_string(error.code)));
}

void ValueBase::_print(std::ostream& stream) const {
  stream << _value_type().id << "{...}";
}

std::ostream& operator<<(std::ostream& stream, const ValueBase& value) {
  corbel::corba::print_value(stream, value);
  return stream;
}

object_reference<Object> AbstractBase::_to_object() {
  auto* object = dynamic_cast<Object*>(this);
  return object == nullptr ? nullptr : object_reference<Object>(shared_from(object));
}

valuetype_reference<ValueBase> AbstractBase::_to_value() {
  auto* value = dynamic_cast<ValueBase*>(this);
  return value == nullptr ? nullptr : valuetype_reference<ValueBase>(shared_from(value));
}

}  // namespace CORBA
