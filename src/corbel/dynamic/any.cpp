// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/any.hpp"

#include <algorithm>
#include <ostream>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/transcode.hpp"

namespace corbel::dynamic {
namespace {

/// How octets are kept: native byte order, UTF-8 and UTF-16, aligned as if they began a message.
constexpr cdr::Format kKept{};

/// Octets of memory that a value of its own takes in an Any, about, besides its octets.
constexpr std::size_t kValueMemory = 96;

/// A value as octets, with the limits that held for those it was made of.
class WireValue final : public AnyValue {
 public:
  WireValue(base::Bytes octets, cdr::Context* context, const cdr::Limits& limits)
      : octets_(std::move(octets)), max_depth_(limits.max_depth), max_expansion_(limits.max_expansion) {
    if (context != nullptr) context_ = static_cast<corba::OrbContext*>(context)->hold();
  }

  void encode(cdr::Encoder& encoder, const CORBA::TypeCode& type) const override {
    cdr::Limits deep = cdr::Limits::none();
    deep.max_depth = max_depth_;
    cdr::Decoder decoder(octets_, kKept, deep);
    decoder.set_context(context_.get());  // which makes the values that write themselves
    transcode(type, decoder, encoder, Origin::own);
    if (!decoder.ok()) encoder.fail(decoder.error().code);
    encoder.note_context(context_.get());
  }
  const void* object(const std::type_info&) const noexcept override { return nullptr; }
  const base::Bytes* octets() const noexcept override { return &octets_; }
  cdr::Context* context() const noexcept override { return context_.get(); }
  cdr::Limits limits() const noexcept override {
    cdr::Limits limits = cdr::Limits::none();
    limits.max_depth = max_depth_;
    limits.max_expansion = max_expansion_;
    return limits;
  }

 private:
  const base::Bytes octets_;
  const std::uint32_t max_depth_;
  const std::uint32_t max_expansion_;
  base::SharedPtr<corba::OrbContext> context_;
};

/// A value as octets that are kept, and what can make objects of the references that went into them.
class Kept final : cdr::Encoder::Host {
 public:
  Kept() { encoder_.set_host(this); }

  cdr::Encoder& encoder() noexcept { return encoder_; }
  /// Throws MARSHAL if they could not be written.
  base::Bytes octets() {
    if (!encoder_.ok()) throw_bad_value(encoder_.error());
    return encoder_.to_bytes();
  }
  cdr::Context* context() const noexcept { return context_.get(); }

 private:
  void on_foreign_code(cdr::Encoder&) noexcept override {}
  void on_context(cdr::Context& context) override {
    if (context_ == nullptr) context_ = static_cast<corba::OrbContext&>(context).hold();
  }

