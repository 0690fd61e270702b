// SPDX-License-Identifier: Apache-2.0
// The two-way protocol of docs/messaging-protocols.md as a plug-in: callers that share a connection, one of which reads
// for the others.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/orb/statistics.hpp"
#include "desk_server.hpp"

namespace {

class DeskServant : public virtual CORBA::servant_traits<Desk>::base_type {
 public:
  std::string echo(const std::string& text) override { return text; }
  std::string keep(const std::string& text) override {
    std::unique_lock lock(mutex_);
    ++kept_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
    return text;
  }
  void release() override {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  void await_kept(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kept_ >= count; });
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int kept_ = 0;
  bool released_ = false;
};

IDL::traits<CORBA::ORB>::ref_type make_orb(const std::string& id, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"guides", "-ORBLoad", CORBEL_GUIDE_PLUGIN});
  return CORBA::ORB_init(options, id);
}

/// Texts of many lengths: a reply that is another's would show.
std::string text_of(int caller, int call) {
  return std::to_string(caller) + ':' + std::string(static_cast<std::size_t>(call * 37 % 5000), 'x');
}

TEST(GuideProtocol, CallersOfOneConnectionHaveTheirOwnReplies) {
  constexpr int kCallers = 8;
  const auto server = make_orb("server", {"-ORBListenEndpoints", "notes+tcp://127.0.0.1:0", "-ORBThreads", "4"});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<DeskServant>();
  const std::string reference = server->object_to_string(servant->_this());
  const auto client = make_orb("client", {"-ORBConnectionsPerEndpoint", "1"});
  const auto desk = IDL::traits<Desk>::narrow(client->string_to_object(reference));
  EXPECT_EQ(desk->echo("warm"), "warm");

  // The first waits for its reply, and reads meanwhile what comes for all others.
  std::thread reader([&] { EXPECT_EQ(desk->keep("kept"), "kept"); });
  servant->await_kept(1);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int call = 0; call < 200; ++call) {
        const std::string text = text_of(caller, call);
        ASSERT_EQ(desk->echo(text), text);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  desk->release();
  reader.join();

  const auto talks = corbel::orb::conversations(*client);
  ASSERT_EQ(talks.size(), 1U) << "they share a connection";
  EXPECT_EQ(talks[0].protocol, "notes");
  client->destroy();
  server->destroy();
}

}  // namespace
