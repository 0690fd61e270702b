// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "corbel/mapping/types.hpp"

/// Text of mapped values for people: what the operator<< of generated types is made of.
namespace corbel::corba {
// Declared here, too, because few types have values (corba/value.hpp).
CORBEL_API void print_value(std::ostream& stream, const CORBA::ValueBase& value);
}  // namespace corbel::corba

namespace corbel::mapping {

namespace detail {

template <class C>
void print_character(std::ostream& stream, C value, char quote) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<C>>(value));
  if (value == static_cast<C>(quote) || value == static_cast<C>('\\')) {
    stream << '\\' << static_cast<char>(value);
  } else if (code >= 0x20 && code != 0x7f && code < (sizeof(C) == 1 ? 0x100U : 0x80U)) {
    stream << static_cast<char>(value);  // UTF-8 passes as it is
  } else if (code < 0x100) {
    stream << "\\x" << kDigits[code >> 4] << kDigits[code & 15];
  } else {
    stream << (code < 0x10000 ? "\\u" : "\\U");
    for (int shift = code < 0x10000 ? 12 : 28; shift >= 0; shift -= 4) stream << kDigits[(code >> shift) & 15];
  }
}

template <class T>
concept Text = std::is_base_of_v<std::string, T> || std::is_base_of_v<std::wstring, T>;
template <class T>
concept List = !Text<T> && requires(const T& value) {
  value.begin();
  value.size();
};

}  // namespace detail

/// References: whether there is an object; values are written with their members.
template <class I>
void print(std::ostream& stream, const CORBA::object_reference<I>& value);

/// Writes one value: numbers and octets in decimal, 'c', L'c', "text", L"text", true, {1,2,3}, and generated types by
/// their own operator<<.
template <class T>
void print(std::ostream& stream, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    stream << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, wchar_t>) {
    stream << (sizeof(T) > 1 ? "L'" : "'");
    detail::print_character(stream, value, '\'');
    stream << '\'';
  } else if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int8_t>) {
    stream << static_cast<int>(value);
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) {
      print(stream, *value);
    } else {
      stream << "nothing";
    }
  } else if constexpr (requires {
                         typename T::element_type;
                         value.use_count();
                       }) {
    if (value != nullptr) {
      print(stream, *value);
    } else {
      stream << "nothing";
    }
  } else if constexpr (requires { value.first; }) {
    print(stream, value.first);
    stream << ':';
    print(stream, value.second);
  } else if constexpr (detail::Text<T>) {
    stream << (std::is_base_of_v<std::wstring, T> ? "L\"" : "\"");
    for (const auto c : value) detail::print_character(stream, c, '"');
    stream << '"';
  } else if constexpr (detail::List<T>) {
    const char* separator = "{";
    for (const typename T::value_type& element : value) {
      stream << separator;
      print(stream, element);
      separator = ",";
    }
    stream << (value.size() == 0 ? "{}" : "}");
  } else if constexpr (requires { stream << value; }) {
    stream << value;
  } else {
    stream << "native";
  }
}

template <class I>
void print(std::ostream& stream, const CORBA::object_reference<I>& value) {
  if constexpr (requires { value->_print(stream); }) {
    if (value != nullptr) return corba::print_value(stream, *value);
  }
  stream << (value == nullptr ? "ref_type{nil}" : "ref_type{object}");
}

inline void print_rest(std::ostream&, std::string_view) {}
template <class T, class... Rest>
void print_rest(std::ostream& stream, std::string_view separator, const char* name, const T& value,
                const Rest&... rest) {
  stream << separator << name << '=';
  print(stream, value);
  print_rest(stream, ",", rest...);
}

/// `Scope::Type{name=value,...}` from alternating names and values.
template <class... NamesAndValues>
std::ostream& print_members(std::ostream& stream, std::string_view type, const NamesAndValues&... members) {
  stream << type << '{';
  print_rest(stream, "", members...);
  return stream << '}';
}

/// The enumerator's scoped name, or its number if it has none.
template <std::size_t N>
std::ostream& print_enumerator(std::ostream& stream, const char* const (&names)[N], std::uint32_t value) {
  return value < N ? stream << names[value] : stream << value;
}

/// `Scope::Mask{first,second}`: the names of the bits that are set, the lowest first.
struct BitName {
  const char* name;
  unsigned position;
};
template <std::size_t N>
std::ostream& print_bits(std::ostream& stream, const char* type, const BitName (&names)[N], std::uint64_t bits) {
  stream << type;
  const char* separator = "{";
  for (const BitName& bit : names) {
    if ((bits >> bit.position & 1) == 0) continue;
    stream << separator << bit.name;
    separator = ",";
  }
  return stream << (*separator == '{' ? "{}" : "}");
}

/// What operator<< writes.
template <class T>
std::string to_text(const T& value) {
  std::ostringstream stream;
  stream << value;
  return std::move(stream).str();
}

}  // namespace corbel::mapping

namespace IDL {

template <class T, class Stream>
struct formatter {
  Stream& operator()(Stream& stream, const T& value) const {
    corbel::mapping::print(stream, value);
    return stream;
  }
};

template <class T, class Format>
std::ostream& operator<<(std::ostream& stream, const writer<T, Format>& writer) {
  std::conditional_t<std::is_void_v<Format>, formatter<T>, Format> format;
  format(stream, writer.value);
  return stream;
}

}  // namespace IDL

namespace CORBA {

/// Whether there is an object; values are written with their members.
template <class T>
std::ostream& operator<<(std::ostream& stream, const object_reference<T>& reference) {
  return IDL::formatter<object_reference<T>>()(stream, reference);
}

}  // namespace CORBA
