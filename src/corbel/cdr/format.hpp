// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "corbel/base/export.hpp"

namespace corbel::cdr {

/// Code set registry ids (OSF registry; CORBA 3.3 part 2, 7.10) that Corbel speaks.
enum class CodeSet : std::uint32_t {
  none = 0,
  iso_8859_1 = 0x00010001,
  ucs_2 = 0x00010100,
  ucs_4 = 0x00010104,
  utf_16 = 0x00010109,
  utf_8 = 0x05010001,
};

/// How values are written in one message or encapsulation: the byte order, the GIOP minor version (which decides the
/// form of wide characters) and the transmission code sets. A value; the connection keeps one for each direction.
struct Format {
  bool little_endian = std::endian::native == std::endian::little;
  std::uint8_t giop_minor = 2;
  /// Narrow strings in the program are UTF-8. When the peer's transmission code set is ISO 8859-1 they are converted;
  /// with any other value octets pass through untouched.
  CodeSet char_set = CodeSet::utf_8;
  /// utf_16, or none when no wide code set was negotiated (wide data is then an error, clause 9.7.3).
  CodeSet wchar_set = CodeSet::utf_16;

  bool swapped() const noexcept { return little_endian != (std::endian::native == std::endian::little); }
};

/// Keeps account of memory that input from outside makes this process take. Thread-safe.
class Memory {
 public:
  /// False, and nothing is taken, if there is no more.
  virtual bool take(std::size_t octets) = 0;
  virtual void give(std::size_t octets) noexcept = 0;

 protected:
  ~Memory() = default;
};

/// What a coder carries through one message for another part: the tables of its values (value_stream.hpp).
class CORBEL_API Attachment {
 public:
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment();

 protected:
  Attachment() noexcept = default;
};

/// Bounds on what one incoming message may make us do. Every one is an ORB option.
struct Limits {
  std::uint32_t max_message_size = 256U << 20;  ///< octets of one message, fragments joined
  /// Levels of values inside values. A level is a struct or union of a type that contains itself, a valuetype, or an
  /// Any; sequences, arrays, aliases and the bases of a valuetype are none. A TypeCode has levels of its own, one for
  /// each TypeCode inside another.
  std::uint32_t max_depth = 128;
  std::uint32_t max_service_contexts = 256;  ///< service contexts in one message
  std::uint32_t max_profiles = 64;           ///< profiles in one object reference
  std::uint32_t max_components = 256;        ///< tagged components in one profile
  std::uint32_t max_object_key = 64U << 10;  ///< octets of an object key
  std::uint32_t max_operation = 1024;        ///< octets of an operation name
  /// Largest ratio of memory allocated for decoded values to the octets of the message, beyond free_memory.
  std::uint32_t max_expansion = 32;
  /// Octets of memory that the values of any message may take, however small it is. No option.
  std::uint32_t free_memory = 1U << 20;

  /// For octets of our own, which were checked when they came or were never foreign.
  static constexpr Limits none() noexcept {
    Limits limits;
    limits.max_depth = limits.max_expansion = limits.max_profiles = limits.max_components = limits.max_object_key = ~0U;
    return limits;
  }
};

}  // namespace corbel::cdr
