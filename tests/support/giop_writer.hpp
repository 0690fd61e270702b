// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace corbel::test {

using Octets = std::vector<std::uint8_t>;

/// Writes CDR by hand, so that what tests send and expect does not come from the code they test. Alignment counts from
/// the first octet written.
class Writer {
 public:
  explicit Writer(bool little_endian = true) : little_endian_(little_endian) {}

  Writer& octet(std::uint8_t value) {
    octets_.push_back(value);
    return *this;
  }
  Writer& align(std::size_t to) {
    while (octets_.size() % to != 0) octets_.push_back(0);
    return *this;
  }
  Writer& u16(std::uint16_t value) { return number(value, 2); }
  Writer& u32(std::uint32_t value) { return number(value, 4); }
  Writer& i32(std::int32_t value) { return number(static_cast<std::uint32_t>(value), 4); }
  Writer& string(std::string_view text) {
    u32(static_cast<std::uint32_t>(text.size() + 1));
    raw(text);
    return octet(0);
  }
  Writer& octets(const Octets& data) {
    u32(static_cast<std::uint32_t>(data.size()));
    octets_.insert(octets_.end(), data.begin(), data.end());
    return *this;
  }
  Writer& raw(std::string_view text) {
    octets_.insert(octets_.end(), text.begin(), text.end());
    return *this;
  }
  Writer& raw(const Octets& data) {
    octets_.insert(octets_.end(), data.begin(), data.end());
    return *this;
  }
  /// The header of a GIOP message, to begin with; finish() fills in the size.
  Writer& giop(std::uint8_t type, std::uint8_t minor, bool more_fragments = false) {
    raw("GIOP").octet(1).octet(minor);
    octet(static_cast<std::uint8_t>((little_endian_ ? 1 : 0) | (more_fragments ? 2 : 0))).octet(type);
    return u32(0);
  }
  Octets finish() {
    const auto size = static_cast<std::uint32_t>(octets_.size() - 12);
    for (int i = 0; i < 4; ++i) {
      octets_[static_cast<std::size_t>(8 + i)] = static_cast<std::uint8_t>(size >> 8 * (little_endian_ ? i : 3 - i));
    }
    return octets_;
  }
  const Octets& written() const { return octets_; }

 private:
  Writer& number(std::uint32_t value, std::size_t size) {
    align(size);
    for (std::size_t i = 0; i < size; ++i) {
      octet(static_cast<std::uint8_t>(value >> 8 * (little_endian_ ? i : size - 1 - i)));
    }
    return *this;
  }

  bool little_endian_;
  Octets octets_;
};

/// Reads CDR by hand; throws std::runtime_error where the data end.
class Reader {
 public:
  Reader(const Octets& octets, bool little_endian, std::size_t position = 0)
      : octets_(octets), little_endian_(little_endian), position_(position) {}

  std::uint8_t octet();
  Reader& align(std::size_t to) {
    while (position_ % to != 0) ++position_;
    return *this;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return number(4); }
  Octets octets();
  std::string string();
  std::size_t position() const { return position_; }

 private:
  std::uint32_t number(std::size_t size);

  const Octets& octets_;
  bool little_endian_;
  std::size_t position_;
};

/// "key" as octets.
inline Octets octets_of(std::string_view text) {
  return Octets(text.begin(), text.end());
}

/// What a reference consists of. Several profiles make several places.
struct ProfileData {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string key = "key";
  std::uint8_t minor = 2;
  bool code_sets = true;      ///< Corbel's own: UTF-8 and UTF-16
  bool wide_code_set = true;  ///< else they have none for wide characters
};

/// Appends an IOR (without profiles: nil) in CDR.
void write_ior(Writer& writer, const std::vector<ProfileData>& profiles, std::string_view type_id = "IDL:Test:1.0");
/// The stringified form.
std::string ior_string(const std::vector<ProfileData>& profiles, std::string_view type_id = "IDL:Test:1.0");

}  // namespace corbel::test
