// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/corba/local_traits.hpp"
#include "corbel/dynamic/any.hpp"

namespace CORBA {
using OctetSeq = std::vector<std::uint8_t>;
}

namespace CONV_FRAME {
/// A number of the code set registry (CORBA 3.3 part 2, 7.10.2.1).
using CodeSetId = std::uint32_t;
}  // namespace CONV_FRAME

/// Values as octets by hand (CORBA 3.3 part 1, 16.7): what goes into service contexts, tagged components and files.
namespace IOP {

using EncodingFormat = std::int16_t;
/// An encapsulation: the byte order, then CDR as in GIOP of the same version.
inline constexpr EncodingFormat ENCODING_CDR_ENCAPS = 0;

/// Which octets: CDR encapsulations of GIOP 1.2 unless changed.
class Encoding {
 public:
  Encoding() = default;
  Encoding(EncodingFormat format, std::uint8_t major_version, std::uint8_t minor_version)
      : format_(format), major_version_(major_version), minor_version_(minor_version) {}

  void format(EncodingFormat value) { format_ = value; }
  EncodingFormat format() const { return format_; }
  EncodingFormat& format() { return format_; }
  void major_version(std::uint8_t value) { major_version_ = value; }
  std::uint8_t major_version() const { return major_version_; }
  std::uint8_t& major_version() { return major_version_; }
  void minor_version(std::uint8_t value) { minor_version_ = value; }
  std::uint8_t minor_version() const { return minor_version_; }
  std::uint8_t& minor_version() { return minor_version_; }
  friend bool operator==(const Encoding&, const Encoding&) = default;

 private:
  EncodingFormat format_ = ENCODING_CDR_ENCAPS;
  std::uint8_t major_version_ = 1;
  std::uint8_t minor_version_ = 2;
};

/// As Encoding, and in which code sets the characters are: UTF-8 and UTF-16 unless changed.
class Encoding_1_2 {
 public:
  Encoding_1_2() = default;
  Encoding_1_2(EncodingFormat format, std::uint8_t major_version, std::uint8_t minor_version,
               CONV_FRAME::CodeSetId char_codeset, CONV_FRAME::CodeSetId wchar_codeset)
      : format_(format),
        major_version_(major_version),
        minor_version_(minor_version),
        char_codeset_(char_codeset),
        wchar_codeset_(wchar_codeset) {}

  void format(EncodingFormat value) { format_ = value; }
  EncodingFormat format() const { return format_; }
  EncodingFormat& format() { return format_; }
  void major_version(std::uint8_t value) { major_version_ = value; }
  std::uint8_t major_version() const { return major_version_; }
  std::uint8_t& major_version() { return major_version_; }
  void minor_version(std::uint8_t value) { minor_version_ = value; }
  std::uint8_t minor_version() const { return minor_version_; }
  std::uint8_t& minor_version() { return minor_version_; }
  void char_codeset(CONV_FRAME::CodeSetId value) { char_codeset_ = value; }
  CONV_FRAME::CodeSetId char_codeset() const { return char_codeset_; }
  CONV_FRAME::CodeSetId& char_codeset() { return char_codeset_; }
  void wchar_codeset(CONV_FRAME::CodeSetId value) { wchar_codeset_ = value; }
  CONV_FRAME::CodeSetId wchar_codeset() const { return wchar_codeset_; }
  CONV_FRAME::CodeSetId& wchar_codeset() { return wchar_codeset_; }
  friend bool operator==(const Encoding_1_2&, const Encoding_1_2&) = default;

 private:
  EncodingFormat format_ = ENCODING_CDR_ENCAPS;
  std::uint8_t major_version_ = 1;
  std::uint8_t minor_version_ = 2;
  CONV_FRAME::CodeSetId char_codeset_ = static_cast<std::uint32_t>(corbel::cdr::CodeSet::utf_8);
  CONV_FRAME::CodeSetId wchar_codeset_ = static_cast<std::uint32_t>(corbel::cdr::CodeSet::utf_16);
};

/// Turns Anys into octets and back; made by a CodecFactory. Octets are read with limits on depth and memory, like a
/// message. Keeps the ORB alive; thread-safe.
class CORBEL_API Codec final : public CORBA::LocalObject {
 public:
  /// The encoding has no form for a value of this type.
  class CORBEL_API InvalidTypeForEncoding final : public corbel::corba::MemberlessException<InvalidTypeForEncoding> {
   public:
    static constexpr const char* _id = "IDL:omg.org/IOP/Codec/InvalidTypeForEncoding:1.0";
    static constexpr const char* _label = "InvalidTypeForEncoding";
  };
  /// The octets are not in this encoding.
  class CORBEL_API FormatMismatch final : public corbel::corba::MemberlessException<FormatMismatch> {
   public:
    static constexpr const char* _id = "IDL:omg.org/IOP/Codec/FormatMismatch:1.0";
    static constexpr const char* _label = "FormatMismatch";
  };
  /// The octets hold no value of the type, or something after it.
  class CORBEL_API TypeMismatch final : public corbel::corba::MemberlessException<TypeMismatch> {
   public:
    static constexpr const char* _id = "IDL:omg.org/IOP/Codec/TypeMismatch:1.0";
    static constexpr const char* _label = "TypeMismatch";
  };

