// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "../options.hpp"
#include "../report.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/poa.hpp"
#include "twist.hpp"

namespace interop {

using Suite = Interop::Whole::Suite;
using SuiteRef = IDL::traits<Suite>::ref_type;
using NodeRef = IDL::traits<Interop::Node>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using CallbackRef = IDL::traits<Interop::Callback>::ref_type;

/// What every check of the Corbel client works with.
struct Session {
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type poa;
  SuiteRef suite;
  const Options& options;
  Report& report;
  IDL::traits<PortableServer::POA>::ref_type for_callbacks;

  /// Runs a check that moves wide characters. Over GIOP 1.0 they cannot pass; omniORB and its kin refuse them over 1.1,
  /// too. There the client must be told so.
  template <class Check>
  void run_wide(const std::string& name, Check&& check) {
    if (options.spoken_minor == 2 || (options.spoken_minor == 1 && options.peer.find("omniorb") == std::string::npos)) {
      return report.run(name, check);
    }
    report.run(name, [&] {
      try {
        check();
      } catch (const CORBA::MARSHAL&) {
        return;
      } catch (const CORBA::INV_OBJREF&) {
        return;
      } catch (const CORBA::BAD_PARAM& refused) {
        if (refused.minor() == (CORBA::OMGVMCID | 23)) return;
        throw;
      }
      throw CheckFailed("wide data passed where it cannot");
    });
  }
};

/// Equality; of leaves by their bits.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  } else {
    return a == b;
  }
}

/// One call of an echo_T operation and the verdict on its three results.
template <class I, class T, class In>
void echo(I& target, T (I::*operation)(In, T&, T&), const std::type_identity_t<T>& a,
          const std::type_identity_t<T>& b) {
  T inout = b, out{}, expected = b;
  const T result = (target.*operation)(a, inout, out);
  twist(expected);
  require(same(result, a), "the result differs from the in argument");
  require(same(inout, a), "the inout argument differs from the in argument");
  require(same(out, expected), "the out argument is not the twisted inout argument");
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
