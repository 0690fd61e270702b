// SPDX-License-Identifier: Apache-2.0
// What may be done without a word when a reference cannot be used where it was bound (CORBA 3.3 part 1, 17.2.1).
#include "corbel/ior/profile.hpp"
#include "corbel/orb/core.hpp"
#include "support.hpp"

namespace corbel::policies_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;

/// Values by type, as a server exposes them in a component of its references.
using Exposed = std::vector<std::pair<std::uint32_t, test::Octets>>;

ior::TaggedComponent component(const Exposed& policies) {
  test::Writer writer;
  writer.octet(1).u32(static_cast<std::uint32_t>(policies.size()));
  for (const auto& [type, value] : policies) writer.u32(type).octets(value);
  const test::Octets octets = writer.written();
  return {2, {octets.begin(), octets.end()}};
}

/// A profile that leads to the peer, with such components.
ior::TaggedProfile governed(const FakePeer& peer, const std::vector<Exposed>& components) {
  ior::IiopProfile profile;
  profile.version = {1, 2};
  profile.object_key = {'k', 'e', 'y'};
  profile.host = "127.0.0.1";
  profile.port = peer.port();
  for (const Exposed& policies : components) profile.components.push_back(component(policies));
  return ior::encode_profile(profile);
}

test::Answer forward_to(const std::vector<ior::TaggedProfile>& profiles) {
  return answer::status(3, [profiles](test::Writer& writer) {
    writer.string("IDL:Test:1.0").u32(static_cast<std::uint32_t>(profiles.size()));
    for (const auto& profile : profiles) writer.u32(profile.tag).octets({profile.data.begin(), profile.data.end()});
  });
}

const Exposed kOne = {{40, {1, 0, 5}}};
const Exposed kOther = {{40, {1, 0, 6}}};

class Rebinding : public ::testing::Test {
 protected:
  static ThingRef with(const ThingRef& thing, Messaging::RebindMode mode) {
    return with_policies(thing, {CORBA::make_reference<Messaging::RebindPolicy>(mode)});
  }
  static std::string ask(const ThingRef& thing) {
    std::string result;
    const std::string ending = ending_of([&] { result = thing->ask(""); });
    return ending == "done" ? result : ending;
  }
  /// After the peer's connections have ended, which the client finds out now.
  void close_connections() {
    home_.close_all(true);
    ASSERT_TRUE(home_.wait_for_open(0));
  }

  FakePeer home_{{answer::text("home")}};
  FakePeer away_{{answer::text("away")}};
  Orb orb_;
  ThingRef thing_ = orb_.thing(home_.ior());
};

TEST_F(Rebinding, TransparentFollowsForwardsAndReconnects) {
  const ThingRef thing = with(thing_, Messaging::TRANSPARENT);
  EXPECT_EQ(ask(thing), "home");
  close_connections();
  EXPECT_EQ(ask(thing), "home");
  home_.set({answer::forward({away_.profile()})});
  EXPECT_EQ(ask(thing), "away");
}

TEST_F(Rebinding, TheFirstBindingMayBeAnywhere) {
  home_.set({answer::forward({away_.profile()})});
  for (const auto mode : {Messaging::NO_REBIND, Messaging::NO_RECONNECT}) {
    EXPECT_EQ(ask(with(thing_, mode)), "away") << mode;
    EXPECT_EQ(with(thing_, mode)->async_ask("").get(), "away") << mode;
  }
}

TEST_F(Rebinding, NoRebindReconnectsAndFollowsForwardsToTheSamePolicies) {
  const ThingRef thing = with(thing_, Messaging::NO_REBIND);
  EXPECT_EQ(ask(thing), "home");
  close_connections();
  EXPECT_EQ(ask(thing), "home");
  EXPECT_EQ(home_.connections(), 2U);
  home_.set({forward_to({governed(away_, {kOne})})});
  EXPECT_EQ(ask(thing), "REBIND NO");
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }), "REBIND NO");
  EXPECT_EQ(away_.requests(), 0U);
  home_.set({answer::text("home")});
  EXPECT_EQ(ask(thing), "home");  // it stayed where it was
  home_.set({answer::forward({away_.profile()})});
  EXPECT_EQ(ask(thing), "away");
  EXPECT_EQ(thing->async_ask("").get(), "away");
  EXPECT_EQ(home_.requests(), 6U) << "it stays where it has come";
  away_.set({forward_to({governed(home_, {kOne})})});
  EXPECT_EQ(ask(thing), "REBIND NO");
}

