// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"
#include "samples.hpp"

namespace interop {
namespace {

using S = Interop::_objref_Sequences;

template <class Seq, class Out, class Make>
void echo_lengths(Session& s, Seq* (S::*operation)(const Seq&, Seq&, Out), Make&& make) {
  for (CORBA::ULong length : {0u, 1u, 2u, 7u, 1000u})
    echo<S>(s.suite, operation, make_sequence<Seq>(length, make), make_sequence<Seq>(3, make));
}

void check_primitives(Session& s) {
  s.report.run("echo_bool_seq", [&] { echo_lengths(s, &S::echo_bool_seq, [](CORBA::ULong i) { return i % 3 == 0; }); });
  s.report.run("echo_char_seq", [&] {
    echo_lengths(s, &S::echo_char_seq, [](CORBA::ULong i) { return static_cast<CORBA::Char>('A' + i % 26); });
  });
#define INTEGERS(op, T)                                                                                \
  s.report.run(#op, [&] {                                                                              \
    echo_lengths(s, &S::op, [](CORBA::ULong i) { return static_cast<T>(i * 0x0102030405060708ull); }); \
  });
  INTEGERS(echo_octet_seq, CORBA::Octet)
  INTEGERS(echo_short_seq, CORBA::Short)
  INTEGERS(echo_ushort_seq, CORBA::UShort)
  INTEGERS(echo_long_seq, CORBA::Long)
  INTEGERS(echo_ulong_seq, CORBA::ULong)
  INTEGERS(echo_longlong_seq, CORBA::LongLong)
  INTEGERS(echo_ulonglong_seq, CORBA::ULongLong)
#undef INTEGERS
  s.report.run("echo_float_seq", [&] {
    echo_lengths(s, &S::echo_float_seq, [](CORBA::ULong i) { return 1.0f / static_cast<float>(i); });
  });
  s.report.run("echo_double_seq",
               [&] { echo_lengths(s, &S::echo_double_seq, [](CORBA::ULong i) { return 1.0 / i; }); });
  s.run_wide("echo_wchar_seq",
             [&] { echo_lengths(s, &S::echo_wchar_seq, [](CORBA::ULong i) { return CORBA::WChar(0x20 + i); }); });
  s.report.run("echo_enum_seq", [&] {
    echo_lengths(s, &S::echo_enum_seq, [](CORBA::ULong i) { return static_cast<Interop::Colour>(i % 3); });
  });
}

void check_nested(Session& s) {
  S* target = s.suite;
  s.report.run("echo_string_seq", [&] {
    echo_lengths(s, &S::echo_string_seq,
                 [](CORBA::ULong i) { return CORBA::string_dup(std::string(i % 9, 'q').c_str()); });
  });
  s.run_wide("echo_wstring_seq", [&] {
    echo_lengths(s, &S::echo_wstring_seq,
                 [](CORBA::ULong i) { return CORBA::wstring_dup(std::wstring(i % 5, L'\u20ac').c_str()); });
  });
  s.report.run("echo_seq_seq",
               [&] { echo_lengths(s, &S::echo_seq_seq, [](CORBA::ULong i) { return sample_longs(i % 4); }); });
  s.report.run("echo_bounded_seq", [&] {
    const auto make = [](CORBA::ULong i) { return static_cast<CORBA::Short>(i - 2); };
    echo(target, &S::echo_bounded_seq, make_sequence<Interop::BoundedSeq>(4, make),
         make_sequence<Interop::BoundedSeq>(0, make));
  });
  s.report.run("echo_bounded_text_seq", [&] {
    const auto make = [](CORBA::ULong i) { return CORBA::string_dup(std::string(i % 9, 'b').c_str()); };
    echo(target, &S::echo_bounded_text_seq, make_sequence<Interop::BoundedTextSeq>(Interop::kBound, make),
         make_sequence<Interop::BoundedTextSeq>(1, make));
  });
  s.report.run("echo_bin_seq", [&] {
    echo_lengths(s, &S::echo_bin_seq, [](CORBA::ULong i) { return sample_bin(static_cast<int>(i % 50)); });
  });
  s.report.run("echo_record_seq", [&] {
    echo_lengths(s, &S::echo_record_seq, [](CORBA::ULong i) { return sample_record(static_cast<int>(i % 3)); });
  });
  s.report.run("echo_tree_seq", [&] {
    echo_lengths(s, &S::echo_tree_seq, [](CORBA::ULong i) { return sample_tree(static_cast<int>(i % 4), 2); });
  });
  s.report.run("echo_grid_seq", [&] {
    Interop::GridSeq a, b;
    a.length(3);
    b.length(2);
    for (CORBA::ULong i = 0; i < 18; ++i) a[i / 6][i / 3 % 2][i % 3] = static_cast<CORBA::Long>(i * 7);
    for (CORBA::ULong i = 0; i < 12; ++i) b[i / 6][i / 3 % 2][i % 3] = static_cast<CORBA::Long>(i + 70000);
    echo(target, &S::echo_grid_seq, a, b);
  });
}

template <class Seq, class Var, class Make>
void check_twisted(Session& s, const char* name, Seq* (S::*operation)(const Seq&), CORBA::ULong length, Make&& make) {
  s.report.run(name, [&] {
    Seq value = make_sequence<Seq>(length, make);
    Var result = (static_cast<S*>(s.suite)->*operation)(value);
    twist(value);
    require(same<Seq>(result.in(), value), "came back different");
  });
}

void check_large(Session& s) {
  check_twisted<Interop::OctetSeq, Interop::OctetSeq_var>(
      s, "large_octets", &S::twist_octets, 1 << 20,
      [](CORBA::ULong i) { return static_cast<CORBA::Octet>(i * 31 / 7); });
  check_twisted<Interop::StringSeq, Interop::StringSeq_var>(
      s, "large_strings", &S::twist_strings, 100000,
      [](CORBA::ULong i) { return CORBA::string_dup(("item " + std::to_string(i)).c_str()); });
  check_twisted<Interop::BinSeq, Interop::BinSeq_var>(
      s, "large_bins", &S::twist_bins, 40000, [](CORBA::ULong i) { return sample_bin(static_cast<int>(i % 100)); });
  s.report.run("large_text", [&] {
    const std::string text(1 << 20, 'T');
    CORBA::String_var result = s.suite->twist_text(text.c_str());
    require(result.in() == std::string(1 << 20, 't'), "came back different");
  });
  s.report.run("large_one_way", [&] {
    const auto make = [](CORBA::ULong i) { return static_cast<CORBA::Octet>(i); };
    require(s.suite->sum_octets(make_sequence<Interop::OctetSeq>(1 << 20, make)) == (1ull << 20) / 256 * 32640, "sum");
    Interop::OctetSeq_var made = s.suite->make_octets(1 << 20);
    require(made->length() == 1 << 20 && made[1000003] == static_cast<CORBA::Octet>(1000003 * 7 + 3), "made");
  });
  s.report.run("beyond_4_mib", [&] {
    constexpr CORBA::ULong kLength = (5u << 20) + 3;
    Interop::OctetSeq_var made = s.suite->make_octets(kLength);
    require(made->length() == kLength, "length");
    CORBA::ULongLong sum = 0;
    for (CORBA::ULong i = 0; i < kLength; ++i) sum += made[i];
    require(s.suite->sum_octets(made) == sum && made[kLength - 1] == static_cast<CORBA::Octet>(kLength * 7 - 4), "sum");
  });
  // Every length around the usual buffer and fragment sizes.
  s.report.run("octet_boundaries", [&] {
    for (CORBA::ULong middle : {1024u, 4096u, 8192u, 16384u, 32768u, 65536u})
      for (CORBA::ULong length = middle - 72; length < middle + 8; length += 5) {
        Interop::OctetSeq_var made = s.suite->make_octets(length);
        require(made->length() == length, "length " + std::to_string(length));
        CORBA::ULongLong sum = 0;
        for (CORBA::ULong i = 0; i < length; ++i) sum += made[i];
        require(s.suite->sum_octets(made) == sum, "sum of " + std::to_string(length));
      }
  });
}

}  // namespace

void check_sequences(Session& s) {
  check_primitives(s);
  check_nested(s);
  check_large(s);
}

}  // namespace interop
