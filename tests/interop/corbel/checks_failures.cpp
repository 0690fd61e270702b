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
    std::string note;
    require(s.suite->raise_user(0, note) == 0 && note == "nothing raised", "result");
  });
  s.report.run("raise_empty", [&] {
    std::string note;
    expect<Interop::Empty>([&] { s.suite->raise_user(1, note); });
  });
  s.report.run("raise_detail", [&] {
    std::string note;
    expect<Interop::Detail>([&] { s.suite->raise_user(2, note); },
                            [](const Interop::Detail& e) {
                              require(e.why() == "because" && e.code() == -7 && e.shade() == Interop::Colour::green,
                                      "members");
                              require(e.values() == Interop::LongSeq{1, 2, 3}, "values");
                            });
  });
  s.report.run("raise_renamed", [&] {
    std::string note;
    expect<Interop::Renamed>([&] { s.suite->raise_user(3, note); },
                             [](const Interop::Renamed& e) { require(e.stamp() == (1ULL << 40) + 1, "stamp"); });
  });
  s.report.run("raise_unlisted", [&] { expect<CORBA::UNKNOWN>([&] { s.suite->raise_unlisted(); }); });
  s.report.run("raise_foreign", [&] { expect<CORBA::UNKNOWN>([&] { s.suite->raise_foreign(); }); });
}

/// omniORB 4.2 and JacORB 3.9 have no exceptions of the activity service.
bool known_to_peer(const Session& s, const std::string& name) {
  return s.options.peer == "corbel" || (name.find("ACTIVITY") == std::string::npos && name != "THREAD_CANCELLED");
}

template <class T>
void check_raised(Session& s, const std::string& name) {
  if (!known_to_peer(s, name)) return s.report.skip("raise_" + name, "the server does not know it");
  s.report.run("raise_" + name, [&] {
    for (std::uint32_t i = 0; i < 3; ++i) {
      expect<T>([&] { s.suite->raise_system(name, 0x4f4d0000 + i, i); },
                [i](const T& e) {
                  require(e.minor() == 0x4f4d0000 + i, e.what());
                  require(e.completed() == static_cast<CORBA::CompletionStatus>(i), e.what());
                });
    }
  });
}

void check_system(Session& s) {
#define CHECK_RAISED(name) check_raised<CORBA::name>(s, #name);
  CORBEL_SYSTEM_EXCEPTIONS(CHECK_RAISED)
#undef CHECK_RAISED
}

}  // namespace

void check_failures(Session& s) {
  check_user(s);
  check_system(s);
  s.report.run("connection_survives_failures", [&] { s.suite->ping(); });
  s.report.run("unknown_operation", [&] {
    const auto wrong = IDL::traits<Interop::Callback>::unchecked_narrow(s.suite);
    expect<CORBA::BAD_OPERATION>([&] { wrong->notify("x", 0); });
  });
  s.report.run("oversized_sequence", [&] {
    Interop::BoundedSeq c;
    s.suite->oversized(4, c);
    require(c == Interop::BoundedSeq{0, 1, 2, 3}, "four fit");
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
