// SPDX-License-Identifier: Apache-2.0
// What a servant learns of its caller (corbel/orb/peer.hpp).
#include "corbel/orb/peer.hpp"

#include <unistd.h>

#include <functional>
#include <mutex>
#include <optional>

#include "support.hpp"

namespace corbel::async_test {
namespace {

/// Notes the callers.
class Asked final : public EchoServant {
 public:
  void nothing() override {
    if (inside) inside();
    const std::lock_guard lock(mutex_);
    seen_ = request_peer();
  }
  std::optional<corbel::RequestPeer> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

  std::function<void()> inside;

 private:
  std::mutex mutex_;
  std::optional<corbel::RequestPeer> seen_;
};

struct AskingForPeer {
  explicit AskingForPeer(const std::string& endpoint, std::optional<PortableServer::ThreadPolicyValue> threads = {})
      : world(endpoint) {
    const auto root = IDL::traits<PortableServer::POA>::narrow(world.server->resolve_initial_references("RootPOA"));
    CORBA::PolicyList policies;
    if (threads) policies.push_back(root->create_thread_policy(*threads));
    const auto poa = root->create_POA("asked", root->the_POAManager(), policies);
    const auto id = poa->activate_object(servant);
    local = IDL::traits<Async::Peer>::narrow(poa->id_to_reference(id));
    remote = IDL::traits<Async::Peer>::unchecked_narrow(
        world.client->string_to_object(world.server->object_to_string(local)));
  }

  World world;
  CORBA::servant_reference<Asked> servant = CORBA::make_reference<Asked>();
  EchoRef local;
  EchoRef remote;
};

TEST(AskedPeer, OfTcpIsAnAddress) {
  AskingForPeer asking("tcp://127.0.0.1:0");
  asking.remote->nothing();
  ASSERT_TRUE(asking.servant->seen());
  const corbel::RequestPeer peer = *asking.servant->seen();
  EXPECT_TRUE(peer.address.starts_with("tcp://127.0.0.1:")) << peer.address;
  EXPECT_EQ(peer.protocol, "giop");
  EXPECT_FALSE(peer.process);
  EXPECT_EQ(peer.subject, "");
}

TEST(AskedPeer, OfTransportsOfOneHostIsAProcessAsTheSystemKnowsIt) {
  for (const char* endpoint : {"unix://", "packet://", "shm://", "giop_lite+unix://"}) {
    AskingForPeer asking(endpoint);
    asking.remote->nothing();
    ASSERT_TRUE(asking.servant->seen()) << endpoint;
    const corbel::RequestPeer peer = *asking.servant->seen();
    EXPECT_EQ(peer.protocol, std::string(endpoint).starts_with("giop_lite") ? "giop_lite" : "giop");
    ASSERT_TRUE(peer.process) << endpoint;
    EXPECT_EQ(peer.process->user, ::getuid());
    EXPECT_EQ(peer.process->group, ::getgid());
    EXPECT_EQ(peer.process->id, ::getpid());
  }
}

TEST(AskedPeer, IsNobodyOutsideOfRequestsAndForCallsThatStayInTheProcess) {
  EXPECT_FALSE(request_peer());
  AskingForPeer asking("unix://");
  asking.local->nothing();
  EXPECT_FALSE(asking.servant->seen());
  asking.remote->nothing();
  EXPECT_TRUE(asking.servant->seen());
  EXPECT_FALSE(request_peer());
  asking.local->nothing();
  EXPECT_FALSE(asking.servant->seen());
}

TEST(AskedPeer, OfAnObjectThatAServantCallsInItsProcessIsTheServantsOwn) {
  AskingForPeer asking("unix://");
  const auto inner = CORBA::make_reference<Asked>();
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(asking.world.server->resolve_initial_references("RootPOA"));
  const auto id = root->activate_object(inner);
  const auto object = IDL::traits<Async::Peer>::narrow(root->id_to_reference(id));
  asking.servant->inside = [&] { object->nothing(); };
  asking.remote->nothing();
  ASSERT_TRUE(inner->seen());
  EXPECT_EQ(inner->seen()->process->id, ::getpid());
}

TEST(AskedPeer, IsKnownOnTheMainThreadToo) {
  AskingForPeer asking("unix://", PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL);
  std::thread::id ran_on;
  asking.servant->inside = [&] { ran_on = std::this_thread::get_id(); };
  std::thread main([&] { asking.world.server->run(); });
  asking.remote->nothing();
  EXPECT_EQ(ran_on, main.get_id());
  ASSERT_TRUE(asking.servant->seen());
  EXPECT_TRUE(asking.servant->seen()->process);
  asking.world.server->shutdown(false);
  main.join();
}

TEST(AskedPeer, OfACallThatWaitsForAnotherStaysThatOfItsOwnCaller) {
  AskingForPeer asking("tcp://127.0.0.1:0;unix://");
  const auto inner = CORBA::make_reference<Asked>();
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(asking.world.server->resolve_initial_references("RootPOA"));
  const auto id = root->activate_object(inner);
  const OrbRef other = make_orb("other", {"-ORBProtocolPreference", "unix"});
  const auto object = IDL::traits<Async::Peer>::unchecked_narrow(
      other->string_to_object(asking.world.server->object_to_string(root->id_to_reference(id))));
  asking.servant->inside = [&] { object->nothing(); };
  asking.remote->nothing();
  EXPECT_TRUE(asking.servant->seen()->address.starts_with("tcp://"));
  EXPECT_FALSE(asking.servant->seen()->process);
  ASSERT_TRUE(inner->seen());
  EXPECT_TRUE(inner->seen()->process);
  other->destroy();
}

}  // namespace
}  // namespace corbel::async_test
