// SPDX-License-Identifier: Apache-2.0
// What the ORB makes of the answers of an object adapter that is not the one that ships.
#include <cstdint>
#include <memory>
#include <string>

#include "corbel/orb/face.hpp"
#include "corbel/orb/object_adapter.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "giop_writer.hpp"
#include "raw_peer.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

/// The object "3" is where "2" is, which is where "1" is, and that where "0" is, which answers 42 inside
/// the process and 0 to others. "good" is for good where "0" is, and "nowhere" where nothing is.
class Directory final : public orb::ObjectAdapter {
 public:
  explicit Directory(orb::Core& core) : core_(core) {}

  void dispatch(base::ConstByteSpan object_key, corba::ServerCall& call) override {
    ++asked;
    locate(object_key);
    if (void* const* local = call.local_arguments()) {
      *static_cast<std::int32_t*>(local[0]) = 42;
    } else {
      call.reply([](cdr::Encoder& encoder) { encoder.put(std::int32_t{0}); });
    }
  }
  void locate(base::ConstByteSpan object_key) override {
    const std::string key(base::as_text(object_key));
    if (key == "0") return;
    if (key == "nowhere") throw orb::LocationForward{{}, false};
    const std::string next = key == "good" ? "0" : std::to_string(std::stoi(key) - 1);
    throw orb::LocationForward{place_of(orb::face_of(core_).orb(), next)->_target()->ior(), key == "good"};
  }
  bool made_here(base::ConstByteSpan) const noexcept override { return false; }
  bool shutdown(bool, base::Deadline) override { return true; }

  static ObjectRef place_of(const OrbRef& orb, const std::string& key) {
    return orb->string_to_object("corbaloc::127.0.0.1:" + std::to_string(port) + '/' + key);
  }

  static inline int asked = 0;
  static inline int port = 0;  ///< where the ORB listens

 private:
  orb::Core& core_;
};

class ForeignAdapter : public ::testing::Test {
 protected:
  ForeignAdapter() {
    Directory::asked = 0;
    // From now on references of this ORB lead to its adapter.
    const std::string endpoint = orb::listen(*orb, "tcp://127.0.0.1:0").front();
    Directory::port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  }
  ~ForeignAdapter() override { orb->destroy(); }

  static OrbRef make() {
    std::vector<std::string> options{"-ORBListenEndpoints", "inproc://", "-ORBForwardLimit", "3"};
    const orb::AdapterFactory factory = [](orb::Core& core) -> std::unique_ptr<orb::ObjectAdapter> {
      return std::make_unique<Directory>(core);
    };
    return orb::init(options, "directory",
                     {{messaging::make_giop()}, {transport::make_inproc(), transport::make_tcp()}, factory});
  }

  const OrbRef orb = make();
};

TEST(NoAdapter, WhoAsksAnOrbThatHasNoneIsCutOff) {
  std::vector<std::string> options;
  const OrbRef nobody = orb::init(options, "nobody", {{messaging::make_giop()}, {transport::make_tcp()}});
  const std::string endpoint = orb::listen(*nobody, "tcp://127.0.0.1:0").front();
  std::vector<std::string> none;
  const OrbRef client = orb::init(none, "client", {{messaging::make_giop()}, {transport::make_tcp()}});
  const auto object = client->string_to_object("corbaloc::" + endpoint.substr(6) + "/key");
  for (int i = 0; i < 2; ++i) EXPECT_THROW(object->_non_existent(), CORBA::COMM_FAILURE);
  client->destroy();
  nobody->destroy();
}

TEST_F(ForeignAdapter, ItsForwardsAreFollowedInTheProcessAsOftenAsTheLimitSaysAndNoMore) {
  EXPECT_EQ(number(Directory::place_of(orb, "3")), 42);
  EXPECT_EQ(Directory::asked, 4);
  Directory::asked = 0;
  EXPECT_EQ(outcome([&] { number(Directory::place_of(orb, "4")); }).substr(0, 9), "TRANSIENT");
  EXPECT_EQ(Directory::asked, 4) << "the first, and three forwards";
}

TEST_F(ForeignAdapter, WhatItForwardsToNowhereInTheProcessHasNoUsableProfile) {
  EXPECT_EQ(outcome([&] { number(Directory::place_of(orb, "nowhere")); }), "TRANSIENT 0x4f4d0002");
}

TEST_F(ForeignAdapter, ClientsAreToldWhetherAForwardIsForGood) {
  test::RawPeer client(static_cast<std::uint16_t>(Directory::port));
  const auto status_of = [&](const test::Octets& question, std::size_t at) {
    client.send(question);
    const auto reply = client.message();
    return reply ? test::Reader(*reply, (reply->at(6) & 1) != 0, at).u32() : 0xffffU;
  };
  const auto locate = [](std::string_view key) {
    return test::Writer().giop(3, 2).u32(1).u16(0).align(4).octets(test::octets_of(key)).finish();
  };
  EXPECT_EQ(status_of(locate("0"), 16), 1U) << "OBJECT_HERE";
  EXPECT_EQ(status_of(locate("1"), 16), 2U) << "OBJECT_FORWARD";
  EXPECT_EQ(status_of(locate("good"), 16), 3U) << "OBJECT_FORWARD_PERM";
  EXPECT_EQ(status_of(test::raw_request(2, "1", "number"), 16), 3U) << "LOCATION_FORWARD";
  EXPECT_EQ(status_of(test::raw_request(4, "good", "number"), 16), 4U) << "LOCATION_FORWARD_PERM";
}

}  // namespace
}  // namespace corbel::poa::testing
