// SPDX-License-Identifier: Apache-2.0
// twist() of interop.idl for the IDL-to-C++11 mapping.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "interop.hpp"

namespace interop {

inline bool twisted(bool v) {
  return !v;
}
inline char twisted(char v) {
  return static_cast<char>(v ^ 1);
}
inline std::uint8_t twisted(std::uint8_t v) {
  return v ^ 1;
}
inline wchar_t twisted(wchar_t v) {
  return v ^ 1;
}
inline float twisted(float v) {
  return -v;
}
inline double twisted(double v) {
  return -v;
}
inline Interop::Colour twisted(Interop::Colour v) {
  return static_cast<Interop::Colour>((static_cast<std::uint32_t>(v) + 1) % 3);
}
template <class T>
requires std::is_integral_v<T> T twisted(T v) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(v) + 1U);
}

template <class Char>
void twist_text(std::basic_string<Char>& text) {
  for (Char& c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) c = static_cast<Char>(c ^ 0x20);
  }
}

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void twist(T& v) {
  v = twisted(v);
}
inline void twist(std::string& v) {
  twist_text(v);
}
inline void twist(std::wstring& v) {
  twist_text(v);
}
template <class I>
void twist(CORBA::object_reference<I>&) {}

// Defined last, where every overload is known.
template <class T, std::size_t n>
void twist(std::array<T, n>& array);
template <class T>
void twist(std::vector<T>& sequence);

inline void twist(Interop::BinStruct& v) {
  twist(v.s()), twist(v.c()), twist(v.l()), twist(v.o()), twist(v.d());
}
inline void twist(Interop::Scalars& v) {
  twist(v.b()), twist(v.c()), twist(v.o()), twist(v.s()), twist(v.us()), twist(v.l()), twist(v.ul());
  twist(v.ll()), twist(v.ull()), twist(v.f()), twist(v.d()), twist(v.shade());
}
inline void twist(Interop::Wides& v) {
  twist(v.before()), twist(v.wc()), twist(v.ws()), twist(v.after());
}
inline void twist(Interop::Record& v) {
  twist(v.tag()), twist(v.name()), twist(v.code()), twist(v.bin()), twist(v.labels()), twist(v.pair()), twist(v.hue());
}
inline void twist(Interop::Nested& v) {
  twist(v.rec()), twist(v.all()), twist(v.rows());
}
inline void twist(Interop::Empties& v) {
  twist(v.none()), twist(v.d()), twist(v.nothing()), twist(v.last());
}
inline void twist(Interop::Tree& v) {
  twist(v.value()), twist(v.kids());
}
inline void twist(Interop::Words& v) {
  twist(v.interface()), twist(v._cxx_delete()), twist(v._cxx_class()), twist(v._cxx_struct());
}
inline void twist(Interop::Arrays& v) {
  twist(v.flags()), twist(v.cells()), twist(v.both()), twist(v.hash()), twist(v.lists());
}
inline void twist(Interop::Link& v) {
  twist(v.name());
}

inline void twist(Interop::LongUnion& v) {
  const std::int32_t label = v._d();
  if (label == 1) return v.s(twisted(v.s()));
  if (label == 2 || label == 3) return twist(v.str());
  if (label == -4) return twist(v.bin());
  v.d(twisted(v.d()), label);
}
inline void twist(Interop::EnumUnion& v) {
  if (v._d() == Interop::Colour::red) v.l(twisted(v.l()));
  if (v._d() == Interop::Colour::green) twist(v.rec());
}
inline void twist(Interop::BoolUnion& v) {
  if (v._d()) return twist(v.yes());
  twist(v.no());
}
inline void twist(Interop::CharUnion& v) {
  const char label = v._d();
  if (label == 'a') return v.o(twisted(v.o()));
  if (label == 'b') return twist(v.cells());
  v.shade(twisted(v.shade()), label);
}
inline void twist(Interop::ShortUnion& v) {
  if (v._d() == 65535) twist(v.inner());
  if (v._d() == 7) twist(v.branch());
}
inline void twist(Interop::WideUnion& v) {
  const std::int64_t label = v._d();
  if (label == -5000000000) return twist(v.ws());
  v.wc(twisted(v.wc()), label);
}

template <class T, std::size_t n>
void twist(std::array<T, n>& array) {
  for (T& element : array) twist(element);
}
template <class T>
void twist(std::vector<T>& sequence) {
  std::reverse(sequence.begin(), sequence.end());
  if constexpr (std::is_same_v<T, bool>) {
    sequence.flip();
  } else {
    for (T& element : sequence) twist(element);
  }
}

}  // namespace interop
