// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/codec_factory.hpp"

#include "corbel/cdr/encapsulation.hpp"

namespace IOP {
namespace {

CORBA::OctetSeq encapsulate(corbel::cdr::Format format, corbel::base::FunctionRef<void(corbel::cdr::Encoder&)> write) {
  auto octets = corbel::cdr::encapsulate(write, format);
  if (!octets) throw Codec::InvalidTypeForEncoding();
  return *std::move(octets);
}

bool read_whole(const corbel::cdr::Decoder& decoder) {
  return decoder.ok() && decoder.remaining() == 0;
}

}  // namespace

CORBA::OctetSeq Codec::encode(const CORBA::Any& data) {
  return encapsulate(format_,
                     [&](corbel::cdr::Encoder& encoder) { corbel::mapping::Codec<CORBA::Any>::encode(encoder, data); });
}

CORBA::OctetSeq Codec::encode_value(const CORBA::Any& data) {
  return encapsulate(format_, [&](corbel::cdr::Encoder& encoder) { data._encode_value(encoder); });
}

CORBA::Any Codec::decode(const CORBA::OctetSeq& data) {
  auto decoder = open(data);
  CORBA::Any any;
  corbel::mapping::Codec<CORBA::Any>::decode(decoder, any);
  if (!read_whole(decoder)) throw FormatMismatch();
  return any;
}

CORBA::Any Codec::decode_value(const CORBA::OctetSeq& data, const CORBA::typecode_reference& type) {
  if (type == nullptr) throw CORBA::BAD_TYPECODE();
  auto decoder = open(data);
  CORBA::Any any = corbel::dynamic::decode_value(decoder, type);
  if (!read_whole(decoder)) throw TypeMismatch();
  return any;
}

/// Past the octet that says the byte order.
corbel::cdr::Decoder Codec::open(const CORBA::OctetSeq& data) {
  auto decoder = corbel::cdr::Decoder::from_encapsulation(data, format_, context_.limits());
  if (!decoder.ok()) throw FormatMismatch();
  decoder.set_context(&context_);
  return decoder;
}

CORBA::object_reference<Codec> CodecFactory::create_codec(const Encoding& encoding) {
  const bool known =
      encoding.format() == ENCODING_CDR_ENCAPS && encoding.major_version() == 1 && encoding.minor_version() <= 2;
  if (!known) throw UnknownEncoding();
  return CORBA::make_reference<Codec>(context_, corbel::cdr::Format{.giop_minor = encoding.minor_version()});
}

}  // namespace IOP

namespace corbel::dynamic {

CORBA::object_reference<CORBA::Object> make_codec_factory(corba::OrbContext& orb) {
  return CORBA::make_reference<IOP::CodecFactory>(orb);
}

}  // namespace corbel::dynamic
