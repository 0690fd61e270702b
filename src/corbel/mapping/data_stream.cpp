// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/data_stream.hpp"

#include "corbel/cdr/value_stream.hpp"

namespace CORBA {
namespace {

/// Values that are made for the stream alone must not make room for others while the message is being written.
struct Kept final : corbel::cdr::Attachment {
  explicit Kept(valuetype_reference<ValueBase> v) : value(std::move(v)) {}
  valuetype_reference<ValueBase> value;
};

template <class T>
void put_elements(corbel::cdr::Encoder& encoder, const std::vector<T>& seq, std::uint32_t offset,
                  std::uint32_t length) {
  corbel::mapping::detail::encode_elements(encoder, seq.data() + offset, length);
}
void put_elements(corbel::cdr::Encoder& encoder, const std::vector<bool>& seq, std::uint32_t offset,
                  std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; ++i) encoder.put(bool{seq[offset + i]});
}
template <class T>
void get_elements(corbel::cdr::Decoder& decoder, std::vector<T>& seq, std::uint32_t offset, std::uint32_t length) {
  corbel::mapping::detail::decode_elements(decoder, seq.data() + offset, length);
}
void get_elements(corbel::cdr::Decoder& decoder, std::vector<bool>& seq, std::uint32_t offset, std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; ++i) seq[offset + i] = decoder.get<bool>();
}

}  // namespace

/// Throws BAD_PARAM unless there are so many elements behind the offset.
void DataOutputStream::check_range(std::size_t size, std::uint32_t offset, std::uint32_t length) {
  if (offset > size || length > size - offset) throw BAD_PARAM();
}

/// False, and then reading has failed, if there cannot be so many elements; throws BAD_PARAM if there is no such place.
bool DataInputStream::expect(std::size_t size, std::uint32_t offset, std::uint32_t length, std::size_t least,
                             std::size_t memory) {
  if (offset > size) throw BAD_PARAM();
  decoder_.join_rest();  // remaining() is all then
  if (length > decoder_.remaining() / least) decoder_.fail(corbel::base::Code::truncated);
  return decoder_.ok() && decoder_.charge(length * memory);
}

#define CORBEL_ARRAY(NAME, TYPE)                                                                                  \
  void DataOutputStream::write_##NAME##_array(const std::vector<TYPE>& seq, std::uint32_t offset,                 \
                                              std::uint32_t length) {                                             \
    check_range(seq.size(), offset, length);                                                                      \
    put_elements(encoder_, seq, offset, length);                                                                  \
  }                                                                                                               \
  void DataInputStream::read_##NAME##_array(std::vector<TYPE>& seq, std::uint32_t offset, std::uint32_t length) { \
    if (!expect(seq.size(), offset, length, corbel::mapping::Codec<TYPE>::kMinSize, sizeof(TYPE))) return;        \
    if (seq.size() - offset < length) seq.resize(std::size_t{offset} + length);                                   \
    get_elements(decoder_, seq, offset, length);                                                                  \
  }
CORBEL_DATA_ARRAYS(CORBEL_ARRAY)
#undef CORBEL_ARRAY

void DataOutputStream::write_Value(const valuetype_reference<ValueBase>& value) {
  corbel::cdr::ValueWriter(encoder_).keep(corbel::base::make_shared<Kept>(value));
  write(value);
}

void DataOutputStream::write_Abstract(const object_reference<AbstractBase>& value) {
  if (value != nullptr) corbel::cdr::ValueWriter(encoder_).keep(corbel::base::make_shared<Kept>(value->_to_value()));
  write(value);
}

object_reference<AbstractBase> DataInputStream::read_Abstract() {
  return read<object_reference<AbstractBase>>();
}

CustomMarshal::~CustomMarshal() = default;

}  // namespace CORBA

namespace corbel::mapping {
namespace {

/// What marshal() writes may be its own, and gone when it returns: nothing of it is referred to.
class Copying {
 public:
  explicit Copying(cdr::Encoder& encoder) noexcept : encoder_(encoder), threshold_(encoder.reference_threshold()) {
    encoder.set_reference_threshold(cdr::Encoder::kCopyAll);
  }
  ~Copying() { encoder_.set_reference_threshold(threshold_); }
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;

 private:
  cdr::Encoder& encoder_;
  const std::size_t threshold_;
};

}  // namespace

void marshal_custom(cdr::Encoder& encoder, CORBA::CustomMarshal& value) {
  encoder.before_foreign_code();
  const Copying copying(encoder);
  value.marshal(CORBA::make_reference<CORBA::DataOutputStream>(encoder));
}

void unmarshal_custom(cdr::Decoder& decoder, CORBA::CustomMarshal& value) {
  value.unmarshal(CORBA::make_reference<CORBA::DataInputStream>(decoder));
}

void Codec<CORBA::object_reference<CORBA::AbstractBase>>::decode(cdr::Decoder& decoder,
                                                                 CORBA::object_reference<CORBA::AbstractBase>& value) {
  /// An object of which no more is known than that it is one.
  struct Stub final : public virtual CORBA::Object, public virtual CORBA::AbstractBase {};
  if (!decoder.get<bool>()) {
    const auto any = corba::decode_value(decoder, corba::kAnyValue);
    value = CORBA::object_reference<CORBA::AbstractBase>(base::dynamic_pointer_cast<CORBA::AbstractBase>(any));
    if (any != nullptr && value == nullptr) decoder.fail(base::Code::malformed);
    return;
  }
  const auto object = decode_object(decoder);
  value = nullptr;
  if (object == nullptr) return;
  auto stub = base::make_shared<Stub>();
  stub->_bind(object->_target());
  value = CORBA::object_reference<CORBA::AbstractBase>(std::move(stub));
}

}  // namespace corbel::mapping
