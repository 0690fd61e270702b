// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "camera_server.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/buffering_policy.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ipc/datagram.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel/messaging/frames/arrival.hpp"
#include "corbel/messaging/frames/frames.hpp"
#include "corbel/orb/statistics.hpp"
#include "shipped.hpp"

namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using CameraRef = IDL::traits<Studio::Camera>::ref_type;

/// What goes with a number; that beyond a million is the size.
Studio::Picture content(std::uint32_t number) {
  const std::uint32_t size = number < 1'000'000 ? number % 5000 : number - 1'000'000;
  return Studio::Picture(size, static_cast<std::uint8_t>(number));
}

class Camera : public virtual CORBA::servant_traits<Studio::Camera>::base_type {
 public:
  void push(std::uint32_t number, const Studio::Picture& picture) override {
    const std::lock_guard lock(mutex_);
    if (picture != content(number)) ++wrong_;
    if (const auto* arrival = corbel::messaging::frames::last_arrival()) captured_ = arrival->captured;
    ++pushed_;
    changed_.notify_all();
  }
  /// "hold" does not return before resume() is called.
  void caption(const std::string& text) override {
    std::unique_lock lock(mutex_);
    caption_ = text;
    changed_.notify_all();
    if (text == "hold") changed_.wait(lock, [&] { return resumed_; });
  }
  void resume() {
    const std::lock_guard lock(mutex_);
    resumed_ = true;
    changed_.notify_all();
  }
  std::uint32_t pushed() override {
    const std::lock_guard lock(mutex_);
    return pushed_;
  }
  /// When the last one was captured, by the sender's wall clock.
  std::optional<std::chrono::system_clock::time_point> captured() {
    const std::lock_guard lock(mutex_);
    return captured_;
  }
  /// True when so many have come, all as they should be, and the last caption is `text`. Their order is that of the
  /// wire, but several of them may be served at the same time.
  bool await(std::uint32_t count, const std::string& text = {}) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return pushed_ >= count && caption_ == text; }) &&
           wrong_ == 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t pushed_ = 0;
  std::uint32_t wrong_ = 0;
  bool resumed_ = false;
  std::string caption_;
  std::optional<std::chrono::system_clock::time_point> captured_;
};

class FramesCalls : public testing::TestWithParam<std::string> {
 protected:
  static OrbRef make_orb(const std::string& id, std::vector<std::string> arguments) {
    return corbel::orb::init(arguments, id, corbel::builtins::components());
  }
  void serve(const std::string& endpoints, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"-ORBListenEndpoints", endpoints});
    server_ = make_orb("server", std::move(arguments));
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    reference_ = server_->object_to_string(servant_->_this());
    poa->the_POAManager()->activate();
  }
  CameraRef camera(std::vector<std::string> arguments = {}) {
    client_ = make_orb("client", std::move(arguments));
    // Unchecked: whether it is a camera could only be asked with a reply.
    return IDL::traits<Studio::Camera>::unchecked_narrow(client_->string_to_object(reference_));
  }
  static void push(const CameraRef& camera, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) camera->push(i, content(i));
  }
  static std::map<std::string, std::uint64_t> figures(const OrbRef& orb, bool accepted) {
    std::map<std::string, std::uint64_t> all;
    for (const auto& one : corbel::orb::conversations(*orb)) {
      if (one.protocol != "frames" || one.accepted != accepted) continue;
      for (const auto& [name, value] : one.figures) all[name] += value;
    }
    return all;
  }
  /// So many were sent, and each was received and understood.
  void expect_all_of(std::uint64_t count) {
    auto received = figures(server_, true);
    EXPECT_EQ(received["received"], count);
    EXPECT_EQ(received["lost"], 0U);
    EXPECT_EQ(received["unresolved"], 0U);
    EXPECT_EQ(figures(client_, false)["sent"], count);
  }
  void end() {
    if (client_) client_->destroy();
    if (server_) server_->destroy();
    client_ = server_ = nullptr;
  }
  void TearDown() override { end(); }

  CORBA::servant_reference<Camera> servant_ = CORBA::make_reference<Camera>();
  OrbRef server_;
  OrbRef client_;
  std::string reference_;
};

