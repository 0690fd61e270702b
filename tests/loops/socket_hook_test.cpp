// SPDX-License-Identifier: Apache-2.0
// Applications see new sockets before anything goes over them.
#include <sys/socket.h>

#include <mutex>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/socket_hook.hpp"
#include "support.hpp"

namespace corbel::loops_test {
namespace {

using orb::NewSocket;
using orb::SocketHook;

constexpr int kPriority = 5;

int priority_of(int socket) {
  int priority = -1;
  socklen_t size = sizeof priority;
  (void)::getsockopt(socket, SOL_SOCKET, SO_PRIORITY, &priority, &size);
  return priority;
}

/// What hooks have seen.
class Seen {
 public:
  SocketHook::CallBack call_back() {
    return [this](const NewSocket& socket) {
      EXPECT_EQ(::setsockopt(socket.handle, SOL_SOCKET, SO_PRIORITY, &kPriority, sizeof kPriority), 0);
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
    };
  }
  std::vector<NewSocket> sockets() {
    const std::lock_guard lock(mutex_);
    return sockets_;
  }

 private:
  std::mutex mutex_;
  std::vector<NewSocket> sockets_;
};

TEST(SocketHooks, SeeBothEndsOfEachConnectionOnce) {
  for (const std::string scheme : {"tcp", "unix", "packet"}) {
    SCOPED_TRACE(scheme);
    std::vector<std::string> options{"server", "-ORBListenEndpoints",
                                     scheme == "tcp" ? "tcp://127.0.0.1:0" : scheme + "://"};
    Party server(CORBA::ORB_init(options, "server"));
    auto client = make_orb("client");
    Seen accepted, opened;
    SocketHook at_server(*server.orb, accepted.call_back());
    SocketHook at_client(*client, opened.call_back());
    const auto object = IDL::traits<Loops::Peer>::unchecked_narrow(client->string_to_object(server.ior));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(object->echo(i), i);
    ASSERT_EQ(opened.sockets().size(), 1U);
    ASSERT_EQ(accepted.sockets().size(), 1U);
    const NewSocket ours = opened.sockets()[0], theirs = accepted.sockets()[0];
    EXPECT_FALSE(ours.accepted);
    EXPECT_TRUE(theirs.accepted);
    for (const NewSocket& socket : {ours, theirs}) {
      EXPECT_EQ(socket.transport, scheme);
      EXPECT_EQ(socket.protocol, "giop");
      EXPECT_TRUE(socket.local.starts_with(scheme + "://")) << socket.local;
      EXPECT_EQ(priority_of(socket.handle), kPriority) << "it is the one that is used";
    }
    EXPECT_NE(ours.handle, theirs.handle);
    EXPECT_TRUE(scheme != "tcp" || ours.local == theirs.peer) << ours.local << theirs.peer;
    client->destroy();
    server.orb->destroy();
  }
}

TEST(SocketHooks, ComeAndGoAndAreCalledInTheirOrder) {
  Party server(make_orb("server"));
  auto client = make_orb("client");
  std::vector<int> order;
  const auto connect = [&] {
    auto other = make_orb("other");
    std::vector<SocketHook> hooks;
    for (int i = 0; i < 3; ++i) hooks.emplace_back(*other, [&order, i](const NewSocket&) { order.push_back(i); });
    hooks[1].end();
    hooks[1].end();
    EXPECT_EQ(IDL::traits<Loops::Peer>::unchecked_narrow(other->string_to_object(server.ior))->echo(1), 1);
    other->destroy();
  };  // the hooks go after their ORB
  connect();
  EXPECT_EQ(order, (std::vector<int>{0, 2}));
  // One that another one ends is not called, although its turn would come next.
  std::vector<SocketHook> pair;
  pair.emplace_back(*client, [&](const NewSocket&) { pair[1].end(); });
  pair.emplace_back(*client, [](const NewSocket&) { ADD_FAILURE(); });
  EXPECT_EQ(IDL::traits<Loops::Peer>::unchecked_narrow(client->string_to_object(server.ior))->echo(1), 1);
  pair.clear();
  // One that ends itself sees one socket.
  SocketHook once;
  int calls = 0;
  once = SocketHook(*client, [&](const NewSocket&) {
    ++calls;
    once.end();
  });
  for (int i = 0; i < 2; ++i) {
    Party another(make_orb("another" + std::to_string(i)));
    EXPECT_EQ(IDL::traits<Loops::Peer>::unchecked_narrow(client->string_to_object(another.ior))->echo(1), 1);
    another.orb->destroy();
  }
  EXPECT_EQ(calls, 1);
  client->destroy();
  server.orb->destroy();
}

TEST(SocketHooks, WhatTheyThrowIsLoggedAndTheConnectionIsUsed) {
  Party server(make_orb("server"));
  orb::Components components = builtins::components();
  const auto log = std::make_shared<base::KeptLog>();
  components.log_sink = log;
  int argc = 1;
  char name[] = "throws";
  char* argv[] = {name, nullptr};
  auto client = CORBA::ORB_init(argc, argv, "throws", components);
  SocketHook hook(*client, [](const NewSocket&) { throw std::runtime_error("no such mark"); });
  EXPECT_EQ(IDL::traits<Loops::Peer>::unchecked_narrow(client->string_to_object(server.ior))->echo(1), 1);
  EXPECT_EQ(log->wait_for("a call-back for sockets threw").value("what"), "no such mark");
  client->destroy();
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { SocketHook late(*client, [](const NewSocket&) {}); }),
            corba::minor::kAdapterGone);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { SocketHook none(*server.orb, nullptr); }), kBadArgument);
  server.orb->destroy();
}

// While others connect and are accepted.
TEST(SocketHooks, ComeAndGoWhileConnectionsDo) {
  Party server(make_orb("server"));
  std::atomic<bool> stop{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&, i] {
      for (int n = 0; !stop; ++n) {
        auto orb = make_orb("client" + std::to_string(i));
        EXPECT_EQ(IDL::traits<Loops::Peer>::unchecked_narrow(orb->string_to_object(server.ior))->echo(n), n);
        orb->destroy();
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> calls{0};
    SocketHook hook(*server.orb, [&](const NewSocket& socket) { calls += socket.accepted; });
    while (calls == 0) std::this_thread::yield();
  }
  stop = true;
  for (auto& client : clients) client.join();
  server.orb->destroy();
}

}  // namespace
}  // namespace corbel::loops_test
