// SPDX-License-Identifier: Apache-2.0
// The transports as plug-ins: the ORBs know no more of them than the names of two files.
#include "calls.hpp"

namespace carriers {
namespace {

TEST(CarrierPlugins, CarryCallsOfOrbsThatLoadThem) {
  call_over(nullptr, "mailbox://loaded", {"-ORBLoad", CARRIERS_PLUGINS "/mailbox.so"});
  call_over(nullptr, "masked://127.0.0.1:0", {"-ORBLoad", CARRIERS_PLUGINS "/masked.so"});
}

TEST(CarrierPlugins, AreNeededForTheirEndpoints) {
  EXPECT_THROW(call_over(nullptr, "mailbox://unloaded"), CORBA::SystemException);
}

}  // namespace
}  // namespace carriers