TEST_P(FramesCalls, ArriveWholeAndAreCounted) {
  serve("frames+" + GetParam());
  const CameraRef remote = camera();
  push(remote, 0, 2000);
  remote->caption("gr\u00fcn");
  EXPECT_TRUE(servant_->await(2000, "gr\u00fcn"));
  expect_all_of(2001);
}

TEST_P(FramesCalls, ThatDoNotWaitArriveToo) {
  serve("frames+" + GetParam());
  const CameraRef remote = camera({"-ORBSyncScope", "none"});
  CORBA::PolicyList unfit;
  EXPECT_TRUE(remote->_validate_connection(unfit));  // whoever waits for nothing loses what comes before it
  push(remote, 0, 500);
  EXPECT_TRUE(servant_->await(500));
}

TEST_P(FramesCalls, ThatWantAReplyUseTheEndpointThatHasThem) {
  serve("frames+" + GetParam() + ";tcp://127.0.0.1:0");
  const std::string transport = GetParam().substr(0, GetParam().find(':'));
  const CameraRef remote = camera({"-ORBProtocolPreference", "frames+" + transport});
  push(remote, 0, 100);
  EXPECT_TRUE(servant_->await(100));
  EXPECT_EQ(remote->pushed(), 100U);
  push(remote, 100, 200);
  EXPECT_TRUE(servant_->await(200));
  EXPECT_EQ(remote->pushed(), 200U);
  EXPECT_EQ(figures(client_, false)["sent"], 200U);
}

TEST_P(FramesCalls, ThatWantAReplyAndHaveNoOtherEndpointSaySo) {
  serve("frames+" + GetParam());
  const CameraRef remote = camera();
  push(remote, 0, 10);
  try {
    remote->pushed();
    FAIL() << "a reply out of nothing";
  } catch (const CORBA::IMP_LIMIT& exception) {
    EXPECT_EQ(exception.minor(),
              corbel::corba::vendor_minor(corbel::base::Stage::encode, corbel::base::Code::unsupported));
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    EXPECT_NE(std::string(exception.what()).find("protocol 'frames' offers oneway"), std::string::npos)
        << exception.what();
  }
  push(remote, 10, 20);
  EXPECT_TRUE(servant_->await(20)) << "the connection is well";
}

TEST_P(FramesCalls, FallBackToTheOtherEndpointIfTheirsCannotBeReached) {
  serve("frames+" + GetParam() + ";tcp://127.0.0.1:0");
  // The preferred endpoint is in the reference, but the client has no such transport.
  auto components = corbel::builtins::components();
  std::erase_if(components.protocols, [](const auto& protocol) { return protocol->name() == "frames"; });
  std::vector<std::string> arguments;
  client_ = corbel::orb::init(arguments, "client", components);
  const CameraRef remote = IDL::traits<Studio::Camera>::unchecked_narrow(client_->string_to_object(reference_));
  push(remote, 0, 100);
  EXPECT_TRUE(servant_->await(100));
  EXPECT_EQ(remote->pushed(), 100U);
}

TEST_P(FramesCalls, AreReportedToWhoSendsThemAndBearTheTimeOfTheirCapture) {
  serve("frames+" + GetParam());
  const CameraRef remote = camera();
  push(remote, 0, 100);
  EXPECT_TRUE(servant_->await(100));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto sent = figures(client_, false);
  while (sent["peer_received"] < 100 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
    sent = figures(client_, false);  // asks, and hears
  }
  EXPECT_EQ(sent["peer_received"], 100U);
  EXPECT_EQ(sent["peer_lost"], 0U);
  EXPECT_GE(sent["reports"], 1U);
  EXPECT_LT(sent["round_trip_us"], 30'000'000U);
  const auto before = std::chrono::system_clock::now();
  const corbel::messaging::frames::Captured captured(std::chrono::steady_clock::now() - std::chrono::minutes(10));
  push(remote, 100, 101);
  EXPECT_TRUE(servant_->await(101));
  ASSERT_TRUE(servant_->captured().has_value());
  const auto apart = before - std::chrono::minutes(10) - *servant_->captured();
  EXPECT_LT(std::chrono::abs(apart), std::chrono::minutes(1));
}

/// Datagrams that come faster than they are served are lost: these wait for each other.
class FramesInDatagrams : public FramesCalls {};

