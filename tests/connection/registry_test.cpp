// SPDX-License-Identifier: Apache-2.0
// What is installed while an ORB runs, and what references and URLs say that cannot be used.
#include "corbel/ior/profile.hpp"
#include "corbel/transport/unix/unix.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using base::Code;
using base::Stage;

class Installed : public testing::Test {
 protected:
  std::vector<std::size_t> orders() const {
    std::vector<std::size_t> all;
    for (const auto& each : registry_.transports()) all.push_back(each->order());
    return all;
  }

  Registry registry_{{messaging::make_giop()}, {transport::make_tcp()}, {1, 2}, {}};
};

TEST_F(Installed, TransportsThatCameLaterRankBehindAllThatWereThere) {
  ASSERT_EQ(registry_.add({}, {transport::make_unix()}), "");
  ASSERT_EQ(registry_.add({}, {transport::make_inproc()}), "");
  EXPECT_EQ(orders(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(Installed, EachChangeIsToldOnce) {
  const std::uint32_t before = registry_.changes();
  ASSERT_EQ(registry_.add({}, {transport::make_unix()}), "");
  EXPECT_EQ(registry_.changes(), before + 1);
  EXPECT_NE(registry_.add({}, {transport::make_unix()}), "") << "it is there";
  EXPECT_EQ(registry_.changes(), before + 1);
  EXPECT_NE(registry_.add({messaging::make_giop()}, {}), "") << "and so is this";
  EXPECT_EQ(registry_.changes(), before + 1);
  EXPECT_NE(registry_.withdraw_transport("unix"), nullptr);
  EXPECT_EQ(registry_.withdraw_transport("unix"), nullptr);
  EXPECT_EQ(registry_.changes(), before + 2);
}

TEST_F(Installed, WhatWasWithdrawnIsNotThereThoughTheOtherHalfIs) {
  const auto point = *registry_.parse_endpoint("tcp://127.0.0.1:1");
  EXPECT_TRUE(registry_.has(point.protocol, point.transport));
  EXPECT_NE(registry_.withdraw_transport("tcp"), nullptr);
  EXPECT_FALSE(registry_.has(point.protocol, point.transport)) << "the protocol alone";
  ASSERT_EQ(registry_.add({}, {transport::make_tcp()}), "");
  EXPECT_FALSE(registry_.has(point.protocol, point.transport)) << "another one of that name";
  const auto again = *registry_.parse_endpoint("tcp://127.0.0.1:1");
  EXPECT_NE(registry_.withdraw_protocol("giop"), nullptr);
  EXPECT_FALSE(registry_.has(again.protocol, again.transport)) << "the transport alone";
}

TEST_F(Installed, AUrlThatMakesNoSenseIsNotOneOfAnUnknownTransport) {
  ior::UrlAddress address;
  address.scheme = "iiop";
  address.host = "127.0.0.1";
  address.port = 0;
  EXPECT_EQ(registry_.from_url(address).error(), base::error(Stage::resolve, Code::bad_argument));
  address.scheme = "uiop";
  EXPECT_EQ(registry_.from_url(address).error(), base::error(Stage::resolve, Code::unsupported));
}

ior::IiopProfile profile_with_code_sets() {
  ior::IiopProfile profile;
  profile.version = {1, 2};
  profile.host = "127.0.0.1";
  profile.port = 1;
  profile.object_key = {'k'};
  profile.components.push_back(ior::encode_code_sets(ior::own_code_sets()));
  return profile;
}

TEST_F(Installed, CodeSetsAreAgreedOnFromGiop11On) {
  const ior::Ior ior{"", {ior::encode_profile(profile_with_code_sets())}};
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    const Registry registry({messaging::make_giop()}, {transport::make_tcp()}, {1, minor}, {});
    const auto routes = registry.routes(ior, {});
    ASSERT_TRUE(routes);
    ASSERT_EQ(routes->size(), 1U);
    EXPECT_EQ(routes->front().code_sets.negotiated, minor != 0) << "1." << int{minor};
  }
}

TEST_F(Installed, AProfileWhoseCodeSetsMakeNoSenseIsLeftOut) {
  ior::IiopProfile profile = profile_with_code_sets();
  ior::Ior ior{"", {ior::encode_profile(profile)}};
  EXPECT_TRUE(registry_.routes(ior, {}));
  profile.components[0].data.resize(3);
  ior.profiles[0] = ior::encode_profile(profile);
  EXPECT_EQ(registry_.routes(ior, {}).error(), base::error(Stage::resolve, Code::no_profile));
}

TEST_F(Installed, AReferenceOverALimitOfThisProcessNamesIt) {
  const ior::Ior ior{"", {ior::encode_profile(profile_with_code_sets())}};
  const auto error_under = [&](const cdr::Limits& limits) {
    return Registry({messaging::make_giop()}, {transport::make_tcp()}, {1, 2}, limits).routes(ior, {}).error();
  };
  cdr::Limits few;
  few.max_components = 0;
  EXPECT_EQ(error_under(few), base::error(Stage::resolve, Code::too_many_components));
  cdr::Limits short_keys;
  short_keys.max_object_key = 0;
  EXPECT_EQ(error_under(short_keys), base::error(Stage::resolve, Code::key_too_long));
}

}  // namespace
}  // namespace corbel::connection
