// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "calls.hpp"
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

}  // namespace corbel::calls_test
