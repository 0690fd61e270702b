// SPDX-License-Identifier: Apache-2.0
// Which protocols references name and calls use, and what connections have.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <corbel/corba/transport_policy.hpp>
#include <corbel/ior/profile.hpp>
#include <corbel/mapping/with_policies.hpp>
#include <corbel/orb/peer.hpp>
#include <corbel/orb/socket_hook.hpp>
#include <corbel/orb/statistics.hpp>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using RTCORBA::Protocol;
using RTCORBA::ProtocolList;

constexpr std::uint32_t kIiop = 0;
constexpr std::uint32_t kUiop = 0x54414f00;
constexpr std::uint32_t kShmiop = 0x54414f02;
constexpr std::uint32_t kDiop = 0x54414f04;
constexpr std::uint32_t kUipmc = 3;

class Protocols : public ::testing::Test, public TwoOrbs {
 protected:
  /// A pool listens by TCP and over a UNIX-domain socket.
  explicit Protocols(std::vector<std::string> endpoints = {"tcp://127.0.0.1:0", "unix://"})
      : TwoOrbs(Settings{.lane_endpoints = std::move(endpoints)}) {
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
  using Types = std::vector<CORBA::PolicyType>;
  /// What _validate_connection objects to.
  static Types unfit(const ServantRef& object) {
    CORBA::PolicyList inconsistent;
    const bool valid = object->_validate_connection(inconsistent);
    EXPECT_EQ(valid, inconsistent.empty());
    Types types;
    for (const auto& one : inconsistent) types.push_back(one->policy_type());
    return types;
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
  EXPECT_EQ(unfit(by(object(), {protocol(kIiop, huge)})), Types{RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE});
}

TEST_F(Protocols, ValidatingNamesThePolicyThatLeavesNoWay) {
  const auto one = object();
  EXPECT_EQ(unfit(one), Types{});
  EXPECT_EQ(unfit(by(one, {protocol(kShmiop), protocol(kIiop)})), Types{});
  EXPECT_EQ(unfit(by(one, {protocol(kShmiop)})), Types{RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE});
  const auto of_tcp = [](const ServantRef& object) {
    return with_policies(
        object, {CORBA::make_reference<TransportOptionsPolicy>(policy::TransportOptions{{"no_delay", "off"}})});
  };
  EXPECT_EQ(unfit(of_tcp(by(one, {protocol(kIiop)}))), Types{});
  EXPECT_EQ(unfit(of_tcp(by(one, {protocol(kUiop)}))), Types{TRANSPORT_OPTIONS_POLICY_TYPE});
  EXPECT_EQ(unfit(of_tcp(by(one, {protocol(kShmiop)}))), Types{RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE});
}

TEST_F(Protocols, OfOnewaysAreThePolicysToo) {
  const auto one = object();
  const auto iiop = ior::decode_iiop_profile(one->_target()->ior().profiles.back());
  ASSERT_TRUE(iiop.ok());
  std::string key;
  for (const std::uint8_t octet : iiop->object_key) {
    key += {'%', "0123456789abcdef"[octet >> 4], "0123456789abcdef"[octet & 15]};
  }
  const auto group = IDL::traits<Timed::Servant>::unchecked_narrow(
      client->string_to_object("corbaloc:miop:1.0@1.0-protocols-7/239.255.7.7:4717;iiop:1.2@" + iiop->host + ":" +
                               std::to_string(iiop->port) + "/" + key));
  const auto sends_to_groups = [&] {
    return std::ranges::any_of(orb::conversations(*client._shared()),
                               [](const auto& open) { return open.peer.starts_with("multicast"); });
  };
  EXPECT_EQ(scheme(by(group, {protocol(kIiop)})), "tcp");
  EXPECT_FALSE(sends_to_groups());
  EXPECT_EQ(scheme(group), "tcp");
  EXPECT_TRUE(sends_to_groups());
  EXPECT_EQ(scheme(by(group, {protocol(kUipmc), protocol(kIiop)})), "tcp");
  EXPECT_THROW(by(group, {protocol(kUipmc)})->priority(), CORBA::IMP_LIMIT);  // there are no replies
}

/// Pools listen by everything.
class AllProtocols : public Protocols {
 protected:
  AllProtocols()
      : Protocols({"tcp://127.0.0.1:0", "shm://", "rudp://127.0.0.1:0", "giop_lite+unix://", "packet://", "inproc://",
                   "udp://127.0.0.1:0"}) {}
  /// What it is called by if the server's policy has these, and if the client's has; "" if by nothing.
  std::string of_server(const ProtocolList& protocols) {
    try {
      return scheme(object({rt->create_server_protocol_policy(protocols)}));
    } catch (const CORBA::INV_POLICY&) {
      return {};
    }
  }
  std::string of_client(const ProtocolList& protocols) {
    try {
      return scheme(by(object(), protocols));
    } catch (const CORBA::INV_POLICY&) {
      return {};
    }
  }
};

TEST_F(AllProtocols, HaveTheSameNamesAtServersAndClients) {
  const std::vector<std::pair<std::uint32_t, std::string>> names = {{kIiop, "tcp"},
                                                                    {kUiop, "unix"},
                                                                    {kShmiop, "shm"},
                                                                    {kDiop, "udp"},
                                                                    {kRudpProtocol, "rudp"},
                                                                    {kPacketProtocol, "packet"},
                                                                    {kInprocProtocol, "inproc"},
                                                                    {77, ""}};
  for (const auto& [tag, scheme] : names) {
    EXPECT_EQ(of_server({protocol(tag)}), scheme) << tag;
    EXPECT_EQ(of_client({protocol(tag)}), scheme) << tag;
  }
  // All that the profile of Corbel's own leads by, and any of it.
  EXPECT_NE(of_server({protocol(kOwnProtocols)}), "");
  EXPECT_EQ(of_client({protocol(kOwnProtocols)}), of_server({protocol(kOwnProtocols)}));
  EXPECT_EQ(of_client({protocol(kRudpProtocol), protocol(kOwnProtocols)}), "rudp");
  EXPECT_EQ(of_client({protocol(kOwnProtocols), protocol(kIiop)}), of_client({protocol(kOwnProtocols)}));
}

TEST_F(AllProtocols, OfTheServerAreInTheOrderOfThePolicyAndThereOnce) {
  const auto one = object({rt->create_server_protocol_policy(
      {protocol(kRudpProtocol), protocol(kIiop), protocol(kOwnProtocols), protocol(kShmiop)})});
  std::vector<std::string> endpoints;
  for (const auto& profile : one->_target()->ior().profiles) {
    const auto own = ior::decode_corbel_profile(profile);
    endpoints.push_back(own ? own->protocol + '+' + own->endpoint.substr(0, own->endpoint.find(':')) : "IIOP");
  }
  ASSERT_EQ(endpoints.size(), 6U);
  EXPECT_EQ(endpoints[0], "giop+rudp");
  EXPECT_EQ(endpoints[1], "IIOP");
  std::ranges::sort(endpoints);
  EXPECT_EQ(endpoints, (std::vector<std::string>{"IIOP", "giop+inproc", "giop+packet", "giop+rudp", "giop+shm",
                                                 "giop_lite+unix"}));
}

TEST_F(AllProtocols, OfSeveralLanesNameNothingElseInTheLists) {
  const auto pool = rt->create_threadpool_with_lanes(
      0, {RTCORBA::ThreadpoolLane(10, 1, 0), RTCORBA::ThreadpoolLane(1000, 1, 0)}, false, false, 0, 0);
  const auto one =
      TwoOrbs::object(adapter({rt->create_threadpool_policy(pool),
                               rt->create_priority_model_policy(RTCORBA::PriorityModel::CLIENT_PROPAGATED, 10),
                               rt->create_server_protocol_policy({protocol(kRudpProtocol)})}),
                      [this] {
                        const std::lock_guard lock(mutex_);
                        last_ = request_peer()->address;
                        return current->the_priority();
                      });
  for (const auto& profile : one->_target()->ior().profiles) {
    const std::string octets(profile.data.begin(), profile.data.end());
    EXPECT_EQ(octets.find("shm://"), std::string::npos);
    EXPECT_NE(octets.find("rudp://"), octets.rfind("rudp://")) << "both lanes'";
  }
  EXPECT_EQ(call(one, 10).get(), 10);
  EXPECT_EQ(call(one, 1000).get(), 1000);
  EXPECT_TRUE(last_.starts_with("rudp")) << last_;
}

/// Pools listen at a UNIX-domain socket alone, which an IIOP profile names, too.
class LocalProtocols : public Protocols {
 protected:
  LocalProtocols() : Protocols({"unix://"}) {}
};

TEST_F(LocalProtocols, AnIiopProfileWithoutAPortLeadsByNoIiop) {
  EXPECT_THROW(object({rt->create_server_protocol_policy({protocol(kIiop)})}), CORBA::INV_POLICY);
  EXPECT_EQ(scheme(object({rt->create_server_protocol_policy({protocol(kUiop)})})), "unix");
  EXPECT_EQ(unfit(by(object(), {protocol(kIiop)})), Types{RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE});
}

}  // namespace
}  // namespace corbel::real_time
