// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"
#include "samples.hpp"

namespace interop {
namespace {

using C = Interop::_objref_Constructed;

template <class Slice, class Array>
bool same_array(const Slice* x, const Array& y) {
  const auto& elements = reinterpret_cast<const Array&>(*x);
  for (std::size_t i = 0; i < std::extent_v<Array>; ++i) {
    if constexpr (std::rank_v < Array >> 1) {
      if (!same_array(elements[i], y[i])) return false;
    } else if constexpr (requires { y[i].in(); }) {
      if (!same(elements[i].in(), y[i].in())) return false;
    } else if (!same(elements[i], y[i])) {
      return false;
    }
  }
  return true;
}

/// Arrays: Array is the array type, Var its _var, `echoes` makes the call.
template <class Array, class Var, class Call>
void echo_array(Session& s, const char* name, void (*fill)(Array&, int), Call&& call) {
  s.report.run(name, [&] {
    Array a, inout, expected;
    fill(a, 1);
    fill(inout, 2);
    fill(expected, 2);
    twist(expected);
    Var result, out;
    call(a, inout, result, out);
    require(same_array(result.in(), a), "the result differs from the in argument");
    require(same_array(inout, a), "the inout argument differs from the in argument");
    require(same_array(out.in(), expected), "the out argument is not the twisted inout argument");
  });
}

void check_arrays(Session& s) {
  C* target = s.suite;
#define ECHO_FIXED_ARRAY(T, op, fill)                                                                          \
  echo_array<Interop::T, Interop::T##_var>(                                                                    \
      s, #op, fill, [&](const Interop::T& a, Interop::T& b, Interop::T##_var& result, Interop::T##_var& out) { \
        Interop::T c;                                                                                          \
        result = target->op(a, b, c);                                                                          \
        out = Interop::T##_dup(c);                                                                             \
      })
#define ECHO_VARIABLE_ARRAY(T, op, fill)                                                                       \
  echo_array<Interop::T, Interop::T##_var>(                                                                    \
      s, #op, fill, [&](const Interop::T& a, Interop::T& b, Interop::T##_var& result, Interop::T##_var& out) { \
        result = target->op(a, b, out.out());                                                                  \
      })
  ECHO_FIXED_ARRAY(Grid, echo_grid, [](Interop::Grid& v, int which) {
    for (int i = 0; i < 6; ++i) v[i / 3][i % 3] = (i + 1) * which * 0x010000;
  });
  ECHO_FIXED_ARRAY(Digest, echo_digest, [](Interop::Digest& v, int which) {
    for (int i = 0; i < 16; ++i) v[i] = static_cast<CORBA::Octet>(i * 17 * which);
  });
  ECHO_FIXED_ARRAY(BinArray, echo_bin_array, [](Interop::BinArray& v, int which) {
    for (int i = 0; i < 3; ++i) v[i] = sample_bin(which + i);
  });
  ECHO_VARIABLE_ARRAY(Names, echo_names, [](Interop::Names& v, int which) {
    v[0] = which == 1 ? "Ada" : "";
    v[1] = "Grace";
  });
  ECHO_VARIABLE_ARRAY(SeqArray, echo_seq_array, [](Interop::SeqArray& v, int which) {
    v[0] = sample_longs(static_cast<CORBA::ULong>(which));
    v[1] = sample_longs(0);
  });
  ECHO_VARIABLE_ARRAY(RecordArray, echo_record_array, [](Interop::RecordArray& v, int which) {
    v[0] = sample_record(which);
    v[1] = sample_record(0);
  });
#undef ECHO_FIXED_ARRAY
#undef ECHO_VARIABLE_ARRAY
}

void check_unions(Session& s) {
  C* target = s.suite;
  s.report.run("echo_long_union", [&] {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) echo(target, &C::echo_long_union, sample_long_union(a), sample_long_union(b));
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
    cells.cells(sample_arrays(1).cells);
    shade.shade(Interop::blue);
    shade._d('z');
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
    character.wc(L'\u00e9');
    character._d(1ll << 40);
    echo(target, &C::echo_wide_union, text, character);
    echo(target, &C::echo_wide_union, character, text);
  });
  s.report.run("echo_union_seq", [&] {
    const auto make = [](CORBA::ULong i) { return sample_long_union(static_cast<int>(i % 4)); };
    echo(target, &C::echo_union_seq, make_sequence<Interop::LongUnionSeq>(9, make),
         make_sequence<Interop::LongUnionSeq>(4, make));
  });
}

}  // namespace

void check_constructed(Session& s) {
  C* target = s.suite;
#define ECHO_SAMPLES(op, sample)                                              \
  s.report.run(#op, [&] {                                                     \
    for (int a = 0; a < 3; ++a)                                               \
      for (int b = 0; b < 3; ++b) echo(target, &C::op, sample(a), sample(b)); \
  })
  ECHO_SAMPLES(echo_bin, sample_bin);
  ECHO_SAMPLES(echo_scalars, sample_scalars);
  ECHO_SAMPLES(echo_record, sample_record);
  ECHO_SAMPLES(echo_nested, sample_nested);
  ECHO_SAMPLES(echo_arrays, sample_arrays);
#undef ECHO_SAMPLES
  s.run_wide("echo_wides", [&] { echo(target, &C::echo_wides, sample_wides(0), sample_wides(1)); });
  s.report.run("echo_empties", [&] {
    Interop::Empties v;
    v.d = -0.5;
    v.last = 1ll << 50;
    echo(target, &C::echo_empties, v, v);
  });
  s.report.run("echo_tree", [&] {
    echo(target, &C::echo_tree, sample_tree(0, 0), sample_tree(3, 3));
    echo(target, &C::echo_tree, sample_tree(40, 1), sample_tree(6, 2));
  });
  check_arrays(s);
  check_unions(s);
  s.report.run("echo_words", [&] {
    Interop::Words a, b;
    a.interface = 5, a._cxx_delete = "del", a._cxx_class = true, a._cxx_struct = -1;
    b.interface = 6, b._cxx_delete = "", b._cxx_class = false, b._cxx_struct = 1;
    echo(target, &C::echo_words, a, b);
    require(s.suite->_cxx_delete(12, 3) == 123, "delete");
    require(s.suite->module() == 77, "module");
    s.suite->_cxx_template(9);
    require(s.suite->_cxx_template() == 9, "template");
  });
}

}  // namespace interop
