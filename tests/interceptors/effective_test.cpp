// SPDX-License-Identifier: Apache-2.0
// Where client interceptors are told that a request goes: the reference, and which of its profiles
// (CORBA 3.3 part 1, 16.3.13).
#include <gtest/gtest.h>

#include "corbel/ior/profile.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;

/// A client interceptor that notes where requests go.
class Effective : public ::testing::Test {
 protected:
  Effective() {
    watch_->set("send_request", [this](const ClientInfoRef& info) {
      targets_.push_back(orb_->object_to_string(info->effective_target()));
      const IOP::TaggedProfile profile = info->effective_profile();
      const auto iiop = ior::decode_iiop_profile({profile.tag(), profile.profile_data()});
      ports_.push_back(iiop ? iiop->port : 0);
      code_sets_.push_back(ending_of([&] { (void)info->get_effective_component(1); }));
    });
  }
  std::string own(const FakePeer& peer) const { return orb_->object_to_string(orb_->string_to_object(peer.ior())); }

  Story story_;
  CORBA::object_reference<ClientWatch> watch_ = CORBA::make_reference<ClientWatch>("W", story_);
  Orb orb_{Parts{.clients = {watch_}}};
  std::vector<std::string> targets_;
  std::vector<unsigned> ports_;
  std::vector<std::string> code_sets_;
};

TEST_F(Effective, ProfileIsTheOneThatTheCallFellBackTo) {
  const test::RefusingPort nowhere;
  test::ProfileData first = nowhere.profile();
  first.code_sets = false;
  FakePeer peer({answer::text("well")});
  const ThingRef thing = orb_.thing(test::ior_string({first, peer.profile()}));
  EXPECT_EQ(thing->ask(""), "well");
  EXPECT_EQ(thing->ask(""), "well");  // by the connection that is there
  EXPECT_EQ(thing->async_ask("").get(), "well");
  peer.set({answer::nothing()});
  thing->note(1);
  EXPECT_EQ(ports_, std::vector<unsigned>(4, peer.port()));
  EXPECT_EQ(code_sets_, std::vector<std::string>(4, "done"));
}

TEST_F(Effective, ProfileIsTheOneThatIsTriedNext) {
  FakePeer first({answer::close_connection(), answer::system_exception("TRANSIENT", 1)});
  FakePeer second({answer::text("well")});
  EXPECT_EQ(orb_.thing(test::ior_string({first.profile(), second.profile()}))->ask(""), "well");
  EXPECT_EQ(ports_, (std::vector<unsigned>{first.port(), first.port(), second.port()}));
}

TEST_F(Effective, ProfileIsOneOfThePreferredProtocol) {
  FakePeer peer({answer::text("well")});
  ior::Ior ior = *ior::from_string(peer.ior());
  ior::UiopProfile unix_profile;
  unix_profile.path = "/nonexistent/corbel.sock";
  unix_profile.object_key = base::Bytes{'k'};
  ior.profiles.insert(ior.profiles.begin(), ior::encode_profile(unix_profile));
  const Orb prefers_tcp{Parts{.clients = {watch_}}, {"-ORBProtocolPreference", "tcp"}};
  EXPECT_EQ(prefers_tcp.thing(ior::to_string(ior))->ask(""), "well");
  EXPECT_EQ(ports_, std::vector<unsigned>{peer.port()});
}

TEST_F(Effective, ProfileIsOneOfTheReferenceThatAServerForwardedTo) {
  const test::RefusingPort nowhere;
  FakePeer other({answer::text("well")});
  FakePeer peer({answer::forward({nowhere.profile(), other.profile()})});
  EXPECT_EQ(orb_.thing(peer.ior())->ask(""), "well");
  EXPECT_EQ(ports_, (std::vector<unsigned>{peer.port(), other.port()}));
}

TEST_F(Effective, TargetIsNotWhereAnotherCallOfTheReferenceWasForwarded) {
  FakePeer one({answer::text("one")});
  FakePeer two({answer::text("two")});
  FakePeer peer({answer::forward({one.profile()}), answer::forward({two.profile()})});
  const ThingRef thing = orb_.thing(peer.ior());
  watch_->set("receive_other", [&, inside = false](const ClientInfoRef&) mutable {
    if (std::exchange(inside, true)) return;
    EXPECT_EQ(thing->ask(""), "two");
  });
  EXPECT_EQ(thing->ask(""), "one");
  EXPECT_EQ(targets_, (std::vector<std::string>{own(peer), own(peer), own(two), own(one)}));
  EXPECT_EQ(ports_, (std::vector<unsigned>{peer.port(), peer.port(), two.port(), one.port()}));
}

TEST_F(Effective, TargetIsWhereAnInterceptorSendsTheCallThatReachedNothing) {
  const test::RefusingPort nowhere;
  FakePeer other({answer::text("well")});
  watch_->set("receive_exception",
              [&](const ClientInfoRef&) { throw PI::ForwardRequest(orb_->string_to_object(other.ior())); });
  EXPECT_EQ(orb_.thing(test::ior_string({nowhere.profile()}))->ask(""), "well");
  ASSERT_EQ(targets_.size(), 2U);
  EXPECT_EQ(targets_[1], own(other));
  EXPECT_EQ(ports_[1], other.port());
}

}  // namespace
}  // namespace corbel::interceptors_test
