// SPDX-License-Identifier: Apache-2.0
// Calls over UDP that is made reliable, through a network that loses, repeats, reorders and damages datagrams: each is
// executed once, or its caller is told that nobody knows.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "corbel/corbel.hpp"
#include "corbel/transport/rudp/test_support.hpp"
#include "eventually.hpp"
#include "fault_server.hpp"

namespace {

using namespace std::chrono_literals;
using corbel::transport::rudp_tests::Badness;
using corbel::transport::rudp_tests::BadNetwork;

/// Counts how often each text came.
class Counting final : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override {
    tell(text);
    return text;
  }
  void wait() override {}
  void fail(std::int32_t) override {}
  void fire() override {}
  void tell(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    ++came_[text];
  }
  IDL::traits<Fault::Victim>::ref_type self() override { return _this(); }

  std::size_t most() {
    const std::lock_guard lock(mutex_);
    std::size_t most = 0;
    for (const auto& [text, count] : came_) most = std::max(most, count);
    return most;
  }
  std::size_t different() {
    const std::lock_guard lock(mutex_);
    return came_.size();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::size_t> came_;
};

class Reliable : public testing::TestWithParam<std::string> {
 protected:
  /// A server whose references name the network's address instead of its own.
  void start(const Badness& badness, const std::string& give_up) {
    const std::vector<std::string> terms{"-ORBRudpGiveUp", give_up, "-ORBRudpDatagram", "1232"};
    std::string ior;
    for (int tries = 0; ior.empty(); ++tries) {
      network_ = std::make_unique<BadNetwork>("127.0.0.2", "127.0.0.1", badness);
      try {
        ior = serve(terms);
      } catch (const CORBA::SystemException&) {  // others may have its port at the server's address
        if (tries == 20) throw;
        if (server_ != nullptr) std::exchange(server_, nullptr)->destroy();
      }
    }
    std::vector<std::string> options{"x", "-ORBCollocation", "off"};
    options.insert(options.end(), terms.begin(), terms.end());
    client_ = CORBA::ORB_init(options, "reliable-client");
    victim_ = IDL::traits<Fault::Victim>::unchecked_narrow(client_->string_to_object(ior));
  }
  void TearDown() override { end(); }
  void end() {
    victim_.reset();
    if (client_ != nullptr) std::exchange(client_, nullptr)->destroy();
    if (server_ != nullptr) std::exchange(server_, nullptr)->destroy();
  }

  /// A reference to the servant of a server at the network's port.
  std::string serve(const std::vector<std::string>& terms) {
    std::vector<std::string> options{"x", "-ORBListenEndpoints",
                                     GetParam() + "rudp://127.0.0.1:" + std::to_string(network_->port()),
                                     "-ORBPublishHost", "127.0.0.2"};
    options.insert(options.end(), terms.begin(), terms.end());
    server_ = CORBA::ORB_init(options, "reliable-server");
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    servant_ = CORBA::make_reference<Counting>();
    return server_->object_to_string(servant_->_this());
  }

  /// Calls, of which the 20th or one soon after finds that nothing comes through: how many there were, and how many of
  /// them were done.
  std::pair<int, int> call_until_cut() {
    std::atomic<int> calls{0};
    std::atomic<bool> over{false};
    std::thread cutting([&] {
      while (calls < 20 && !over) std::this_thread::yield();
      network_->cut();
    });
    int done = 0;
    try {
      EXPECT_EQ(victim_->echo("before"), "before");
      for (;; ++done) {
        ++calls;
        const std::string text = "call " + std::to_string(calls);
        EXPECT_EQ(victim_->echo(text), text);
      }
    } catch (const CORBA::COMM_FAILURE& failure) {
      EXPECT_EQ(failure.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
    } catch (const CORBA::SystemException& failure) {
      EXPECT_LT(done, 19) << failure.what();  // nothing was cut then
    }
    over = true;
    cutting.join();
    return {calls.load(), done};
  }

  std::unique_ptr<BadNetwork> network_;
  IDL::traits<CORBA::ORB>::ref_type server_, client_;
  CORBA::servant_reference<Counting> servant_;
  IDL::traits<Fault::Victim>::ref_type victim_;
};

TEST_P(Reliable, EveryCallIsExecutedOnce) {
  start({.lost = 10, .twice = 10, .overtaken = 20, .damaged = 3}, "30000");
  constexpr int kThreads = 4, kCalls = 40;
  std::vector<std::thread> callers;
  for (int each = 0; each < kThreads; ++each) {
    callers.emplace_back([&, each] {
      try {
        for (int i = 0; i < kCalls; ++i) {
          const std::string text = std::to_string(each) + ':' + std::to_string(i) +
                                   std::string(static_cast<std::size_t>(i % 8) * 1'000, 'x');
          EXPECT_EQ(victim_->echo(text), text);
          victim_->tell("oneway " + text);
        }
      } catch (const CORBA::SystemException& failure) {
        ADD_FAILURE() << failure.what();
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(victim_->echo("last"), "last");
  constexpr std::size_t kAll = 2U * kThreads * kCalls + 1U;
  // Oneways of other connections may still be on their way.
  EXPECT_TRUE(corbel::test::eventually([&] { return servant_->different() >= kAll; }));
  EXPECT_EQ(servant_->different(), kAll) << "oneways as well";
  EXPECT_EQ(servant_->most(), 1U);
  EXPECT_GT(network_->lost(), 20U);
}

TEST_P(Reliable, ACallThatMayHaveBeenExecutedSaysSo) {
  int calls = 0;
  int done = 0;
  // A machine that does much else may give somebody up who is there: once more, then.
  for (int tries = 0; tries < 4 && done < 19; ++tries) {
    end();
    start({.lost = 5}, "4000");
    std::tie(calls, done) = call_until_cut();
  }
  EXPECT_GE(done, 19);
  EXPECT_EQ(servant_->most(), 1U);
  EXPECT_LE(servant_->different(), static_cast<std::size_t>(calls) + 1);
  EXPECT_GE(servant_->different(), static_cast<std::size_t>(calls));
}

INSTANTIATE_TEST_SUITE_P(All, Reliable, testing::Values("", "giop_lite+"),
                         [](const testing::TestParamInfo<std::string>& protocol) {
                           return protocol.param.empty() ? "giop" : "giop_lite";
                         });

}  // namespace
