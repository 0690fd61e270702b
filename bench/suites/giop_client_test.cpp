// SPDX-License-Identifier: Apache-2.0
#include "suites/giop_client.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bench {
namespace {

TEST(GiopClient, ReadsHostPortAndKeyOfTheInternetProfile) {
  // little-endian; type id ""; one profile: tag 0, IIOP 1.2, "127.0.0.1", port 0x1234, key "ab"
  const GiopTarget target = read_reference(
      "IOR:01000000010000000000000001000000000000001a00000001010200"
      "0a000000"
      "3132372e302e302e3100"
      "3412"
      "02000000"
      "6162");
  EXPECT_EQ(target.host, "127.0.0.1");
  EXPECT_EQ(target.port, 0x1234);
  EXPECT_EQ(target.key, (std::vector<std::uint8_t>{'a', 'b'}));
}

TEST(GiopClient, RefusesWhatIsNoReference) {
  EXPECT_THROW(read_reference("corbaloc::host/key"), std::runtime_error);
  EXPECT_THROW(read_reference("IOR:01"), std::runtime_error);
  EXPECT_THROW(read_reference("IOR:0100000001000000000000000100000000000000ff000000"), std::runtime_error);
  EXPECT_THROW(read_reference("IOR:01zz"), std::runtime_error);
}

TEST(GiopClient, RequestsHaveTheSizeTheirHeaderSays) {
  const auto request = void_request({"127.0.0.1", 1, {'k', 'e', 'y'}}, "ping");
  EXPECT_EQ(request.size(), 12U + request[8]);
  EXPECT_EQ(request[6], 1U);  // little-endian
}

}  // namespace
}  // namespace bench
