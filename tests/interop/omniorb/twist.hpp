// SPDX-License-Identifier: Apache-2.0
// twist() of interop.idl for the classic IDL-to-C++ mapping: overloads for the leaves, templates for the shapes.
#pragma once

#include <string>
#include <type_traits>

#include "interop.hh"

namespace interop {

inline bool twisted(bool v) {
  return !v;
}
inline CORBA::Octet twisted(CORBA::Octet v) {
  return v ^ 1;
}  // and CORBA::Char, which is the same type here
inline CORBA::WChar twisted(CORBA::WChar v) {
  return static_cast<CORBA::WChar>(v ^ 1);
}
inline float twisted(float v) {
  return -v;
}
inline double twisted(double v) {
  return -v;
}
inline Interop::Colour twisted(Interop::Colour v) {
  return static_cast<Interop::Colour>((v + 1) % 3);
}
template <class T>
requires std::is_integral_v<T> T twisted(T v) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(v) + 1u);
}

template <class Char>
Char swapped_case(Char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter ? static_cast<Char>(c ^ 0x20) : c;
}

/// Owned by the caller (CORBA::string_free), as the classic mapping's assignment from char* expects.
inline char* twisted_text(const char* text) {
  char* copy = CORBA::string_dup(text);
  for (char* p = copy; *p != 0; ++p) *p = swapped_case(*p);
  return copy;
}
inline CORBA::WChar* twisted_text(const CORBA::WChar* text) {
  CORBA::WChar* copy = CORBA::wstring_dup(text);
  for (CORBA::WChar* p = copy; *p != 0; ++p) *p = swapped_case(*p);
  return copy;
}

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void twist(T& v) {
  v = twisted(v);
}
inline void twist(CORBA::String_member& v) {
  v = twisted_text(v.in());
}
inline void twist(CORBA::WString_member& v) {
  v = twisted_text(v.in());
}

// Defined last, where every overload is known.
template <class T, std::size_t n>
void twist(T (&array)[n]);

template <class Seq>
requires requires(Seq& s) {
  s.length();
}
void twist(Seq& seq);

inline void twist(Interop::BinStruct& v) {
  twist(v.s), twist(v.c), twist(v.l), twist(v.o), twist(v.d);
}
inline void twist(Interop::Scalars& v) {
  twist(v.b), twist(v.c), twist(v.o), twist(v.s), twist(v.us), twist(v.l), twist(v.ul), twist(v.ll), twist(v.ull);
  twist(v.f), twist(v.d), twist(v.shade);
}
inline void twist(Interop::Wides& v) {
  twist(v.before), twist(v.wc), twist(v.ws), twist(v.after);
}
inline void twist(Interop::Record& v) {
  twist(v.tag), twist(v.name), twist(v.code), twist(v.bin), twist(v.labels), twist(v.pair), twist(v.hue);
}
inline void twist(Interop::Nested& v) {
  twist(v.rec), twist(v.all), twist(v.rows);
}
inline void twist(Interop::Empties& v) {
  twist(v.none), twist(v.d), twist(v.nothing), twist(v.last);
}
inline void twist(Interop::Tree& v) {
  twist(v.value), twist(v.kids);
}
inline void twist(Interop::Words& v) {
  twist(v.interface), twist(v._cxx_delete), twist(v._cxx_class), twist(v._cxx_struct);
}
inline void twist(Interop::Arrays& v) {
  twist(v.flags), twist(v.cells), twist(v.both), twist(v.hash), twist(v.lists);
}

inline void twist(Interop::LongUnion& v) {
  const CORBA::Long label = v._d();
  switch (label) {
    case 1:
      return v.s(twisted(v.s()));
    case 2:
    case 3:
      v.str(twisted_text(v.str()));
      return v._d(label);  // the modifier picks the first label
    case -4:
      return twist(v.bin());
    default:
      v.d(twisted(v.d()));
      return v._d(label);
  }
}
inline void twist(Interop::EnumUnion& v) {
  if (v._d() == Interop::red) v.l(twisted(v.l()));
  if (v._d() == Interop::green) twist(v.rec());
}
inline void twist(Interop::BoolUnion& v) {
  v._d() ? v.yes(twisted_text(v.yes())) : twist(v.no());
}
inline void twist(Interop::CharUnion& v) {
  const CORBA::Char label = v._d();
  if (label == 'a') return v.o(twisted(v.o()));
  if (label == 'b') {
    Interop::Grid copy;
    Interop::Grid_copy(copy, v.cells());
    twist(copy);
    return v.cells(copy);
  }
  v.shade(twisted(v.shade()));
  v._d(label);
}
inline void twist(Interop::ShortUnion& v) {
  if (v._d() == 65535) twist(v.inner());
  if (v._d() == 7) twist(v.branch());
}
inline void twist(Interop::WideUnion& v) {
  const CORBA::LongLong label = v._d();
  if (label == -5000000000) return v.ws(twisted_text(v.ws()));
  v.wc(twisted(v.wc()));
  v._d(label);
}

/// Sequences: the elements twisted, the order reversed.
template <class Seq>
requires requires(Seq& s) {
  s.length();
}
void twist(Seq& seq) {
  const Seq before(seq);
  const CORBA::ULong n = before.length();
  for (CORBA::ULong i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<Seq, Interop::GridSeq>) {
      Interop::Grid_copy(seq[n - 1 - i], before[i]);
      twist(reinterpret_cast<Interop::Grid&>(*seq[n - 1 - i]));
    } else if constexpr (requires { twisted_text(seq[i].in()); }) {
      seq[n - 1 - i] = twisted_text(before[i].in());
    } else if constexpr (std::is_same_v<Seq, Interop::NodeSeq>) {
      seq[n - 1 - i] = Interop::Node::_duplicate(before[i]);
    } else {
      seq[n - 1 - i] = before[i];
      twist(seq[n - 1 - i]);
    }
  }
}

template <class T, std::size_t n>
void twist(T (&array)[n]) {
  for (T& element : array) twist(element);
}

}  // namespace interop
