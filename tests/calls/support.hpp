// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "fake_peer.hpp"

namespace corbel::calls_test {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ThingRef = IDL::traits<Calls::Thing>::ref_type;

/// A client ORB of its own; destroyed with this.
class Client {
 public:
  explicit Client(std::vector<std::string> options = {}) {
    static int number = 0;
    // A place is not left for the next only because the machine is slow.
    if (std::find(options.begin(), options.end(), "-ORBConnectHeadStart") == options.end()) {
      options.insert(options.end(), {"-ORBConnectHeadStart", "10000"});
    }
    orb_ = CORBA::ORB_init(options, "client " + std::to_string(++number));
  }
  ~Client() { orb_->destroy(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  OrbRef orb() const { return orb_; }
  ThingRef thing(const std::string& reference) const {
    return IDL::traits<Calls::Thing>::unchecked_narrow(orb_->string_to_object(reference));
  }
  ThingRef thing(const std::vector<test::ProfileData>& profiles) const { return thing(test::ior_string(profiles)); }
  /// The time of this thread's calls from now on; 0: as the ORB says.
  void limit_calls(std::chrono::milliseconds time) const {
    CORBA::PolicyList policies;
    const auto units = static_cast<TimeBase::TimeT>(time.count()) * 10'000;
    if (units != 0) policies = {CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(units)};
    const auto current = IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references("PolicyCurrent"));
    current->set_policy_overrides(policies, CORBA::SetOverrideType::SET_OVERRIDE);
  }

 private:
  OrbRef orb_;
};

inline const char* name_of(CORBA::CompletionStatus completed) {
  constexpr const char* kNames[] = {"YES", "NO", "MAYBE"};
  return kNames[static_cast<int>(completed)];
}

/// How a call ended, in short: "done", "TRANSIENT NO", "Refused". `text` is what the exception says.
struct Ending {
  std::string what;
  std::uint32_t minor = 0;
  std::string text;
};

template <class Run>
Ending ending_of(const Run& run) {
  try {
    run();
    return {"done", 0, {}};
  } catch (const CORBA::SystemException& exception) {
    return {std::string(exception._name()) + ' ' + name_of(exception.completed()), exception.minor(), exception.what()};
  } catch (const CORBA::UserException& exception) {
    return {exception._name(), 0, {}};
  }
}

/// The same of a call that gets under way: on a loaded machine its time may be over before that, which is told, too,
/// and then it is made again.
template <class Run>
Ending ending_of_begun(const Run& run) {
  Ending ending = ending_of(run);
  for (int tries = 1; tries < 10 && ending.what == "TIMEOUT NO"; ++tries) ending = ending_of(run);
  return ending;
}

}  // namespace corbel::calls_test
