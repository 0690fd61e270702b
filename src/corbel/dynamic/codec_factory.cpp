// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/codec_factory.hpp"

#include <string>

#include "corbel/cdr/encapsulation.hpp"
#include "corbel/corba/define_exception.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace IOP {
namespace {

using corbel::cdr::CodeSet;

CORBA::OctetSeq encapsulate(corbel::cdr::Format format, corbel::base::FunctionRef<void(corbel::cdr::Encoder&)> write) {
  auto octets = corbel::cdr::encapsulate(write, format);
  if (!octets && octets.error().code == corbel::base::Code::bad_character) {
    throw CORBA::DATA_CONVERSION(corbel::corba::minor::kCharacterNotInCodeSet, CORBA::CompletionStatus::COMPLETED_NO,
                                 "a character is not in the Codec's code set");
  }
  if (!octets) throw Codec::InvalidTypeForEncoding();
  return *std::move(octets);
}

/// The format of CDR encapsulations of that version. Throws UnknownEncoding.
corbel::cdr::Format format_of(EncodingFormat format, std::uint8_t major_version, std::uint8_t minor_version) {
  const bool known = format == ENCODING_CDR_ENCAPS && major_version == 1 && minor_version <= 2;
  if (!known) throw CodecFactory::UnknownEncoding();
  return {.giop_minor = minor_version};
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
  return CORBA::make_reference<Codec>(context_,
                                      format_of(encoding.format(), encoding.major_version(), encoding.minor_version()));
}

CORBA::object_reference<Codec> CodecFactory::create_codec_with_codesets(const Encoding_1_2& encoding) {
  auto format = format_of(encoding.format(), encoding.major_version(), encoding.minor_version());
  format.char_set = CodeSet{encoding.char_codeset()};
  format.wchar_set = CodeSet{encoding.wchar_codeset()};
  if (format.char_set != CodeSet::utf_8 && format.char_set != CodeSet::iso_8859_1) {
    throw UnsupportedCodeset(encoding.char_codeset());
  }
  if (format.wchar_set != CodeSet::utf_16) throw UnsupportedCodeset(encoding.wchar_codeset());
  return CORBA::make_reference<Codec>(context_, format);
}

CORBEL_DEFINE_EXCEPTION_NAMES(CodecFactory::UnsupportedCodeset, "UnsupportedCodeset")
void CodecFactory::UnsupportedCodeset::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(codeset_);
}
void CodecFactory::UnsupportedCodeset::_info(std::string& text) const {
  text += "IOP::CodecFactory::UnsupportedCodeset{codeset=" + std::to_string(codeset_) + "}";
}

}  // namespace IOP

namespace corbel::dynamic {

CORBA::object_reference<CORBA::Object> make_codec_factory(corba::OrbContext& orb) {
  return CORBA::make_reference<IOP::CodecFactory>(orb);
}

}  // namespace corbel::dynamic
