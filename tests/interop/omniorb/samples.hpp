// SPDX-License-Identifier: Apache-2.0
// Values to send: `which` picks one of a few per type; 0 is the smallest, 1 and 2 are full.
#pragma once

#include <limits>
#include <string>

#include "interop.hh"

namespace interop {

template <class Seq, class Make>
Seq make_sequence(CORBA::ULong length, Make&& make) {
  Seq seq;
  seq.length(length);
  for (CORBA::ULong i = 0; i < length; ++i) seq[i] = make(i);
  return seq;
}

inline Interop::BinStruct sample_bin(int which) {
  if (which == 0) return {0, 0, 0, 0, 0.0};
  return {static_cast<CORBA::Short>(-2 * which), static_cast<CORBA::Char>('a' + which % 20), 0x01020304 * which,
          static_cast<CORBA::Octet>(200 + which), 1.0 / (which + 2)};
}

inline Interop::Scalars sample_scalars(int which) {
  if (which == 0) return {};
  const bool low = which == 1;
  using std::numeric_limits;
  return {low,
          'Q',
          static_cast<CORBA::Octet>(low ? 255 : 0),
          low ? numeric_limits<CORBA::Short>::min() : numeric_limits<CORBA::Short>::max(),
          low ? numeric_limits<CORBA::UShort>::max() : CORBA::UShort{258},
          low ? numeric_limits<CORBA::Long>::min() : numeric_limits<CORBA::Long>::max(),
          low ? numeric_limits<CORBA::ULong>::max() : 0x0a0b0c0du,
          low ? numeric_limits<CORBA::LongLong>::min() : numeric_limits<CORBA::LongLong>::max(),
          low ? numeric_limits<CORBA::ULongLong>::max() : 0x0102030405060708ull,
          low ? numeric_limits<CORBA::Float>::denorm_min() : numeric_limits<CORBA::Float>::infinity(),
          low ? -numeric_limits<CORBA::Double>::max() : numeric_limits<CORBA::Double>::quiet_NaN(),
          low ? Interop::blue : Interop::green};
}

inline Interop::LongSeq sample_longs(CORBA::ULong length) {
  return make_sequence<Interop::LongSeq>(length,
                                         [](CORBA::ULong i) { return static_cast<CORBA::Long>(i * 0x01030507); });
}

inline Interop::Wides sample_wides(int which) {
  Interop::Wides v;
  v.before = 'x';
  v.wc = which == 0 ? L'A' : L'\u20ac';
  v.ws = which == 0 ? L"" : L"A\u00e9\u20ac\u4e2d";
  v.after = 9;
  return v;
}

inline Interop::Record sample_record(int which) {
  Interop::Record v;
  v.tag = static_cast<CORBA::Octet>(which);
  v.name = which == 0 ? "" : which == 1 ? "Anna" : "a longer name, to shift the alignment";
  v.code = which == 0 ? "" : "12345678";
  v.bin = sample_bin(which);
  v.labels.length(static_cast<CORBA::ULong>(which));
  for (int i = 0; i < which; ++i) v.labels[static_cast<CORBA::ULong>(i)] = std::string(i * 3, 'L').c_str();
  v.pair[0] = -which;
  v.pair[1] = 1 << 20;
  v.hue = Interop::green;
  return v;
}

inline Interop::Nested sample_nested(int which) {
  Interop::Nested v;
  v.rec = sample_record(which);
  v.all = sample_scalars(which);
  v.rows.length(static_cast<CORBA::ULong>(which) * 2);
  for (CORBA::ULong i = 0; i < v.rows.length(); ++i) v.rows[i] = sample_longs(i);
  return v;
}

inline Interop::Tree sample_tree(int depth, CORBA::ULong width) {
  Interop::Tree v;
  v.value = depth;
  if (depth > 0) v.kids.length(width);
  for (CORBA::ULong i = 0; i < v.kids.length(); ++i) v.kids[i] = sample_tree(depth - 1, width);
  return v;
}

inline Interop::Arrays sample_arrays(int which) {
  Interop::Arrays v;
  for (int i = 0; i < 3; ++i) v.flags[i] = (i + which) % 2 == 0;
  for (int i = 0; i < 6; ++i) v.cells[i / 3][i % 3] = i * 1000 + which;
  v.both[0] = "first";
  v.both[1] = "";
  for (int i = 0; i < 16; ++i) v.hash[i] = static_cast<CORBA::Octet>(i * 16 + which);
  v.lists[0] = sample_longs(3);
  v.lists[1] = sample_longs(static_cast<CORBA::ULong>(which));
  return v;
}

inline Interop::LongUnion sample_long_union(int which) {
  Interop::LongUnion v;
  if (which == 0) v.s(-5);
  if (which == 1) v.str("two or three"), v._d(3);
  if (which == 2) v.bin(sample_bin(2));
  if (which == 3) v.d(2.5), v._d(123456);
  return v;
}

}  // namespace interop