  cdr::Encoder encoder_{kKept, 64};
  base::SharedPtr<corba::OrbContext> context_;
};

template <class T>
CORBA::Any make_typed(cdr::Decoder& decoder, CORBA::typecode_reference&& type, T value) {
  // A control block, the object, and what the allocator needs.
  if (!decoder.charge(sizeof(TypedValue<T>) + 32)) return {};
  return CORBA::Any(std::move(type), base::make_shared<TypedValue<T>>(std::move(value)));
}

/// Small values are kept as what they are, which takes less room and time than octets. False if the type has others.
bool decode_small(cdr::Decoder& decoder, CORBA::typecode_reference& type, CORBA::Any& any) {
  using CORBA::TCKind;
  const TypeNode& node = type->_resolved()._node();
  switch (node.kind) {
    case TCKind::tk_null:
    case TCKind::tk_void:
      any = CORBA::Any(std::move(type), nullptr);
      return true;
#define CORBEL_SMALL(KIND, TYPE)                                     \
  case TCKind::KIND:                                                 \
    any = make_typed(decoder, std::move(type), decoder.get<TYPE>()); \
    return true;
      CORBEL_SMALL(tk_boolean, bool)
      CORBEL_SMALL(tk_char, char)
      CORBEL_SMALL(tk_octet, std::uint8_t)
      CORBEL_SMALL(tk_short, std::int16_t)
      CORBEL_SMALL(tk_ushort, std::uint16_t)
      CORBEL_SMALL(tk_long, std::int32_t)
      CORBEL_SMALL(tk_ulong, std::uint32_t)
      CORBEL_SMALL(tk_longlong, std::int64_t)
      CORBEL_SMALL(tk_ulonglong, std::uint64_t)
      CORBEL_SMALL(tk_float, float)
      CORBEL_SMALL(tk_double, double)
#undef CORBEL_SMALL
    case TCKind::tk_string: {
      std::string text;
      decoder.get_string(text);
      if (node.length != 0 && text.size() > node.length) decoder.fail(base::Code::bad_bound);
      any = make_typed(decoder, std::move(type), std::move(text));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

void throw_bad_value(const base::Error& error) {
  std::string detail = "the value of an Any: ";
  const bool no_factory = error.stage == base::Stage::decode && error.code == base::Code::not_found;
  const std::uint32_t minor = no_factory ? corba::minor::kNoValueFactory : corba::vendor_minor(error.stage, error.code);
  throw CORBA::MARSHAL(minor, CORBA::CompletionStatus::COMPLETED_NO, detail.append(to_string(error.code)));
}

AnyValue::~AnyValue() = default;
CORBA::object_reference<CORBA::ValueBase> AnyValue::value() const noexcept {
  return {};
}

void encode_system_exception(cdr::Encoder& encoder, const CORBA::SystemException& exception) {
  encoder.put_plain_string(exception._rep_id());
  encoder.put(exception.minor());
  encoder.put(static_cast<std::uint32_t>(exception.completed()));
}

void decode_system_exception(cdr::Decoder& decoder, CORBA::SystemException& exception) {
  decoder.get_plain_string();
  exception.minor(decoder.get<std::uint32_t>());
  exception.completed(static_cast<CORBA::CompletionStatus>(decoder.get<std::uint32_t>()));
}

CORBA::Any decode_value(cdr::Decoder& decoder, CORBA::typecode_reference type) {
  if (CORBA::Any any; decode_small(decoder, type, any)) return decoder.ok() ? any : CORBA::Any();
  if (!decoder.charge(kValueMemory)) return {};
  cdr::Encoder kept(kKept, 64);
  transcode(*type, decoder, kept, Origin::foreign);
  if (!kept.ok()) decoder.fail(kept.error().code);
  if (!decoder.ok()) return {};
  cdr::Limits limits;
  limits.max_depth = decoder.max_depth();
  limits.max_expansion = decoder.max_expansion();
  return CORBA::Any(std::move(type), base::make_shared<WireValue>(kept.to_bytes(), decoder.context(), limits));
}

CORBA::Any keep_value(CORBA::typecode_reference type, cdr::Context* context,
                      base::FunctionRef<void(cdr::Encoder&)> write) {
  Kept kept;
  write(kept.encoder());
  base::Bytes octets = kept.octets();
  if (context == nullptr) context = kept.context();
  cdr::Limits limits = cdr::Limits::none();
  limits.max_depth = cdr::Encoder::kMaxDepth;
  if (context != nullptr) {  // what arrived may be in it
    limits.max_depth = std::max(limits.max_depth, static_cast<corba::OrbContext*>(context)->limits().max_depth);
  }
  return CORBA::Any(std::move(type), base::make_shared<WireValue>(std::move(octets), context, limits));
}

CORBA::Any make_label(const CORBA::TypeCode& discriminator, std::int64_t label) {
  return keep_value(discriminator._reference(), nullptr,
                    [&](cdr::Encoder& kept) { put_label(kept, discriminator, label); });
}

}  // namespace corbel::dynamic

namespace corbel::mapping {

void Codec<CORBA::Any>::encode(cdr::Encoder& encoder, const CORBA::Any& value) {
  if (!encoder.enter()) return;
  dynamic::encode_type(encoder, value._type());
  value._encode_value(encoder);
  encoder.leave();
}

void Codec<CORBA::Any>::decode(cdr::Decoder& decoder, CORBA::Any& value) {
  if (!decoder.enter()) return;
  CORBA::typecode_reference type = dynamic::decode_type(decoder);
  if (type != nullptr) value = dynamic::decode_value(decoder, std::move(type));
  decoder.leave();
}

}  // namespace corbel::mapping

namespace CORBA {
namespace {

corbel::base::Bytes octets_of(const Any& any) {
  corbel::dynamic::Kept kept;
  any._encode_value(kept.encoder());
  return kept.octets();
}

}  // namespace

typecode_reference Any::type() const {
  return type_ == nullptr ? detail::k_null._reference() : type_;
}

void Any::type(const typecode_reference& type) {
  if (type == nullptr || !_type()._fits(*type)) throw BAD_TYPECODE();
  type_ = type;
}

void Any::_encode_value(corbel::cdr::Encoder& encoder) const {
  if (value_ != nullptr) value_->encode(encoder, *type_);
}

void Any::_decode_value(corbel::base::FunctionRef<void(corbel::cdr::Decoder&)> read) const {
  const corbel::base::Bytes* kept = value_ != nullptr ? value_->octets() : nullptr;
  const auto limits = value_ != nullptr ? value_->limits() : corbel::cdr::Limits::none();
  const auto decode = [&](const corbel::base::Bytes& octets, corbel::cdr::Context* context) {
    corbel::cdr::Decoder decoder(octets, corbel::dynamic::kKept, limits);
    decoder.set_context(context);
    read(decoder);
    if (!decoder.ok()) corbel::dynamic::throw_bad_value(decoder.error());
  };
  if (kept != nullptr) return decode(*kept, value_->context());
  corbel::dynamic::Kept made;
  _encode_value(made.encoder());
  decode(made.octets(), made.context());
}

void operator<<=(Any& any, const char* text) {
  any <<= std::string(text);
}

void operator<<=(Any& any, const wchar_t* text) {
  any <<= std::wstring(text);
}

bool operator==(const Any& a, const Any& b) {
  if (!a._type().equal(b.type())) return false;
  return a.value_ == b.value_ || octets_of(a) == octets_of(b);
}

std::ostream& operator<<(std::ostream& stream, const TypeCode& type) {
  static constexpr const char* kNames[] = {"null",
                                           "void",
                                           "short",
                                           "long",
                                           "unsigned short",
                                           "unsigned long",
                                           "float",
                                           "double",
                                           "boolean",
                                           "char",
                                           "octet",
                                           "any",
                                           "TypeCode",
                                           "Principal",
                                           "Object",
                                           "struct",
                                           "union",
                                           "enum",
                                           "string",
                                           "sequence",
                                           "array",
                                           "alias",
                                           "exception",
                                           "long long",
                                           "unsigned long long",
                                           "long double",
                                           "wchar",
                                           "wstring",
                                           "fixed",
                                           "valuetype",
                                           "value box",
                                           "native",
                                           "abstract interface",
                                           "local interface",
                                           "component",
                                           "home",
                                           "eventtype"};
  const auto& node = type._node();
  if (!node.name.empty()) return stream << node.name;
  stream << kNames[static_cast<std::size_t>(node.kind)];
  if (node.kind != TCKind::tk_sequence && node.kind != TCKind::tk_array) return stream;
  // The element of a type without a name is in the end named or basic, or the text would have no end.
  const auto& element = node.content->_node();
  return element.name.empty() && element.content != nullptr ? stream << "<...>" : stream << '<' << *node.content << '>';
}

std::ostream& operator<<(std::ostream& stream, const Any& any) {
  return stream << "any{" << any._type() << '}';
}

}  // namespace CORBA
