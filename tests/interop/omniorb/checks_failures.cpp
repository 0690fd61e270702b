// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"
#include "session.hpp"

namespace interop {
namespace {

/// Expects `call` to throw a T and hands it to `inspect`.
template <class T, class Call, class Inspect>
void expect(Call&& call, Inspect&& inspect) {
  try {
    call();
  } catch (const T& caught) {
    return inspect(caught);
  }
  throw CheckFailed("no exception was thrown");
}

template <class T, class Call>
void expect(Call&& call) {
  expect<T>(call, [](const T&) {});
}

void check_user(Session& s) {
  s.report.run("raise_nothing", [&] {
    CORBA::String_var note;
    require(s.suite->raise_user(0, note) == 0 && note.in() == std::string("nothing raised"), "result");
  });
  s.report.run("raise_empty", [&] {
    CORBA::String_var note;
    expect<Interop::Empty>([&] { s.suite->raise_user(1, note); });
  });
  s.report.run("raise_detail", [&] {
    CORBA::String_var note;
    expect<Interop::Detail>([&] { s.suite->raise_user(2, note); },
                            [](const Interop::Detail& e) {
                              require(same(e.why.in(), "because") && e.code == -7 && e.shade == Interop::green,
                                      "members");
                              require(e.values.length() == 3 && e.values[0] == 1 && e.values[2] == 3, "values");
                            });
  });
  s.report.run("raise_renamed", [&] {
    CORBA::String_var note;
    expect<Interop::Renamed>([&] { s.suite->raise_user(3, note); },
                             [](const Interop::Renamed& e) { require(e.stamp == (1ull << 40) + 1, "stamp"); });
  });
  s.report.run("raise_unlisted", [&] { expect<CORBA::UNKNOWN>([&] { s.suite->raise_unlisted(); }); });
  s.report.run("raise_foreign", [&] { expect<CORBA::UNKNOWN>([&] { s.suite->raise_foreign(); }); });
}

void check_system(Session& s) {
  const CORBA::CompletionStatus status[] = {CORBA::COMPLETED_YES, CORBA::COMPLETED_NO, CORBA::COMPLETED_MAYBE};
#define RAISED_AND_CAUGHT(name)                                                                                \
  s.report.run("raise_" #name, [&] {                                                                           \
    for (CORBA::ULong i = 0; i < 3; ++i)                                                                       \
      expect<CORBA::name>([&] { s.suite->raise_system(#name, 0x4f4d0000 + i, i); },                            \
                          [&](const CORBA::name& e) {                                                          \
                            require(e.minor() == 0x4f4d0000 + i, "minor " + std::to_string(e.minor()));        \
                            require(e.completed() == status[i], "completed " + std::to_string(e.completed())); \
                          });                                                                                  \
  });
  OMNIORB_FOR_EACH_SYS_EXCEPTION(RAISED_AND_CAUGHT)
#undef RAISED_AND_CAUGHT
}

}  // namespace

void check_failures(Session& s) {
  check_user(s);
  check_system(s);
  s.report.run("connection_survives_failures", [&] { s.suite->ping(); });
  s.report.run("unknown_operation", [&] {
    Interop::Callback_var wrong = Interop::Callback::_unchecked_narrow(s.suite);
    expect<CORBA::BAD_OPERATION>([&] { CORBA::String_var ignored = wrong->notify("x", 0); });
  });
  s.report.run("oversized_sequence", [&] {
    Interop::BoundedSeq_var c;
    s.suite->oversized(4, c);
    require(c->length() == 4 && c[3] == 3, "four fit");
    try {
      s.suite->oversized(5, c);
    } catch (const CORBA::BAD_PARAM&) {
      return;
    } catch (const CORBA::MARSHAL&) {
      return;
    }
    throw CheckFailed("five went through a bound of four");
  });
}

}  // namespace interop
