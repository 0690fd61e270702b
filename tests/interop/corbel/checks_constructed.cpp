// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"
#include "session.hpp"

namespace interop {
namespace {

using C = Interop::Constructed;

void check_structs(Session& s) {
  C& target = *s.suite;
#define ECHO_SAMPLES(op, sample)                                              \
  s.report.run(#op, [&] {                                                     \
    for (int a = 0; a < 3; ++a) {                                             \
      for (int b = 0; b < 3; ++b) echo(target, &C::op, sample(a), sample(b)); \
    }                                                                         \
  })
  ECHO_SAMPLES(echo_bin, sample_bin);
  ECHO_SAMPLES(echo_scalars, sample_scalars);
  ECHO_SAMPLES(echo_record, sample_record);
  ECHO_SAMPLES(echo_nested, sample_nested);
  ECHO_SAMPLES(echo_arrays, sample_arrays);
#undef ECHO_SAMPLES
  s.run_wide("echo_wides", [&] { echo(target, &C::echo_wides, sample_wides(0), sample_wides(1)); });
  s.report.run("echo_empties", [&] {
    const Interop::Empties v({}, -0.5, {}, 1LL << 50);
    echo(target, &C::echo_empties, v, v);
  });
  s.report.run("echo_tree", [&] {
    echo(target, &C::echo_tree, sample_tree(0, 0), sample_tree(3, 3));
    echo(target, &C::echo_tree, sample_tree(40, 1), sample_tree(6, 2));
  });
}

void check_arrays(Session& s) {
  C& target = *s.suite;
  s.report.run("echo_grid", [&] { echo(target, &C::echo_grid, sample_arrays(1).cells(), sample_arrays(2).cells()); });
  s.report.run("echo_digest", [&] { echo(target, &C::echo_digest, sample_arrays(1).hash(), Interop::Digest{}); });
  s.report.run("echo_bin_array", [&] {
    echo(target, &C::echo_bin_array, {sample_bin(1), sample_bin(2), sample_bin(3)}, {sample_bin(4)});
  });
  s.report.run("echo_names", [&] { echo(target, &C::echo_names, {"Ada", "Grace"}, {"", "Grace"}); });
  s.report.run("echo_seq_array", [&] {
    echo(target, &C::echo_seq_array, {sample_longs(1), sample_longs(0)}, {sample_longs(2), sample_longs(3)});
  });
  s.report.run("echo_record_array", [&] {
    echo(target, &C::echo_record_array, {sample_record(1), sample_record(0)}, {sample_record(2), sample_record(1)});
  });
}

void check_unions(Session& s) {
  C& target = *s.suite;
  s.report.run("echo_long_union", [&] {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) echo(target, &C::echo_long_union, sample_long_union(a), sample_long_union(b));
    }
  });
  s.report.run("echo_enum_union", [&] {
    Interop::EnumUnion number, record, nothing;
    number.l(77);
    record.rec(sample_record(2));
    nothing._default();
    echo(target, &C::echo_enum_union, number, record);
    echo(target, &C::echo_enum_union, record, nothing);
    echo(target, &C::echo_enum_union, nothing, number);
  });
  s.report.run("echo_bool_union", [&] {
    Interop::BoolUnion yes, no;
    yes.yes("Certainly");
    no.no(sample_longs(3));
    echo(target, &C::echo_bool_union, yes, no);
    echo(target, &C::echo_bool_union, no, yes);
  });
  s.report.run("echo_char_union", [&] {
    Interop::CharUnion octet, cells, shade;
    octet.o(254);
    cells.cells(sample_arrays(1).cells());
    shade.shade(Interop::Colour::blue, 'z');
    echo(target, &C::echo_char_union, octet, cells);
    echo(target, &C::echo_char_union, cells, shade);
    echo(target, &C::echo_char_union, shade, octet);
  });
  s.report.run("echo_short_union", [&] {
    Interop::ShortUnion inner, branch, nothing;
    inner.inner(sample_long_union(1));
    branch.branch(sample_tree(2, 2));
    nothing._default();
    echo(target, &C::echo_short_union, inner, branch);
    echo(target, &C::echo_short_union, branch, nothing);
    echo(target, &C::echo_short_union, nothing, inner);
  });
  s.run_wide("echo_wide_union", [&] {
    Interop::WideUnion text, character;
    text.ws(L"wide \u20ac");
    character.wc(L'\u00e9', 1LL << 40);
    echo(target, &C::echo_wide_union, text, character);
    echo(target, &C::echo_wide_union, character, text);
  });
  s.report.run("echo_union_seq", [&] {
    const auto make = [](std::size_t i) { return sample_long_union(static_cast<int>(i % 4)); };
    echo(target, &C::echo_union_seq, make_sequence<Interop::LongUnionSeq>(9, make),
         make_sequence<Interop::LongUnionSeq>(4, make));
  });
}

}  // namespace

void check_constructed(Session& s) {
  check_structs(s);
  check_arrays(s);
  check_unions(s);
  s.report.run("echo_words", [&] {
    echo<C>(*s.suite, &C::echo_words, Interop::Words(5, "del", true, -1), Interop::Words(6, "", false, 1));
    require(s.suite->_cxx_delete(12, 3) == 123, "delete");
    require(s.suite->module() == 77, "module");
    s.suite->_cxx_template(9);
    require(s.suite->_cxx_template() == 9, "template");
  });
}

}  // namespace interop