TEST_F(Rebinding, NoRebindComparesWhatTheServersExpose) {
  const std::string ior = ior::to_string({"IDL:Test:1.0", {governed(home_, {kOne, {{41, {}}}})}});
  const auto forwarded = [&](const std::vector<ior::TaggedProfile>& to, Messaging::RebindMode mode) {
    home_.set({answer::text("home"), forward_to(to)});
    const ThingRef thing = with(orb_.thing(ior), mode);
    EXPECT_EQ(ask(thing), "home");
    return ask(thing);
  };
  const auto followed = [&](const std::vector<ior::TaggedProfile>& to) { return forwarded(to, Messaging::NO_REBIND); };
  EXPECT_EQ(followed({governed(away_, {kOne, {{41, {}}}})}), "away");
  EXPECT_EQ(followed({governed(away_, {{{41, {}}, {40, {1, 0, 5}}}})}), "away") << "the order is none";
  EXPECT_EQ(followed({governed(away_, {{{41, {}}, {40, {1, 0, 5}}, {41, {}}}})}), "away");
  EXPECT_EQ(followed({governed(away_, {kOther, {{41, {}}}})}), "REBIND NO");
  EXPECT_EQ(followed({governed(away_, {kOne})}), "REBIND NO");
  EXPECT_EQ(followed({governed(away_, {kOne, {{41, {}}, {42, {}}}})}), "REBIND NO");
  EXPECT_EQ(followed({governed(away_, {})}), "REBIND NO");
  EXPECT_EQ(followed({governed(home_, {kOther}), governed(away_, {kOne, {{41, {}}}})}), "away") << "by what agrees";
  EXPECT_EQ(forwarded({governed(away_, {kOne, {{41, {}}}})}, Messaging::NO_RECONNECT), "REBIND NO");
  EXPECT_EQ(forwarded({governed(away_, {kOther})}, Messaging::TRANSPARENT), "away");
  EXPECT_EQ(away_.requests(), 5U);
}

TEST_F(Rebinding, NoRebindComparesEachForwardWithThePlaceBefore) {
  FakePeer last({answer::text("last")});
  const ThingRef thing = with(thing_, Messaging::NO_REBIND);
  EXPECT_EQ(ask(thing), "home");
  home_.set({answer::forward({away_.profile()})});
  away_.set({forward_to({governed(last, {kOne})}), answer::forward({last.profile()})});
  EXPECT_EQ(ask(thing), "REBIND NO");
  EXPECT_EQ(ask(thing), "last");
}

// What cannot be read is equal to itself alone.
TEST_F(Rebinding, NoRebindTakesNonsenseForAPolicy) {
  auto nonsense = [](const FakePeer& peer, base::Octet last) {
    ior::TaggedProfile profile = governed(peer, {});
    EXPECT_TRUE(ior::add_component(profile, {2, {1, 0, 0, 0, 0xff, 0xff, 0xff, last}}));
    return profile;
  };
  const std::string ior = ior::to_string({"IDL:Test:1.0", {nonsense(home_, 1)}});
  const ThingRef thing = with(orb_.thing(ior), Messaging::NO_REBIND);
  EXPECT_EQ(ask(thing), "home");
  home_.set({forward_to({nonsense(away_, 2)}), forward_to({nonsense(away_, 1)})});
  EXPECT_EQ(ask(thing), "REBIND NO");
  EXPECT_EQ(ask(thing), "away");
}

