// SPDX-License-Identifier: Apache-2.0
// Oneways to groups of objects, from stub to servants, over multicast on this host.
#include "corbel/ior/group.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/statistics.hpp"
#include "corbel/poa/caller_policy.hpp"
#include "groups_support.hpp"
#include "raw_peer.hpp"

namespace {

// A long sequence is received into memory that one decoder takes over.
TEST_F(GroupCalls, OverAStreamReachEveryMemberWithAllThatTheyCarry) {
  const Orb server = make_orb("server");
  const auto members = serve(server, 3);
  const auto body =
      corbel::ior::from_string(server->object_to_string(server->string_to_object(url_)))->profiles[0].data;
  auto own = *corbel::ior::decode_iiop_profile(
      corbel::ior::from_string(server->object_to_string(members[0]->_this()))->profiles[0]);
  own.object_key = body;
  const auto object = make_orb("client")->string_to_object(
      corbel::ior::to_string({"IDL:Studio/Camera:1.0", {corbel::ior::encode_profile(own)}}));
  const auto camera = IDL::traits<Studio::Camera>::unchecked_narrow(object);
  std::size_t all = 0;
  std::uint32_t number = 0;
  for (const std::size_t size : {std::size_t{100}, std::size_t{200'000}, std::size_t{1'000'000}}) {
    camera->push(++number, Studio::Picture(size));
    all += size;
    for (const Member& each : members) {
      EXPECT_TRUE(each->await(number)) << size;
      EXPECT_EQ(each->octets(), all);
    }
  }
}

TEST_F(GroupCalls, ReachEveryMemberInEveryServer) {
  const auto one = serve(make_orb("one"), 2);
  const auto two = serve(make_orb("two"), 1);
  const Camera all = group(make_orb("client"));
  for (std::uint32_t i = 1; i <= 20; ++i) {
    all->push(i, Studio::Picture(i * 100));
    for (const auto* members : {&one, &two}) {
      for (const Member& each : *members) ASSERT_TRUE(each->await(i)) << i;
    }
  }
  all->push(21, Studio::Picture(40'000));  // many packets
  all->caption("gr\u00fcn");
  for (const auto* members : {&one, &two}) {
    for (const Member& each : *members) {
      EXPECT_TRUE(each->await(21));
      EXPECT_TRUE(each->await("gr\u00fcn"));
      EXPECT_EQ(each->octets(), 61'000U);
    }
  }
}

TEST_F(GroupCalls, OfAServerInTheGroupReachItsOwnMembersAndTheOthers) {
  const Orb caller = make_orb("caller");
  const auto own = serve(caller, 1);
  const auto others = serve(make_orb("other"), 1);
  const Camera all = group(caller);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    all->push(i, Studio::Picture(100));
    ASSERT_TRUE(own.front()->await(i));
    ASSERT_TRUE(others.front()->await(i));
  }
  EXPECT_EQ(own.front()->pushed(), 3U);
}

TEST_F(GroupCalls, ReachAServerOnceThatListensThereAndJoinsByReferencesToo) {
  const std::string address = url_.substr(url_.find('/') + 1);
  const Orb server = make_orb("server", {"-ORBListenEndpoints", "tcp://127.0.0.1:0;multicast://" + address});
  const auto members = serve(server, 1);
  corbel::orb::join_group(*server, corbel::orb::group_over(*server, server->string_to_object(url_), "giop"),
                          members.front()->_this());
  const Camera all = group(make_orb("client"));
  for (std::uint32_t i = 1; i <= 20; ++i) all->push(i, Studio::Picture(100));
  all->caption("last");
  ASSERT_TRUE(members.front()->await("last"));
  EXPECT_FALSE(members.front()->await(21, std::chrono::milliseconds(100)));
  EXPECT_EQ(members.front()->pushed(), 20U);
}

TEST_F(GroupCalls, AreHeardHoweverManyConnectionsThereAreAndTakeNoPlaceOfThem) {
  const Orb full = make_orb("full", {"-ORBMaxConnections", "1"});
  const auto members = serve(full, 1);  // hears before there is a connection
  const Camera all = group(make_orb("client"));
  all->push(1, Studio::Picture(100));
  EXPECT_TRUE(members.front()->await(1));
  const auto text = full->object_to_string(members.front()->_this());
  const auto single = IDL::traits<Studio::Camera>::unchecked_narrow(make_orb("one more")->string_to_object(text));
  EXPECT_EQ(single->pushed(), 1U) << "the one connection";
  all->push(2, Studio::Picture(100));
  EXPECT_TRUE(members.front()->await(2));
  EXPECT_EQ(single->pushed(), 2U);
}

TEST_F(GroupCalls, ThatAreTooLargeOrWantAReplySaySo) {
  const auto members = serve(make_orb("one"), 1);
  const Camera all = group(make_orb("client"));
  try {
    all->pushed();
    FAIL() << "a reply out of nothing";
  } catch (const CORBA::IMP_LIMIT& exception) {
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    EXPECT_NE(std::string(exception.what()).find("a group can be sent oneways only"), std::string::npos)
        << exception.what();
  }
  EXPECT_THROW(all->push(1, Studio::Picture(70'000)), CORBA::IMP_LIMIT);
  all->push(1, Studio::Picture(1));
  EXPECT_TRUE(members[0]->await(1));
}

TEST_F(GroupCalls, WhoHasLeftIsNotReachedAndWhoStaysIs) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 2);
  const Camera all = group(make_orb("client"));
  all->push(1, Studio::Picture(10));
  for (const Member& each : members) EXPECT_TRUE(each->await(1));
  corbel::orb::leave_group(*server, server->string_to_object(url_), members[0]->_this());
  corbel::orb::leave_group(*server, server->string_to_object(url_), members[0]->_this());
  all->push(2, Studio::Picture(10));
  EXPECT_TRUE(members[1]->await(2));
  EXPECT_EQ(members[0]->pushed(), 1U);
}

TEST_F(GroupCalls, OnlyObjectsOfThisOrbJoinAndOnlyGroupsAreJoined) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 1);
  const Orb other = make_orb("two");
  const auto a_group = server->string_to_object(url_);
  const auto foreign = other->string_to_object(server->object_to_string(members[0]->_this()));
  EXPECT_THROW(corbel::orb::join_group(*other, a_group, foreign), CORBA::BAD_PARAM);
  EXPECT_THROW(corbel::orb::join_group(*server, members[0]->_this(), members[0]->_this()), CORBA::BAD_PARAM);
  EXPECT_THROW(corbel::orb::join_group(*server, nullptr, members[0]->_this()), CORBA::BAD_PARAM);
  EXPECT_THROW(corbel::orb::join_group(*server, a_group, nullptr), CORBA::BAD_PARAM);
}

TEST_F(GroupCalls, InFramesReachEveryMemberAndAreCountedThere) {
  const auto over_frames = [&](const Orb& orb) {
    return corbel::orb::group_over(*orb, orb->string_to_object(url_), "frames");
  };
  const auto join = [&](const Orb& orb) {
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    auto member = CORBA::make_reference<GroupMember>();
    corbel::orb::join_group(*orb, over_frames(orb), poa->id_to_reference(poa->activate_object(member)));
    return member;
  };
  const Orb one = make_orb("one");
  const Orb two = make_orb("two");
  const std::vector<Member> members = {join(one), join(two)};
  const Orb client = make_orb("client");
  // The reference is as good as any other when it has been text.
  const auto text = client->object_to_string(over_frames(client));
  const Camera all = IDL::traits<Studio::Camera>::unchecked_narrow(client->string_to_object(text));
  const Camera second_sender =
      IDL::traits<Studio::Camera>::unchecked_narrow(make_orb("client two")->string_to_object(text));
  std::size_t octets = 0;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    all->push(i, Studio::Picture(i == 10 ? 80'000 : i * 100));  // one is larger than a message, and each than a packet
    octets += i == 10 ? 80'000 : i * 100;
    for (const Member& each : members) ASSERT_TRUE(each->await(i)) << i;
  }
  second_sender->caption("gr\u00fcn");
  for (const Member& each : members) {
    EXPECT_TRUE(each->await("gr\u00fcn"));
    EXPECT_EQ(each->octets(), octets);
  }
  for (const Orb& orb : {one, two}) {
    std::uint64_t received = 0;
    std::uint64_t lost = 0;
    for (const auto& conversation : corbel::orb::conversations(*orb)) {
      received += conversation.figure("received");
      lost += conversation.figure("lost");
    }
    EXPECT_EQ(received, 21U);
    EXPECT_EQ(lost, 0U);
  }
  EXPECT_THROW(corbel::orb::group_over(*client, client->string_to_object(url_), "giop_lite"), CORBA::BAD_PARAM);
  EXPECT_THROW(corbel::orb::group_over(*client, members[0]->_this(), "frames"), CORBA::BAD_PARAM);
}

/// A reference comes from anywhere: what it says is not where a server listens.
TEST_F(GroupCalls, AreListenedToWhereTheGroupIsAndNowhereElse) {
  const Orb server = make_orb("one");
  const auto members = serve(server, 0);
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  const auto member = poa->id_to_reference(poa->activate_object(CORBA::make_reference<GroupMember>()));
  const auto good = corbel::orb::group_over(*server, server->string_to_object(url_), "frames");
  const auto ior = *corbel::ior::from_string(server->object_to_string(good));
  const auto own = *corbel::ior::decode_corbel_profile(ior.profiles.at(0));
  const auto join = [&](const std::string& protocol, const std::string& endpoint) {
    auto changed = own;
    changed.protocol = protocol;
    changed.endpoint = endpoint;
    auto other = ior;
    other.profiles = {corbel::ior::encode_profile(changed)};
    corbel::orb::join_group(*server, server->string_to_object(corbel::ior::to_string(other)), member);
  };
  const std::size_t at = own.endpoint.find("239.");
  ASSERT_NE(at, std::string::npos) << own.endpoint;
  std::string elsewhere = own.endpoint;
  elsewhere.replace(at, 4, "238.");
  for (const char* const endpoint :
       {"tcp://127.0.0.1:0", "unix://", "shm://", "udp://127.0.0.1:0", "inproc://x", "", elsewhere.c_str()}) {
    EXPECT_THROW(join("frames", endpoint), CORBA::BAD_PARAM) << endpoint;
  }
  EXPECT_THROW(join("giop", "tcp://127.0.0.1:0"), CORBA::BAD_PARAM);
  EXPECT_THROW(join("nonsense", own.endpoint), CORBA::BAD_PARAM);
  join("frames", own.endpoint);
}

// The key of an object's own reference, sent to a group, leads nowhere: neither of a member nor of another object.
// Also before anybody has joined, if the ORB listens there.
TEST_F(GroupCalls, WhoSendsToTheGroupReachesItsMembersByTheGroupAlone) {
  using corbel::test::Writer;
  const Orb server = make_orb("one", {"-ORBListenEndpoints", "multicast://" + url_.substr(url_.rfind('/') + 1)});
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const std::vector<Member> members{CORBA::make_reference<GroupMember>()};
  const auto profile = corbel::ior::decode_iiop_profile(
      corbel::ior::from_string(server->object_to_string(members[0]->_this()))->profiles[0]);
  const auto request = corbel::test::raw_request(
      1, corbel::base::as_text(profile->object_key), "caption", [](Writer& w) { w.string("by its key"); }, 0);
  Writer packet;
  packet.raw("MIOP").octet(0x10).octet(3).u16(static_cast<std::uint16_t>(request.size()));
  packet.u32(0).u32(1).u32(12).raw("twelve octet").raw(request);
  auto stranger = *corbel::ipc::UdpSocket::open(corbel::ipc::InetAddress::loopback_v4());
  const auto port = static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
  ASSERT_TRUE(stranger.send_to(packet.written(), *corbel::ipc::InetAddress::parse("239.255.77.11", port)));
  corbel::orb::join_group(*server, server->string_to_object(url_), members[0]->_this());
  const Camera all = group(make_orb("client"));
  all->push(1, Studio::Picture(10));
  EXPECT_TRUE(members[0]->await(1));
  EXPECT_EQ(members[0]->last_caption(), "");
  all->caption("by the group");
  EXPECT_TRUE(members[0]->await("by the group"));
}

TEST_F(GroupCalls, StrangersThatSendNonsenseHarmNobody) {
  const auto members = serve(make_orb("one"), 1);
  const Camera all = group(make_orb("client"));
  auto stranger = *corbel::ipc::UdpSocket::open(corbel::ipc::InetAddress::loopback_v4());
  const std::size_t colon = url_.rfind(':');
  const auto port = static_cast<std::uint16_t>(std::stoi(url_.substr(colon + 1)));
  for (int i = 0; i < 300; ++i) {
    std::string junk(static_cast<std::size_t>(i), static_cast<char>(i));
    if (i % 2 == 0) junk.insert(0, "MIOP\x10\x03");
    (void)stranger.send_to(corbel::base::as_bytes(junk), *corbel::ipc::InetAddress::parse("239.255.77.11", port));
  }
  // The junk may leave no room for a datagram or two.
  bool heard = false;
  for (int i = 0; i < 100 && !heard; ++i) {
    all->push(1, Studio::Picture(10));
    heard = members[0]->await(1, std::chrono::milliseconds(300));
  }
  EXPECT_TRUE(heard);
}

// A datagram says nothing of its sender that could be believed.
TEST_F(GroupCalls, MembersOfAdaptersThatAskForTheirCallersAreLeftOut) {
  using corbel::poa::Callers;
  const Orb server = make_orb("server");
  const auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  const auto asking = root->create_POA(
      "asking", root->the_POAManager(),
      {CORBA::make_reference<corbel::poa::CallerPolicy>(Callers{.least = Callers::Least::identified})});
  const auto join = [&] {
    const auto member = CORBA::make_reference<GroupMember>();
    corbel::orb::join_group(*server, server->string_to_object(url_),
                            asking->id_to_reference(asking->activate_object(member)));
    return member;
  };
  const auto first = join();
  const auto open = serve(server, 1);
  const auto last = join();
  const Camera all = group(make_orb("client"));
  all->caption("one");
  all->caption("two");
  EXPECT_TRUE(open[0]->await("two"));
  EXPECT_EQ(first->last_caption(), "");
  EXPECT_EQ(last->last_caption(), "");
}

}  // namespace
