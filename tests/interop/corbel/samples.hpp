// SPDX-License-Identifier: Apache-2.0
// Values to send: `which` picks one of a few per type; 0 is the smallest, 1 and 2 are full.
#pragma once

#include <limits>
#include <string>

#include "interop.hpp"

namespace interop {

template <class Seq, class Make>
Seq make_sequence(std::size_t length, Make&& make) {
  Seq seq;
  for (std::size_t i = 0; i < length; ++i) seq.push_back(make(i));
  return seq;
}

inline Interop::BinStruct sample_bin(int which) {
  if (which == 0) return {};
  return Interop::BinStruct(static_cast<std::int16_t>(-2 * which), static_cast<char>('a' + which % 20),
                            0x01020304 * which, static_cast<std::uint8_t>(200 + which), 1.0 / (which + 2));
}

inline Interop::Scalars sample_scalars(int which) {
  using std::numeric_limits;
  if (which == 0) return {};
  if (which == 1) {
    return Interop::Scalars(true, 'Q', 255, numeric_limits<std::int16_t>::min(), numeric_limits<std::uint16_t>::max(),
                            numeric_limits<std::int32_t>::min(), numeric_limits<std::uint32_t>::max(),
                            numeric_limits<std::int64_t>::min(), numeric_limits<std::uint64_t>::max(),
                            numeric_limits<float>::denorm_min(), -numeric_limits<double>::max(), Interop::Colour::blue);
  }
  return Interop::Scalars(false, 'q', 0, 32767, 258, 0x7fffffff, 0x0a0b0c0d, numeric_limits<std::int64_t>::max(),
                          0x0102030405060708, numeric_limits<float>::infinity(), 0.1, Interop::Colour::green);
}

inline Interop::LongSeq sample_longs(std::size_t length) {
  return make_sequence<Interop::LongSeq>(
      length, [](std::size_t i) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 0x01030507U); });
}

inline Interop::Wides sample_wides(int which) {
  return Interop::Wides('x', which == 0 ? L'A' : L'\u20ac', which == 0 ? L"" : L"A\u00e9\u20ac\u4e2d", 9);
}

inline Interop::Record sample_record(int which) {
  const std::string names[] = {"", "Anna", "a longer name, to shift the alignment"};
  std::vector<std::string> labels;
  for (int i = 0; i < which; ++i) labels.push_back(std::string(static_cast<std::size_t>(i) * 3, 'L'));
  return Interop::Record(static_cast<std::uint8_t>(which), names[which], which == 0 ? "" : "12345678",
                         sample_bin(which), labels, {-which, 1 << 20}, Interop::Colour::green);
}

inline Interop::Nested sample_nested(int which) {
  return Interop::Nested(sample_record(which), sample_scalars(which),
                         make_sequence<Interop::LongSeqSeq>(static_cast<std::size_t>(which) * 2, sample_longs));
}

inline Interop::Tree sample_tree(int depth, std::size_t width) {
  return Interop::Tree(depth, depth == 0 ? Interop::TreeSeq{} : Interop::TreeSeq(width, sample_tree(depth - 1, width)));
}

inline Interop::Arrays sample_arrays(int which) {
  Interop::Arrays v;
  for (std::size_t i = 0; i < 3; ++i) v.flags()[i] = i % 2 == 0;
  for (std::size_t i = 0; i < 6; ++i) v.cells()[i / 3][i % 3] = static_cast<std::int32_t>(i) * 1000 + which;
  v.both({"first", ""});
  for (std::size_t i = 0; i < 16; ++i) v.hash()[i] = static_cast<std::uint8_t>(i * 16);
  v.lists({sample_longs(3), sample_longs(static_cast<std::size_t>(which))});
  return v;
}

inline Interop::LongUnion sample_long_union(int which) {
  Interop::LongUnion v;
  if (which == 0) v.s(-5);
  if (which == 1) v.str("two or three", 3);
  if (which == 2) v.bin(sample_bin(2));
  if (which == 3) v.d(2.5, 123456);
  return v;
}

}  // namespace interop
