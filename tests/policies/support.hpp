// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corbel.hpp"
#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/messaging_types.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel/policy/client_policies.hpp"
#include "endings.hpp"
#include "fake_peer.hpp"
#include "policies_server.hpp"

namespace corbel::policies_test {

using namespace std::chrono_literals;

using CORBA::SetOverrideType;
using test::ending_of;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PolicyRef = IDL::traits<CORBA::Policy>::ref_type;
using ThingRef = IDL::traits<Policies::Thing>::ref_type;
using ManagerRef = IDL::traits<CORBA::PolicyManager>::ref_type;

constexpr TimeBase::TimeT kMillisecond = 10'000;  // in units of 100 ns

inline PolicyRef round_trip(TimeBase::TimeT time) {
  return CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(time);
}
inline PolicyRef scope(Messaging::SyncScope scope) {
  return CORBA::make_reference<Messaging::SyncScopePolicy>(scope);
}
inline TimeBase::UtcT utc(TimeBase::TimeT time) {
  return TimeBase::UtcT(time, 0, 0, 0);
}

/// What `run` tells of a call that leaves: on a loaded machine its time may be over before that, which it tells, too,
/// and then it is made again.
template <class Run>
std::string ending_of_sent(const Run& run) {
  std::string ending = run();
  for (int tries = 1; tries < 10 && ending.starts_with("TIMEOUT NO"); ++tries) ending = run();
  return ending;
}

/// An ORB of its own; destroyed with this.
class Orb {
 public:
  explicit Orb(std::vector<std::string> options = {}) {
    static int number = 0;
    if (std::find(options.begin(), options.end(), "-ORBListenEndpoints") == options.end()) {
      options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    }
    // A place is not left for the next only because the machine is slow.
    if (std::find(options.begin(), options.end(), "-ORBConnectHeadStart") == options.end()) {
      options.insert(options.end(), {"-ORBConnectHeadStart", "10000"});
    }
    orb_ = CORBA::ORB_init(options, "policies " + std::to_string(++number));
  }
  ~Orb() { orb_->destroy(); }
  Orb(const Orb&) = delete;
  Orb& operator=(const Orb&) = delete;

  OrbRef operator->() const { return orb_; }
  ThingRef thing(const std::string& reference) const {
    return IDL::traits<Policies::Thing>::unchecked_narrow(orb_->string_to_object(reference));
  }
  ManagerRef manager() const { return policies("ORBPolicyManager"); }
  ManagerRef current() const { return policies("PolicyCurrent"); }

 private:
  ManagerRef policies(const std::string& name) const {
    return IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references(name));
  }
  OrbRef orb_;
};

}  // namespace corbel::policies_test
