// SPDX-License-Identifier: Apache-2.0
#include "suites/steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bench {
namespace {

TEST(Steps, OfFunctionsAreToldByTheirNames) {
  EXPECT_EQ(step_of("corbel::mapping::detail::dispatch_by_name"), "lookup");
  EXPECT_EQ(step_of("corbel::mapping::LinearOperations::find"), "lookup");
  EXPECT_EQ(step_of("__memcmp_avx2_movbe"), "lookup");
  EXPECT_EQ(step_of("Hundred::_impl_TwoWay::_dispatch"), "lookup");
  EXPECT_EQ(step_of("omni::strMatch"), "lookup");
  EXPECT_EQ(step_of("corbel::mapping::detail::serve_signature"), "skeleton");
  EXPECT_EQ(step_of("corbel::poa::Poa::serve"), "adapter");
  EXPECT_EQ(step_of("omni::omniOrbPOA::dispatch"), "adapter");
  EXPECT_EQ(step_of("corbel::messaging::giop::Giop::decode_frame"), "message");
  EXPECT_EQ(step_of("omni::giopImpl12::unmarshalRequestHeader"), "message");
  EXPECT_EQ(step_of("corbel::connection::Connection::Serving::run"), "connection");
  EXPECT_EQ(step_of("omni::tcpConnection::Recv"), "connection");
  EXPECT_EQ(step_of("recv"), "system");
  EXPECT_EQ(step_of("0x0000000000014c40"), "system");
  for (const char* const name : {"", "svc_getreq_common", "xdr_callmsg"}) {
    EXPECT_NE(std::find(kSteps.begin(), kSteps.end(), step_of(name)), kSteps.end()) << name;
  }
}

}  // namespace
}  // namespace bench