TEST_P(FramesInDatagrams, ArriveAndAreCounted) {
  serve("frames+" + GetParam());
  const CameraRef remote = camera();
  for (std::uint32_t i = 0; i < 400; i += 10) {
    push(remote, i, i + 10);
    ASSERT_TRUE(servant_->await(i + 10)) << i;
  }
  remote->caption("gr\u00fcn");
  EXPECT_TRUE(servant_->await(400, "gr\u00fcn"));
  expect_all_of(401);
}

TEST_P(FramesInDatagrams, ThatAreKeptBackLeaveTogetherAndAreCounted) {
  serve("frames+" + GetParam());
  const CameraRef plain = camera({"-ORBSyncScope", "none"});
  const CameraRef remote =
      corbel::with_policies(plain, {CORBA::make_reference<corbel::BufferingConstraintPolicy>(
                                       corbel::BufferingConstraint(corbel::BUFFER_MESSAGE_COUNT, 0, 50, 0))});
  CORBA::PolicyList unfit;
  EXPECT_TRUE(plain->_validate_connection(unfit));  // whoever waits for nothing loses what comes before it
  push(plain, 0, 1);
  EXPECT_TRUE(servant_->await(1));
  for (std::uint32_t i = 1; i <= 200; i += 50) {
    push(remote, i, i + 49);
    EXPECT_EQ(servant_->pushed(), i);
    push(remote, i + 49, i + 50);
    EXPECT_TRUE(servant_->await(i + 50)) << i;
  }
  expect_all_of(201);
  EXPECT_EQ(figures(server_, true)["reordered"], 0U);
}

TEST_P(FramesInDatagrams, ThatWantAReplyUseGiopInDatagrams) {
  serve("frames+" + GetParam() + ";" + GetParam());
  const std::string transport = GetParam().substr(0, GetParam().find(':'));
  const CameraRef remote = camera({"-ORBProtocolPreference", "frames+" + transport});
  push(remote, 0, 20);
  EXPECT_TRUE(servant_->await(20));
  EXPECT_EQ(remote->pushed(), 20U);
  EXPECT_EQ(figures(client_, false)["sent"], 20U);
}

TEST_P(FramesInDatagrams, LargerThanADatagramComeInSeveral) {
  for (const char* const scope : {"transport", "none"}) {
    serve("frames+" + GetParam());
    const CameraRef remote = camera({"-ORBSyncScope", scope});
    CORBA::PolicyList unfit;
    EXPECT_TRUE(remote->_validate_connection(unfit));
    for (std::uint32_t i = 0; i < 20; ++i) {
      push(remote, 1'070'000 + 1'001 * i, 1'070'001 + 1'001 * i);
      push(remote, i, i + 1);
      ASSERT_TRUE(servant_->await((i + 1) * 2)) << scope << ' ' << i;
    }
    auto received = figures(server_, true);
    EXPECT_EQ(received["received"], 40U);
    EXPECT_EQ(received["lost"], 0U);
    EXPECT_EQ(received["incomplete"], 0U);
    end();
    servant_ = CORBA::make_reference<Camera>();
  }
}

