// SPDX-License-Identifier: Apache-2.0
// Which protocols references name and calls use, and what connections have.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <corbel/ior/profile.hpp>
#include <corbel/orb/peer.hpp>
#include <corbel/orb/socket_hook.hpp>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::Protocol;
using RTCORBA::ProtocolList;

constexpr std::uint32_t kIiop = 0;
constexpr std::uint32_t kUiop = 0x54414f00;
constexpr std::uint32_t kShmiop = 0x54414f02;

class Protocols : public ::testing::Test, public TwoOrbs {
 protected:
  /// A pool listens by TCP and over a UNIX-domain socket.
  Protocols() : TwoOrbs(Settings{.lane_endpoints = {"tcp://127.0.0.1:0", "unix://"}}) {
    pool_ = rt->create_threadpool_policy(rt->create_threadpool(0, 2, 0, 1, false, 0, 0));
  }
  ServantRef object(CORBA::PolicyList policies = {}) {
    policies.push_back(pool_);
    return TwoOrbs::object(adapter(policies), [this] {
      const std::lock_guard lock(mutex_);
      last_ = request_peer()->address;
      return std::int16_t{0};
    });
  }
  static Protocol protocol(std::uint32_t type,
                           IDL::traits<RTCORBA::ProtocolProperties>::ref_type properties = nullptr) {
    return Protocol(type, nullptr, std::move(properties));
  }
  ServantRef by(const ServantRef& object, const ProtocolList& protocols) {
    return IDL::traits<Timed::Servant>::narrow(object->_set_policy_overrides(
        {rt->create_client_protocol_policy(protocols)}, CORBA::SetOverrideType::SET_OVERRIDE));
  }
  /// The scheme that a call uses.
  std::string scheme(const ServantRef& object) {
    (void)object->priority();
    const std::lock_guard lock(mutex_);
    return last_.substr(0, last_.find(':'));
  }

  IDL::traits<CORBA::Policy>::ref_type pool_;
  std::mutex mutex_;
  std::string last_;
};

TEST_F(Protocols, OfTheClientAreTheOnesThatCallsUseInTheirOrder) {
  const auto one = object();
  EXPECT_EQ(scheme(one), "unix");  // what is local comes first
  EXPECT_EQ(scheme(by(one, {protocol(kIiop)})), "tcp");
  EXPECT_EQ(scheme(by(one, {protocol(kUiop)})), "unix");
  EXPECT_EQ(scheme(by(one, {protocol(kIiop), protocol(kUiop)})), "tcp");
  EXPECT_EQ(scheme(by(one, {protocol(kUiop), protocol(kIiop)})), "unix");
  EXPECT_EQ(scheme(by(one, {protocol(77), protocol(kShmiop), protocol(kIiop)})), "tcp");
  EXPECT_THROW(by(one, {protocol(kShmiop)})->priority(), CORBA::INV_POLICY);
}

TEST_F(Protocols, PropertiesAreThoseOfTheConnectionsOnly) {
  const auto one = object();
  std::atomic<int> tcp{0};
  const orb::SocketHook hook(*client._shared(), [&](const orb::NewSocket& socket) {
    if (socket.peer.starts_with("tcp")) ++tcp;
  });
  const auto slow = rt->create_tcp_protocol_properties(0, 65536, true, false, false, false);
  const auto other = rt->create_tcp_protocol_properties(0, 131072, true, false, true, false);
  const auto first = by(one, {protocol(kIiop, slow)});
  EXPECT_EQ(scheme(first), "tcp");
  EXPECT_EQ(scheme(first), "tcp");
  EXPECT_EQ(tcp, 1);  // the second call has found the connection of the first
  EXPECT_EQ(scheme(by(one, {protocol(kIiop, other)})), "tcp");
  EXPECT_EQ(tcp, 2);  // connections with other properties are others
  EXPECT_EQ(scheme(by(one, {protocol(kIiop, slow)})), "tcp");
  EXPECT_EQ(tcp, 2);
  // A policy keeps what the properties were when it was made.
  slow->recv_buffer_size(-5);
  EXPECT_EQ(scheme(first), "tcp");
}

TEST_F(Protocols, EachProtocolHasPropertiesOfItsOwn) {
  const auto local = rt->create_unix_domain_protocol_properties(65536, 0);
  const auto remote = rt->create_tcp_protocol_properties(0, 0, false, false, true, false);
  EXPECT_EQ(scheme(by(object(), {protocol(kUiop, local), protocol(kIiop, remote)})), "unix");
}

TEST_F(Protocols, OfTheServerAreTheOnesThatReferencesName) {
  const auto only = [&](const ProtocolList& protocols) {
    return object({rt->create_server_protocol_policy(protocols)});
  };
  EXPECT_EQ(scheme(only({protocol(kIiop)})), "tcp");
  EXPECT_EQ(scheme(only({protocol(kUiop)})), "unix");
  const auto tags = [](const ServantRef& one) {
    std::vector<std::uint32_t> all;
    for (const auto& profile : one->_target()->ior().profiles) all.push_back(profile.tag);
    return all;
  };
  EXPECT_EQ(tags(only({protocol(kUiop), protocol(kIiop)})), (std::vector{kUiop, kIiop}));
  EXPECT_EQ(tags(only({protocol(kIiop), protocol(kUiop)})), (std::vector{kIiop, kUiop}));
  EXPECT_EQ(tags(only({protocol(kIiop)})), std::vector{kIiop});
  EXPECT_THROW(only({protocol(kShmiop)}), CORBA::INV_POLICY);
}

TEST_F(Protocols, ThatMakeNoSenseAreRefused) {
  const auto refused = [&](const ProtocolList& protocols) {
    EXPECT_THROW(rt->create_client_protocol_policy(protocols), CORBA::BAD_PARAM);
  };
  refused({});
  refused({protocol(kIiop), protocol(kUiop), protocol(kIiop)});
  refused({protocol(kUiop, rt->create_tcp_protocol_properties(0, 0, false, false, true, false))});
  refused({protocol(kIiop, rt->create_unix_domain_protocol_properties(0, 0))});
  refused({protocol(kIiop, rt->create_tcp_protocol_properties(-1, 0, false, false, true, false))});
  const auto not_there = [&](const Protocol& one) {
    EXPECT_THROW(rt->create_client_protocol_policy({one}), CORBA::NO_IMPLEMENT);
    EXPECT_THROW(rt->create_server_protocol_policy({one}), CORBA::NO_IMPLEMENT);
  };
  not_there(protocol(kIiop, rt->create_tcp_protocol_properties(0, 0, false, true, true, false)));
  not_there(protocol(kIiop, rt->create_tcp_protocol_properties(0, 0, false, false, true, true)));
  not_there(protocol(kShmiop, rt->create_shared_memory_protocol_properties(0, 0, false, false, true, 4096, "", "")));
  not_there(protocol(kShmiop, rt->create_shared_memory_protocol_properties(0, 0, false, false, true, 0, "file", "")));
  EXPECT_NO_THROW(rt->create_client_protocol_policy(
      {protocol(kShmiop, rt->create_shared_memory_protocol_properties(0, 0, false, false, true, 0, "", ""))}));
}

TEST_F(Protocols, AMoreThanHugeBufferIsAnInvalidPolicyOfTheCall) {
  const auto huge = rt->create_tcp_protocol_properties(0x7fffffff, 0, false, false, true, false);
  EXPECT_THROW(by(object(), {protocol(kIiop, huge)})->priority(), CORBA::INV_POLICY);
}

}  // namespace
}  // namespace corbel::real_time
