// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "../options.hpp"
#include "../report.hpp"
#include "twist.hpp"

namespace interop {

/// What every check of the omniORB client works with.
struct Session {
  CORBA::ORB_var orb;
  PortableServer::POA_var poa;
  Interop::Whole::Suite_var suite;
  const Options& options;
  Report& report;
  PortableServer::POA_var for_callbacks;

  /// Runs a check that moves wide characters: over GIOP 1.0 they cannot pass, and the client must be told so.
  template <class Check>
  void run_wide(const std::string& name, Check&& check) {
    if (options.spoken_minor == 2) return report.run(name, check);
    if (options.spoken_minor == 1) return report.skip(name, "omniORB encodes wide data in GIOP 1.1 as if it were 1.2");
    report.run(name, [&] {
      try {
        check();
      } catch (const CORBA::MARSHAL&) {
        return;
      } catch (const CORBA::INV_OBJREF&) {
        return;
      }
      throw CheckFailed("wide data passed over GIOP 1.0");
    });
  }
};

/// Equality of leaves by their bits, of shapes by their encoding.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  } else {
    cdrMemoryStream x(0, true), y(0, true);
    a >>= x;
    b >>= y;
    return x.bufSize() == y.bufSize() && std::memcmp(x.bufPtr(), y.bufPtr(), x.bufSize()) == 0;
  }
}
inline bool same(const char* a, const char* b) {
  return std::strcmp(a, b) == 0;
}
inline bool same(const CORBA::WChar* a, const CORBA::WChar* b) {
  return std::char_traits<CORBA::WChar>::length(a) == std::char_traits<CORBA::WChar>::length(b) &&
         std::char_traits<CORBA::WChar>::compare(a, b, std::char_traits<CORBA::WChar>::length(a)) == 0;
}

void check_basics(Session& session);
void check_sequences(Session& session);
void check_constructed(Session& session);
void check_failures(Session& session);
void check_references(Session& session);
void check_traffic(Session& session);
/// With `--char-set`.
void check_code_sets(Session& session);

}  // namespace interop