TEST_P(FramesInDatagrams, OfWhichAPartWasLostDoNotEndTheConversation) {
  serve("frames+" + GetParam(), {"-ORBMessageTimeout", "50"});
  const auto own = *corbel::ior::decode_corbel_profile(corbel::ior::from_string(reference_)->profiles.at(0));
  const std::size_t colon = own.endpoint.rfind(':');
  const auto to = *corbel::ipc::InetAddress::parse(
      "127.0.0.1", static_cast<std::uint16_t>(std::stoi(own.endpoint.substr(colon + 1))));
  auto socket = *corbel::ipc::UdpSocket::open(corbel::ipc::InetAddress::loopback_v4());
  corbel::messaging::SessionSettings settings;
  settings.lossy = true;
  const auto session = corbel::messaging::make_frames()->open(settings);
  corbel::cdr::Encoder encoder;
  const auto frame = [&](std::uint32_t number) {
    const Studio::Picture picture = content(number);
    session->put_request(encoder, 0, {corbel::messaging::Response::none, own.object_key, "push", {}}, [&](auto& body) {
      body.put(number);
      body.put(static_cast<std::uint32_t>(picture.size()));
      body.put_octets(picture.data(), picture.size());
    });
    return encoder.to_bytes();
  };
  ASSERT_TRUE(socket.send_to(frame(1), to));
  ASSERT_TRUE(servant_->await(1));
  const corbel::base::Bytes large = frame(3000);
  const corbel::cdr::Segment whole{large.data(), large.size()};
  int pieces = 0;
  ASSERT_TRUE(session->cut({&whole, 1}, 1200, [&](auto piece) -> corbel::base::Status {
    corbel::base::Bytes octets;
    for (const auto& segment : piece) {
      const auto* from = static_cast<const corbel::base::Octet*>(segment.data);
      octets.insert(octets.end(), from, from + segment.size);
    }
    if (pieces++ == 0) (void)socket.send_to(octets, to);
    return {};
  }));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (figures(server_, true)["incomplete"] != 1 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(figures(server_, true)["incomplete"], 1U);
  ASSERT_TRUE(socket.send_to(frame(2), to));
  EXPECT_TRUE(servant_->await(2));
  EXPECT_EQ(figures(server_, true)["received"], 2U) << "by the same conversation";
}

/// The carrier loses nothing, but keeps messages: larger frames go in pieces.
class FramesInPackets : public FramesCalls {
 protected:
  /// A server whose only thread is busy until the servant is resumed.
  CameraRef busy_camera(std::vector<std::string> arguments) {
    serve("frames+packet://", {"-ORBThreads", "1"});
    camera()->caption("hold");
    EXPECT_TRUE(servant_->await(0, "hold"));
    first_client_ = client_;
    client_ = nullptr;
    arguments.insert(arguments.end(), {"-ORBSyncScope", "none"});
    auto other = make_orb("other client", std::move(arguments));
    client_ = other;
    return IDL::traits<Studio::Camera>::unchecked_narrow(client_->string_to_object(reference_));
  }
  void TearDown() override {
    servant_->resume();
    if (first_client_) first_client_->destroy();
    end();
  }
  OrbRef first_client_;
};

TEST_F(FramesInPackets, AreUnderstoodAlthoughPartsOfTheFirstWereDropped) {
  const CameraRef remote = busy_camera({"-ORBOnewayQueue", "1000"});
  remote->push(3'000'000, content(3'000'000));  // more than the socket takes
  servant_->resume();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (std::uint32_t i = 0; !servant_->pushed() && std::chrono::steady_clock::now() < deadline; ++i) {
    remote->push(i, content(i));
    std::this_thread::yield();
  }
  EXPECT_TRUE(servant_->await(1, "hold"));
  EXPECT_EQ(figures(server_, true)["unresolved"], 0U);
}

TEST_F(FramesInPackets, ArriveWholeIfTheSenderWaitsForThem) {
  const CameraRef remote = busy_camera({"-ORBOnewayQueue", "1000", "-ORBOnewayOverflow", "wait"});
  std::thread resumes([&] { servant_->resume(); });
  EXPECT_NO_THROW(remote->push(3'000'000, content(3'000'000)));
  EXPECT_NO_THROW(remote->push(7, content(7)));
  resumes.join();
  EXPECT_TRUE(servant_->await(2, "hold"));
  EXPECT_EQ(figures(server_, true)["unresolved"], 0U);
}

TEST_F(FramesInPackets, AndStreamsThatAreLargerThanTheServerTakesAreRefusedForGood) {
  for (const char* const endpoint : {"frames+packet://", "frames+tcp://127.0.0.1:0"}) {
    serve(endpoint, {"-ORBMaxMessageSize", "1000000"});
    const CameraRef remote = camera();
    try {
      remote->push(9'000'000, content(9'000'000));
      ADD_FAILURE() << endpoint;
    } catch (const CORBA::IMP_LIMIT& refused) {
      EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      EXPECT_NE(std::string(refused.what()).find("-ORBMaxMessageSize"), std::string::npos) << refused.what();
    }
    push(remote, 1, 2);
    EXPECT_TRUE(servant_->await(1)) << endpoint;
    end();
    servant_ = CORBA::make_reference<Camera>();
  }
}

INSTANTIATE_TEST_SUITE_P(Udp, FramesInDatagrams, testing::Values("udp://127.0.0.1:0"));

INSTANTIATE_TEST_SUITE_P(Transports, FramesCalls, testing::ValuesIn(corbel::test::endpoints()),
                         [](const auto& test) { return test.param.substr(0, test.param.find(':')); });

}  // namespace