TEST_F(Rebinding, NoReconnectOpensNoOtherConnection) {
  const ThingRef thing = with(thing_, Messaging::NO_RECONNECT);
  EXPECT_EQ(ask(thing), "home");
  home_.set({answer::forward({away_.profile()})});
  EXPECT_EQ(ask(thing), "REBIND NO");
  home_.set({answer::close_connection()});
  EXPECT_EQ(ask(thing), "REBIND NO");
  home_.set({answer::text("home")});
  EXPECT_EQ(ask(thing), "REBIND NO");
  EXPECT_EQ(home_.connections(), 1U);
}

// Such a connection is the last to make room for others.
TEST_F(Rebinding, TheConnectionThatNoReconnectDependsOnIsKnown) {
  const auto bound = [&] {
    const auto all = orb_->_core().cache().all();
    return std::ranges::count_if(all, [](const auto& one) { return one->is_bound_for_good(); });
  };
  EXPECT_EQ(ask(thing_), "home");
  EXPECT_EQ(ask(with(thing_, Messaging::NO_REBIND)), "home");
  EXPECT_EQ(bound(), 0);
  EXPECT_EQ(ask(with(thing_, Messaging::NO_RECONNECT)), "home");
  EXPECT_EQ(bound(), 1);
  close_connections();
  EXPECT_EQ(ask(thing_), "home");
  EXPECT_EQ(bound(), 0);
  for (const auto mode : {Messaging::NO_REBIND, Messaging::NO_RECONNECT}) {
    orb_.current()->set_policy_overrides({CORBA::make_reference<Messaging::RebindPolicy>(mode)},
                                         SetOverrideType::SET_OVERRIDE);
    EXPECT_EQ(ask(thing_), "home");
    EXPECT_EQ(bound(), mode == Messaging::NO_RECONNECT ? 1 : 0) << "the reference was in use before";
  }
}

// 8.3.11: the explicit way.
TEST_F(Rebinding, ValidatingTheConnectionBindsAnew) {
  const ThingRef thing = with(thing_, Messaging::NO_RECONNECT);
  EXPECT_EQ(ask(thing), "home");
  home_.set({answer::close_connection()});
  EXPECT_EQ(ask(thing), "REBIND NO");
  home_.set({answer::forward({away_.profile()})});
  CORBA::PolicyList inconsistent;
  EXPECT_TRUE(thing->_validate_connection(inconsistent));
  EXPECT_EQ(ask(thing), "away");
  EXPECT_EQ(home_.connections(), 2U);  // once it was used: it is the system that accepts first
  away_.set({answer::forward({home_.profile()})});
  EXPECT_EQ(ask(thing), "REBIND NO");
}

TEST_F(Rebinding, AFixedReferenceKeepsToItsProfile) {
  const ThingRef thing = with(orb_.thing(test::ior_string({home_.profile(), away_.profile()})), Messaging::NO_REBIND);
  EXPECT_EQ(ask(thing), "home");
  home_.set({answer::system_exception("TRANSIENT", 1)});
  EXPECT_EQ(ask(thing), "TRANSIENT NO");
  EXPECT_EQ(away_.requests(), 0U);
  home_.set({answer::text("home")});
  EXPECT_EQ(ask(thing), "home");
}

TEST_F(Rebinding, AReferenceInUseBecomesFixedByTheThreadsPolicy) {
  EXPECT_EQ(ask(thing_), "home");
  EXPECT_EQ(ask(thing_), "home");
  orb_.current()->set_policy_overrides({CORBA::make_reference<Messaging::RebindPolicy>(Messaging::NO_REBIND)},
                                       SetOverrideType::SET_OVERRIDE);
  home_.set({forward_to({governed(away_, {kOne})})});
  EXPECT_EQ(ask(thing_), "REBIND NO");
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(ask(thing_), "away");
}

TEST_F(Rebinding, ValidatingSaysWhyThereIsNobody) {
  const test::RefusingPort nobody;
  const ThingRef thing = orb_.thing(test::ior_string({nobody.profile()}));
  CORBA::PolicyList inconsistent;
  EXPECT_EQ(ending_of([&] { thing->_validate_connection(inconsistent); }), "TRANSIENT NO");
}

}  // namespace
}  // namespace corbel::policies_test
