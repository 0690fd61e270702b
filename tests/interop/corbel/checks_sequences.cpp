// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "samples.hpp"
#include "session.hpp"

namespace interop {
namespace {

using S = Interop::Sequences;

template <class Seq, class In, class Make>
void echo_lengths(Session& s, const char* name, Seq (S::*operation)(In, Seq&, Seq&), Make&& make) {
  s.report.run(name, [&] {
    for (const std::size_t length : {0, 1, 2, 7, 1000}) {
      echo<S>(*s.suite, operation, make_sequence<Seq>(length, make), make_sequence<Seq>(3, make));
    }
  });
}

template <class T, class In>
void echo_integers(Session& s, const char* name, std::vector<T> (S::*operation)(In, std::vector<T>&, std::vector<T>&)) {
  echo_lengths(s, name, operation, [](std::size_t i) { return static_cast<T>(i * 0x0102030405060708ULL); });
}

void check_primitives(Session& s) {
  echo_lengths(s, "echo_bool_seq", &S::echo_bool_seq, [](std::size_t i) { return i % 3 == 0; });
  echo_lengths(s, "echo_char_seq", &S::echo_char_seq, [](std::size_t i) { return static_cast<char>('A' + i % 26); });
  echo_integers(s, "echo_octet_seq", &S::echo_octet_seq);
  echo_integers(s, "echo_short_seq", &S::echo_short_seq);
  echo_integers(s, "echo_ushort_seq", &S::echo_ushort_seq);
  echo_integers(s, "echo_long_seq", &S::echo_long_seq);
  echo_integers(s, "echo_ulong_seq", &S::echo_ulong_seq);
  echo_integers(s, "echo_longlong_seq", &S::echo_longlong_seq);
  echo_integers(s, "echo_ulonglong_seq", &S::echo_ulonglong_seq);
  echo_lengths(s, "echo_float_seq", &S::echo_float_seq, [](std::size_t i) { return 1.0F / static_cast<float>(i); });
  echo_lengths(s, "echo_double_seq", &S::echo_double_seq, [](std::size_t i) { return 1.0 / static_cast<double>(i); });
  echo_lengths(s, "echo_enum_seq", &S::echo_enum_seq,
               [](std::size_t i) { return static_cast<Interop::Colour>(i % 3); });
  s.run_wide("echo_wchar_seq", [&] {
    Interop::WCharSeq characters(1000);
    std::iota(characters.begin(), characters.end(), L' ');
    echo<S>(*s.suite, &S::echo_wchar_seq, characters, {L'\u20ac'});
    echo<S>(*s.suite, &S::echo_wchar_seq, {}, characters);
  });
}

void check_nested(Session& s) {
  echo_lengths(s, "echo_string_seq", &S::echo_string_seq, [](std::size_t i) { return std::string(i % 9, 'q'); });
  s.run_wide("echo_wstring_seq", [&] {
    echo<S>(*s.suite, &S::echo_wstring_seq, {L"\u20ac", L"", L"abc"}, {L"", L"\u4e2d\u4e2d"});
  });
  echo_lengths(s, "echo_seq_seq", &S::echo_seq_seq, [](std::size_t i) { return sample_longs(i % 4); });
  s.report.run("echo_bounded_seq", [&] {
    echo<S>(*s.suite, &S::echo_bounded_seq, Interop::BoundedSeq{-1, 0, 1, 2}, Interop::BoundedSeq{});
  });
  s.report.run("echo_bounded_text_seq", [&] {
    const auto make = [](std::size_t i) { return std::string(i % 9, 'b'); };
    echo<S>(*s.suite, &S::echo_bounded_text_seq, make_sequence<Interop::BoundedTextSeq>(Interop::kBound, make),
            make_sequence<Interop::BoundedTextSeq>(1, make));
  });
  echo_lengths(s, "echo_bin_seq", &S::echo_bin_seq, [](std::size_t i) { return sample_bin(static_cast<int>(i % 50)); });
  echo_lengths(s, "echo_record_seq", &S::echo_record_seq,
               [](std::size_t i) { return sample_record(static_cast<int>(i % 3)); });
  echo_lengths(s, "echo_tree_seq", &S::echo_tree_seq,
               [](std::size_t i) { return sample_tree(static_cast<int>(i % 4), 2); });
  s.report.run("echo_grid_seq", [&] {
    echo<S>(*s.suite, &S::echo_grid_seq, Interop::GridSeq(3, sample_arrays(1).cells()),
            Interop::GridSeq(2, sample_arrays(2).cells()));
  });
}

template <class Seq>
void check_twisted(Session& s, const char* name, Seq (S::*operation)(const Seq&), Seq value) {
  s.report.run(name, [&] {
    const Seq result = (static_cast<S&>(*s.suite).*operation)(value);
    twist(value);
    require(result == value, "came back different");
  });
}

Interop::OctetSeq made_octets(std::size_t length) {
  return make_sequence<Interop::OctetSeq>(length, [](std::size_t i) { return static_cast<std::uint8_t>(i * 7 + 3); });
}

void check_large(Session& s) {
  check_twisted<Interop::OctetSeq>(s, "large_octets", &S::twist_octets, made_octets(1 << 20));
  check_twisted<Interop::StringSeq>(
      s, "large_strings", &S::twist_strings,
      make_sequence<Interop::StringSeq>(100000, [](std::size_t i) { return "item " + std::to_string(i); }));
  check_twisted<Interop::BinSeq>(
      s, "large_bins", &S::twist_bins,
      make_sequence<Interop::BinSeq>(40000, [](std::size_t i) { return sample_bin(static_cast<int>(i % 100)); }));
  s.report.run("large_text", [&] {
    require(s.suite->twist_text(std::string(1 << 20, 'T')) == std::string(1 << 20, 't'), "came back different");
  });
  s.report.run("large_one_way", [&] {
    const Interop::OctetSeq octets = made_octets(1 << 20);
    require(s.suite->sum_octets(octets) == std::accumulate(octets.begin(), octets.end(), std::uint64_t{0}), "sum");
    require(s.suite->make_octets(1 << 20) == octets, "made");
  });
  s.report.run("beyond_4_mib", [&] {
    constexpr std::uint32_t kLength = (5U << 20) + 3;
    const Interop::OctetSeq octets = s.suite->make_octets(kLength);
    require(octets == made_octets(kLength), "made");
    require(s.suite->sum_octets(octets) == std::accumulate(octets.begin(), octets.end(), std::uint64_t{0}), "sum");
  });
  // Every length around the usual buffer and fragment sizes.
  s.report.run("octet_boundaries", [&] {
    for (const std::uint32_t middle : {1024U, 4096U, 8192U, 16384U, 32768U, 65536U}) {
      for (std::uint32_t length = middle - 72; length < middle + 8; length += 5) {
        const Interop::OctetSeq octets = s.suite->make_octets(length);
        require(octets == made_octets(length), "made " + std::to_string(length));
        require(s.suite->sum_octets(octets) == std::accumulate(octets.begin(), octets.end(), std::uint64_t{0}),
                "sum of " + std::to_string(length));
      }
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