  /// The Any, with its TypeCode. Throws InvalidTypeForEncoding, and DATA_CONVERSION minor OMG 1 for a character that
  /// the code set does not have.
  CORBA::OctetSeq encode(const CORBA::Any& data);
  /// Throws FormatMismatch.
  CORBA::Any decode(const CORBA::OctetSeq& data);
  /// The value alone. Throws as encode().
  CORBA::OctetSeq encode_value(const CORBA::Any& data);
  /// Throws FormatMismatch if the octets are no encapsulation, TypeMismatch if they do not hold exactly a value of
  /// `type`, and BAD_TYPECODE for nil.
  CORBA::Any decode_value(const CORBA::OctetSeq& data, const CORBA::typecode_reference& type);

  /// For the factory.
  Codec(corbel::corba::OrbContext& orb, corbel::cdr::Format format) : orb_(orb.orb()), context_(orb), format_(format) {}

 private:
  corbel::cdr::Decoder open(const CORBA::OctetSeq& data);

  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps context_ alive
  corbel::corba::OrbContext& context_;
  const corbel::cdr::Format format_;
};

/// Makes Codecs: `resolve_initial_references("CodecFactory")`. Thread-safe.
class CORBEL_API CodecFactory final : public CORBA::LocalObject {
 public:
  /// Not ENCODING_CDR_ENCAPS of version 1.0, 1.1 or 1.2.
  class CORBEL_API UnknownEncoding final : public corbel::corba::MemberlessException<UnknownEncoding> {
   public:
    static constexpr const char* _id = "IDL:omg.org/IOP/CodecFactory/UnknownEncoding:1.0";
    static constexpr const char* _label = "UnknownEncoding";
  };

  /// There is no conversion between the code set and the program's (UTF-8, and wchar_t as Unicode).
  class CORBEL_API UnsupportedCodeset final : public CORBA::UserException {
   public:
    static constexpr const char* _id = "IDL:omg.org/IOP/CodecFactory/UnsupportedCodeset:1.0";

    UnsupportedCodeset() = default;
    explicit UnsupportedCodeset(CONV_FRAME::CodeSetId codeset) : codeset_(codeset) {}
    CONV_FRAME::CodeSetId codeset() const noexcept { return codeset_; }
    CONV_FRAME::CodeSetId& codeset() noexcept { return codeset_; }
    void codeset(CONV_FRAME::CodeSetId codeset) noexcept { codeset_ = codeset; }

    [[noreturn]] void _raise() const override;
    const char* _rep_id() const noexcept override;
    const char* _name() const noexcept override;
    void _encode(corbel::cdr::Encoder& encoder) const override;

   protected:
    void _info(std::string& text) const override;

   private:
    CONV_FRAME::CodeSetId codeset_ = 0;
  };

  /// Throws UnknownEncoding.
  CORBA::object_reference<Codec> create_codec(const Encoding& encoding);
  /// For octets of peers that write characters otherwise (CORBA 3.3 part 1, 16.7): ISO 8859-1 (0x00010001) or UTF-8
  /// (0x05010001), and UTF-16 (0x00010109). Throws UnknownEncoding and, with the first that is none of these,
  /// UnsupportedCodeset.
  CORBA::object_reference<Codec> create_codec_with_codesets(const Encoding_1_2& encoding);

  /// For the ORB.
  explicit CodecFactory(corbel::corba::OrbContext& orb) : orb_(orb.orb()), context_(orb) {}

 private:
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps context_ alive
  corbel::corba::OrbContext& context_;
};

}  // namespace IOP

namespace IDL {
template <>
struct traits<IOP::Codec> : corbel::corba::LocalTraits<IOP::Codec> {};
template <>
struct traits<IOP::CodecFactory> : corbel::corba::LocalTraits<IOP::CodecFactory> {};
}  // namespace IDL

namespace corbel::dynamic {

/// For Components::local_references.
CORBEL_API CORBA::object_reference<CORBA::Object> make_codec_factory(corba::OrbContext& orb);

}  // namespace corbel::dynamic
