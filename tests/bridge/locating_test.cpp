// SPDX-License-Identifier: Apache-2.0
// Questions where an object is, which the server answers; and bridges that lead to each other.
#include "support.hpp"

namespace corbel::bridge_test {
namespace {

namespace answer = test::answer;

enum Located : std::uint32_t { kUnknown = 0, kHere = 1, kForward = 2, kForwardPerm = 3, kSystemException = 4 };

struct Answered {
  std::uint32_t id = 0;
  std::uint32_t status = 99;
  std::string rest;
};

/// Asks in GIOP 1.2, which can say everything, or in an older version.
Answered locate(test::RawPeer& client, std::string_view key, std::uint8_t minor = 2) {
  test::Writer writer;
  writer.giop(test::kLocateRequest, minor).u32(77);
  if (minor >= 2) writer.u16(0);
  (void)client.send(writer.octets(test::octets_of(key)).finish());
  const auto reply = client.message();
  if (!reply || reply->at(7) != test::kLocateReply) return {};
  test::Reader reader(*reply, true, 12);
  Answered answered;
  answered.id = reader.u32();
  answered.status = reader.u32();
  answered.rest.assign(reply->begin() + 20, reply->end());
  return answered;
}

test::Answer says(bool gone) {
  return answer::status(0, [gone](test::Writer& body) { body.octet(gone ? 1 : 0); });
}

TEST(Locating, TheServerAnswers) {
  const struct {
    test::Answer answer;
    std::uint32_t status;
  } kAll[] = {
      {says(false), kHere},
      {says(true), kUnknown},
      {answer::system_exception("OBJECT_NOT_EXIST", 1), kUnknown},
      {answer::system_exception("NO_PERMISSION", 1), kSystemException},
      {answer::reset(), kSystemException},
      {answer::done(), kSystemException},  // without the answer that is due
  };
  for (const auto& one : kAll) {
    test::FakePeer peer({one.answer});
    Between between;
    test::RawPeer client(port_of(between.add(peer.ior(), "k")));
    const Answered answered = locate(client, "k");
    EXPECT_EQ(answered.status, one.status);
    EXPECT_EQ(answered.id, 77U);
    ASSERT_EQ(peer.requests(), 1U);
    EXPECT_EQ(peer.last().operation, "_non_existent");
  }
}

TEST(Locating, OlderVersionsAreToldWhatTheyCanBe) {
  test::FakePeer peer({says(false), says(true), answer::system_exception("NO_PERMISSION", 1)});
  Between between;
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  EXPECT_EQ(locate(client, "k", 1).status, kHere);
  EXPECT_EQ(locate(client, "k", 0).status, kUnknown);
  EXPECT_EQ(locate(client, "k", 1).status, kHere) << "the request itself will be told why not";
}

TEST(Locating, ForwardsLeadThroughTheBridge) {
  test::FakePeer second({answer::text("second")});
  test::FakePeer first({answer::forward({second.profile("other")}), answer::forward({second.profile("other")}, true)});
  Between between;
  test::RawPeer client(port_of(between.add(first.ior(), "k")));
  const Answered answered = locate(client, "k");
  EXPECT_EQ(answered.status, kForward);
  EXPECT_EQ(answered.rest.find("other"), std::string::npos) << "the key is the bridge's";
  EXPECT_EQ(between.bridge.counts().references, 2U);
  EXPECT_EQ(locate(client, "k").status, kForwardPerm);
}

TEST(Locating, TheBridgeAnswersForWhatItDoesNotKnow) {
  const test::RefusingPort port;
  Between between;
  test::RawPeer client(port_of(between.add(test::ior_string({port.profile()}), "k")));
  EXPECT_EQ(locate(client, "unheard").status, kUnknown);
  EXPECT_EQ(locate(client, "k").status, kSystemException) << "it may be there, when it can be reached";
}

TEST(Locating, OfServersInOtherProtocols) {
  for (const char* endpoint : {"giop_lite+unix://", "shm://", "unix://"}) {
    Side server("server", endpoint);
    Between between;
    test::RawPeer client(port_of(between.add(server.reference(), "k")));
    EXPECT_EQ(locate(client, "k").status, kHere) << endpoint;
    auto poa = IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
    poa->deactivate_object(poa->reference_to_id(server.servant->own));
    EXPECT_EQ(locate(client, "k").status, kUnknown) << endpoint;
  }
}

TEST(Circles, EndWithAnException) {
  Side server("server");
  Between first, second;
  const std::string url = "corbaloc::127.0.0.1:";
  const std::uint16_t port = port_of(first.add(server.reference(), "real"));
  const std::uint16_t other = port_of(second.add(url + std::to_string(port) + "/k", "k"));
  const std::string reference = first.add(url + std::to_string(other) + "/k", "k");
  const Side client("client");
  const TargetRef target = client.target(reference);
  EXPECT_EQ(ending_of([&] { (void)target->name(); }), "IMP_LIMIT NO");
  const auto forwarded = [&] { return first.bridge.counts().forwarded + second.bridge.counts().forwarded; };
  EXPECT_EQ(forwarded(), 16U);
  target->note(1);
  EXPECT_TRUE(test::eventually([&] { return forwarded() == 32U; })) << "oneways end, too";
  EXPECT_EQ(client.target(first.add(server.reference(), "again"))->name(), "server");
}

TEST(Circles, AreNotSeenInARow) {
  Side server("server");
  std::vector<std::unique_ptr<Between>> row;
  std::string reference = server.reference();
  bridge::Settings settings;
  settings.bridges = 3;
  for (int i = 0; i < 3; ++i) {
    row.push_back(std::make_unique<Between>(settings));
    reference = row.back()->add(reference);
  }
  const Side client("client");
  EXPECT_EQ(client.target(reference)->echo("through three"), "through three");
  Between fourth(settings);
  const std::string further = fourth.add(reference);
  EXPECT_EQ(ending_of([&] { (void)client.target(further)->name(); }), "IMP_LIMIT NO");
  while (!row.empty()) row.pop_back();
}

}  // namespace
}  // namespace corbel::bridge_test
