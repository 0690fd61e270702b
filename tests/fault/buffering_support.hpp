// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/buffering_policy.hpp"
#include "corbel/corbel.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel/orb/oneways.hpp"
#include "corbel/orb/statistics.hpp"
#include "eventually.hpp"
#include "fake_peer.hpp"
#include "fault.hpp"

/// Oneways that are kept back, to a peer made by hand.
namespace corbel::buffering_test {

using namespace std::chrono_literals;
using base::KeptLog;
using test::FakePeer;
using test::Received;
using VictimRef = IDL::traits<Fault::Victim>::ref_type;

inline constexpr std::uint64_t kMillisecond = 10'000;  // in units of 100 ns
inline constexpr std::uint32_t kMany = 1'000'000;

inline CORBA::PolicyList count_of(std::uint32_t messages) {
  return {CORBA::make_reference<BufferingConstraintPolicy>(BufferingConstraint(BUFFER_MESSAGE_COUNT, 0, messages, 0))};
}
inline CORBA::PolicyList none() {
  return {CORBA::make_reference<BufferingConstraintPolicy>(BufferingConstraint())};
}

inline void answer(test::Conversation& conversation, const Received& request) {
  if ((request.response_flags & 3U) != 0) test::answer::text("done")(conversation, request);
}

class BufferingTest : public testing::Test {
 protected:
  ~BufferingTest() override {
    if (orb_ != nullptr) orb_->destroy();
  }
  void use(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"buffering-test", "-ORBSyncScope", "none"});
    auto components = corbel::builtins::components();
    components.log_sink = log_;
    orb_ = corbel::orb::init(options, "buffering-test", components);
    plain_ = victim_at(peer_.ior());
  }
  VictimRef victim_at(const std::string& reference) {
    return IDL::traits<Fault::Victim>::unchecked_narrow(orb_->string_to_object(reference));
  }
  /// Without a connection what nobody waits for is given up after a tenth of a second, which is nothing on a machine
  /// that does much else.
  static void connect(const VictimRef& victim) {
    CORBA::PolicyList inconsistent;
    EXPECT_TRUE(victim->_validate_connection(inconsistent));
  }
  static void tell(const VictimRef& victim, int from, int to) {
    connect(victim);
    for (int n = from; n < to; ++n) victim->tell(std::to_string(n));
  }
  /// Three messages are kept back when the peer goes.
  void tell_and_lose_peer(const VictimRef& victim) {
    EXPECT_EQ(victim->echo("?"), "done");
    tell(victim, 0, 3);
    peer_.close_all(false);
    EXPECT_TRUE(peer_.wait_for_open(0));
  }
  orb::Statistics statistics() { return orb::statistics(*orb_); }
  /// What the peer was told and asked, in order, once there are so many messages: "0 1 echo".
  static std::string heard(FakePeer& peer, std::size_t count) {
    EXPECT_TRUE(wait_for_requests(peer, count)) << peer.requests() << " of " << count;
    std::string all;
    for (const Received& message : peer.messages()) {
      if (message.type != test::kRequest) continue;
      std::string what = message.operation;
      if (what == "tell") {  // the string's end is the message's
        std::size_t begin = message.octets.size() - 1;
        while (begin > 0 && message.octets[begin - 1] >= ' ' && message.octets[begin - 1] < 0x7f) --begin;
        what.assign(message.octets.begin() + static_cast<std::ptrdiff_t>(begin), message.octets.end() - 1);
      }
      all += all.empty() ? what : ' ' + what;
    }
    return all;
  }
  std::string heard(std::size_t count) { return heard(peer_, count); }
  bool wait_for_requests(std::size_t count) const { return wait_for_requests(peer_, count); }
  static bool wait_for_requests(const FakePeer& peer, std::size_t count) {
    return test::eventually([&] { return peer.requests() >= count; });
  }

  FakePeer peer_{{&answer}};
  std::shared_ptr<KeptLog> log_ = std::make_shared<KeptLog>();
  IDL::traits<CORBA::ORB>::ref_type orb_;
  VictimRef plain_;
};

}  // namespace corbel::buffering_test
