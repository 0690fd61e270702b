// SPDX-License-Identifier: Apache-2.0
// What a servant learns of its caller (corbel/orb/peer.hpp).
#include "corbel/orb/peer.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

#include "corbel/orb/connection_watch.hpp"
#include "corbel/orb/socket_hook.hpp"
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

/// Waits for what a watch hears of connections that were accepted.
class Ends {
 public:
  using Event = orb::ConnectionEvent;
  void hear(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (event.accepted) (event.what == Event::What::opened ? opened_ : closed_).push_back(event.id);
    changed_.notify_all();
  }
  bool opened(std::uint64_t id) { return wait_for(id, opened_); }
  bool closed(std::uint64_t id) { return wait_for(id, closed_); }
  std::size_t ends() {
    const std::lock_guard lock(mutex_);
    return closed_.size();
  }

 private:
  bool wait_for(std::uint64_t id, const std::vector<std::uint64_t>& all) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return std::find(all.begin(), all.end(), id) != all.end(); });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> opened_, closed_;
};

TEST(AskedPeer, HasAConnectionWhoseEndIsHeardOf) {
  for (const char* endpoint : {"tcp://127.0.0.1:0", "unix://", "shm://", "udp://127.0.0.1:0"}) {
    AskingForPeer asking(endpoint);
    Ends ends;
    orb::ConnectionWatch watch(*asking.world.server, [&](const orb::ConnectionEvent& event) { ends.hear(event); });
    const auto connection_of = [&](const EchoRef& remote) {
      remote->nothing();
      EXPECT_FALSE(asking.servant->seen()->closed);
      return asking.servant->seen()->connection;
    };
    const std::uint64_t first = connection_of(asking.remote);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(connection_of(asking.remote), first) << endpoint;
    EXPECT_TRUE(ends.opened(first)) << endpoint;
    const OrbRef other = make_orb("other");
    const std::uint64_t second = connection_of(IDL::traits<Async::Peer>::unchecked_narrow(
        other->string_to_object(asking.world.server->object_to_string(asking.local))));
    EXPECT_NE(second, first) << endpoint;
    EXPECT_TRUE(ends.opened(second)) << endpoint;
    EXPECT_EQ(connection_of(asking.remote), first) << endpoint;
    EXPECT_EQ(ends.ends(), 0U);
    other->destroy();
    if (std::string(endpoint).starts_with("udp")) continue;  // which does not say when its peers are gone
    EXPECT_TRUE(ends.closed(second)) << endpoint;
    EXPECT_EQ(ends.ends(), 1U);
  }
}

TEST(AskedPeer, HasAConnectionOfNoOtherOrb) {
  std::uint64_t before = 0;
  for (int orb = 0; orb < 2; ++orb) {
    AskingForPeer asking("tcp://127.0.0.1:0");
    asking.remote->nothing();
    EXPECT_NE(asking.servant->seen()->connection, before);
    before = asking.servant->seen()->connection;
  }
}

// What a servant keeps for a connection after its end has been heard of, nobody would take away.
TEST(AskedPeer, SaysThatTheConnectionHasEnded) {
  AskingForPeer asking("tcp://127.0.0.1:0");
  Ends ends;
  orb::ConnectionWatch watch(*asking.world.server, [&](const orb::ConnectionEvent& event) { ends.hear(event); });
  const OrbRef other = make_orb("other");
  const orb::SocketHook hook(*other, [](const orb::NewSocket& socket) {
    const linger reset{1, 0};  // an end in order is heard of when the request has ended
    ::setsockopt(socket.handle, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  });
  const auto remote = IDL::traits<Async::Peer>::unchecked_narrow(
      other->string_to_object(asking.world.server->object_to_string(asking.local)));
  std::promise<void> done;
  asking.servant->inside = [&] {
    const auto before = request_peer();
    EXPECT_FALSE(before->closed);
    other->destroy();
    EXPECT_TRUE(ends.closed(before->connection));
    EXPECT_TRUE(request_peer()->closed);
    EXPECT_EQ(request_peer()->connection, before->connection);
    done.set_value();
  };
  EXPECT_THROW(remote->nothing(), CORBA::SystemException);
  done.get_future().wait();  // the caller is gone, but the servant has not ended
}

}  // namespace
}  // namespace corbel::async_test
