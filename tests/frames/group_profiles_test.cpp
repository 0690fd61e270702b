// SPDX-License-Identifier: Apache-2.0
// What references to groups have beside the group.
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/ior/group.hpp"
#include "corbel/ior/profile.hpp"
#include "groups_support.hpp"

namespace {

using GroupProfiles = GroupCalls;

TEST_F(GroupProfiles, WhatWantsAReplyGoesToTheGatewayIfThereIsOne) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 1);
  const Orb client = make_orb("client");
  // Beside the group's profile, and within it.
  for (const bool within : {false, true}) {
    auto group = *corbel::ior::from_string(client->object_to_string(client->string_to_object(url_)));
    const auto single = *corbel::ior::from_string(server->object_to_string(members[0]->_this()));
    if (within) {
      auto profile = *corbel::ior::decode_uipmc_profile(group.profiles[0]);
      profile.components.push_back(
          {static_cast<std::uint32_t>(corbel::ior::ComponentTag::group_iiop), single.profiles[0].data});
      group.profiles[0] = corbel::ior::encode_profile(profile);
    } else {
      group.profiles.push_back(single.profiles[0]);
    }
    const Camera all =
        IDL::traits<Studio::Camera>::unchecked_narrow(client->string_to_object(corbel::ior::to_string(group)));
    const std::uint32_t before = all->pushed();
    all->push(1, Studio::Picture(10));
    EXPECT_TRUE(members[0]->await(before + 1));
    EXPECT_EQ(all->pushed(), before + 1);
  }
}

TEST_F(GroupProfiles, OnewaysDoNotNeedTheGateway) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 1);
  auto group = *corbel::ior::from_string(server->object_to_string(server->string_to_object(url_)));
  const auto single = *corbel::ior::from_string(server->object_to_string(members[0]->_this()));
  auto gateway = *corbel::ior::decode_iiop_profile(single.profiles[0]);
  gateway.port = 1;  // nobody listens there
  gateway.components.clear();
  group.profiles.push_back(corbel::ior::encode_profile(gateway));
  const std::string text = corbel::ior::to_string(group);
  std::uint32_t pushed = 0;
  for (const auto scope : {Messaging::SYNC_NONE, Messaging::SYNC_WITH_TRANSPORT}) {
    const Orb client = make_orb("client " + std::to_string(scope));
    const Camera all =
        IDL::traits<Studio::Camera>::unchecked_narrow(client->string_to_object(text)->_set_policy_overrides(
            {CORBA::make_reference<Messaging::SyncScopePolicy>(scope)}, CORBA::SetOverrideType::SET_OVERRIDE));
    for (int i = 0; i < 3; ++i) {
      all->push(1, Studio::Picture(10));
      EXPECT_TRUE(members[0]->await(++pushed)) << scope;
    }
    EXPECT_THROW(all->pushed(), CORBA::TRANSIENT) << "this one needs it";
    all->push(1, Studio::Picture(10));
    EXPECT_TRUE(members[0]->await(++pushed)) << scope;
  }
  // Oneways that went before the gateway was asked, and those after it.
  group.profiles[1] = single.profiles[0];
  const Camera all = IDL::traits<Studio::Camera>::unchecked_narrow(
      make_orb("client")->string_to_object(corbel::ior::to_string(group)));
  for (int i = 0; i < 3; ++i) {
    all->push(1, Studio::Picture(10));
    EXPECT_TRUE(members[0]->await(++pushed));
    EXPECT_EQ(all->pushed(), pushed);
  }
}

TEST_F(GroupProfiles, AProfileThatNamesNoGroupLeadsNowhere) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 1);
  const Orb client = make_orb("client");
  const auto whole = *corbel::ior::from_string(client->object_to_string(client->string_to_object(url_)));
  auto nameless = *corbel::ior::decode_uipmc_profile(whole.profiles[0]);
  auto cut = nameless;
  nameless.components.clear();
  cut.components[0].data.resize(5);
  for (const auto& bad : {nameless, cut}) {
    auto reference = whole;
    reference.profiles = {corbel::ior::encode_profile(bad)};
    const auto called = [&] {
      return IDL::traits<Studio::Camera>::unchecked_narrow(client->string_to_object(corbel::ior::to_string(reference)));
    };
    EXPECT_THROW(called()->push(1, Studio::Picture(1)), CORBA::SystemException);
    const auto before = members[0]->pushed();
    reference.profiles.push_back(whole.profiles[0]);
    called()->push(1, Studio::Picture(1));
    EXPECT_TRUE(members[0]->await(before + 1));
  }
}

}  // namespace
