// SPDX-License-Identifier: Apache-2.0
// One call of an echo_T operation and the verdict on its three results, for each calling convention of the classic
// mapping.
#pragma once

#include "session.hpp"

namespace interop {

template <class T>
void verify_echo(const T& a, const T& b, const T& result, const T& inout, const T& out) {
  T expected(b);
  twist(expected);
  require(same(result, a), "the result differs from the in argument");
  require(same(inout, a), "the inout argument differs from the in argument");
  require(same(out, expected), "the out argument is not the twisted inout argument");
}

/// Scalars and enums.
template <class I, class T>
void echo(I* target, T (I::*operation)(T, T&, T&), T a, T b) {
  T inout = b, out{};
  const T result = (target->*operation)(a, inout, out);
  verify_echo(a, b, result, inout, out);
}

/// Structs and unions of fixed length.
template <class I, class T>
void echo(I* target, T (I::*operation)(const T&, T&, T&), const T& a, const T& b) {
  T inout(b), out{};
  const T result((target->*operation)(a, inout, out));
  verify_echo(a, b, result, inout, out);
}

/// Structs and unions of variable length, sequences.
template <class I, class T, class Out>
void echo(I* target, T* (I::*operation)(const T&, T&, Out), const T& a, const T& b) {
  T inout(b);
  typename T::_var_type out;
  typename T::_var_type result = (target->*operation)(a, inout, out);
  verify_echo(a, b, static_cast<const T&>(result.in()), inout, static_cast<const T&>(out.in()));
}

/// Strings and wide strings.
template <class Var, class I, class Char, class Inout, class Out>
void echo_text(I* target, Char* (I::*operation)(const Char*, Inout, Out), const Char* a, const Char* b) {
  Var inout(b), out;
  Var result = (target->*operation)(a, inout.inout(), out.out());
  Var expected = twisted_text(b);
  require(same(result.in(), a), "the result differs from the in argument");
  require(same(inout.in(), a), "the inout argument differs from the in argument");
  require(same(out.in(), expected.in()), "the out argument is not the twisted inout argument");
}

}  // namespace interop
