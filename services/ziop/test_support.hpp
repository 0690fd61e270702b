// SPDX-License-Identifier: Apache-2.0
// What tests of compression have in common.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <corbel/builtins/builtins.hpp>

#include <corbel/messaging/giop/giop.hpp>

#include "corbel_ziop.hpp"
#include "layer.hpp"
#include "wire.hpp"
#include "ziop_test_server.hpp"

namespace corbel::ziop {

// What omniORB 4.3.4 and its client and server in Python sent (strace): `say` of 3600 octets, its reply, and the first
// fragment of a longer one. Its gaps are not zero.
inline constexpr std::string_view kOmniRequest =
    "5a494f50010201006500000004006500410e000059000000789c63636060606680003e20fed7dcc995cdc020ec0d16f9ff9f0548162756"
    "827982400519a93939f90ac9f9b90545a9c5c599f9790aa322a322a322a322a322a322a322a322a322a322a322a322a32223418401004835"
    "835e";
inline constexpr std::string_view kOmniReply =
    "5a494f50010201014800000004006500210e00003c000000789cedc8b10900200c00c15496821b64371114a211b33f583a847fe525794a16"
    "e9cdccb5fadca7450c5fca300cc3300cc3300cc3fc307201f8cb7d21";
inline constexpr std::string_view kOmniFragment =
    "5a494f50010203006e00000004003900f41f000062000000789cedc8310e82401005d049a4b2d8c67390208ae8193885b525153595c7b2"
    "f158ac9bf510346f92fff3fea48838c4ff52c9b6be8faf88d3543f3937a5e7e752d7e7db4677ee2fd7e136de1f444444444444444444444444"
    "444444b4a77ebe188c04";
/// The component TAG_POLICIES of its references, and the context INVOCATION_POLICIES of its first request.
inline constexpr std::string_view kOmniComponent =
    "010111a902000000400000000200000001011588410000000c000000010111a90100000004000600";
inline constexpr std::string_view kOmniContext =
    "0101000002000000400000000200000001010000410000000c000000010100000100000004000600";

inline base::Bytes octets_of(std::string_view hex) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex, octets));
  return octets;
}

/// What zlib makes of it.
inline base::Bytes deflated(base::ConstByteSpan octets) {
  uLongf size = compressBound(static_cast<uLong>(octets.size()));
  base::Bytes data(size);
  EXPECT_EQ(compress2(data.data(), &size, octets.data(), static_cast<uLong>(octets.size()), 6), Z_OK);
  data.resize(size);
  return data;
}

/// A compressed message with such data.
inline base::Bytes with_data(base::ConstByteSpan giop, std::uint16_t compressor, std::uint32_t original_length,
                             base::ConstByteSpan data) {
  base::Bytes message(kDataAt);
  put_head(giop, false, compressor, original_length, static_cast<std::uint32_t>(data.size()), message.data());
  message.insert(message.end(), data.begin(), data.end());
  return message;
}

/// A message of GIOP in little-endian order, compressed.
inline base::Bytes compressed(base::ConstByteSpan giop) {
  const base::ConstByteSpan body = giop.subspan(kGiopHeader);
  return with_data(giop, kZlib, static_cast<std::uint32_t>(body.size()), deflated(body));
}

/// GIOP with the layer over it, and its engine.
struct Layered {
  explicit Layered(const Settings& settings = {}) {
    const auto making = std::make_shared<Making>();
    protocol = make_layer(making, settings)->over(messaging::make_giop(), {});
    engine = making->take();
  }
  std::unique_ptr<messaging::Session> open(messaging::Side side, const cdr::Limits& limits = {},
                                           messaging::Memory* memory = nullptr) const {
    messaging::SessionSettings settings;
    settings.side = side;
    settings.limits = limits;
    settings.memory = memory;
    return protocol->open(settings);
  }

  std::shared_ptr<const messaging::Protocol> protocol;
  EnginePtr engine;
};

/// Counts what is taken of it, and at most gives so much.
class Purse final : public messaging::Memory {
 public:
  explicit Purse(std::size_t most = SIZE_MAX) noexcept : limit(most) {}
  bool take(std::size_t octets) override {
    most_asked = std::max(most_asked, octets);
    if (octets > limit - taken) return false;
    taken += octets;
    return true;
  }
  void give(std::size_t octets) noexcept override {
    EXPECT_LE(octets, taken);
    taken -= octets;
  }
  bool take_for_good(std::size_t octets) noexcept override { return take(octets); }
  void give_for_good(std::size_t octets) noexcept override { give(octets); }
  std::size_t limit;
  std::size_t taken = 0;
  std::size_t most_asked = 0;
};

/// What a session finds in octets.
struct Taken {
  messaging::Joined joined;
  messaging::Incoming incoming;
  base::Status take(messaging::Session& session, base::ConstByteSpan octets) {
    incoming.joined = &joined;
    return session.take(octets, incoming);
  }
};

// --- two ORBs, one of which serves a press ---

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using PressRef = IDL::traits<Squeezed::Press>::ref_type;
using Counts = std::pair<std::uint64_t, std::uint64_t>;
using Words = std::vector<std::string>;

inline const std::string kBig = std::string(20'000, 'x') + "end";

class Press final : public virtual CORBA::servant_traits<Squeezed::Press>::base_type {
 public:
  std::string repeat(const std::string& text) override { return text; }
  Squeezed::Octets turn(const Squeezed::Octets& octets) override { return {octets.rbegin(), octets.rend()}; }
  void fail(const std::string& why) override {
    if (why.size() < 10) throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_NO);
    throw Squeezed::Refused(why);
  }
  void post(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    posted_ = text;
  }
  std::string posted() override {
    const std::lock_guard lock(mutex_);
    return posted_;
  }
  std::string make(std::uint32_t count) override { return std::string(count, 'm'); }

 private:
  std::mutex mutex_;
  std::string posted_;
};

/// Sends every request elsewhere.
class Forwarder final : public virtual PortableServer::ServantActivator {
 public:
  explicit Forwarder(IDL::traits<CORBA::Object>::ref_type target) : target_(std::move(target)) {}
  IDL::traits<PortableServer::Servant>::ref_type incarnate(const PortableServer::ObjectId&, PoaRef) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, IDL::traits<PortableServer::Servant>::ref_type, bool,
                   bool) override {}

 private:
  const IDL::traits<CORBA::Object>::ref_type target_;
};

enum class Kind : std::uint8_t { plain, ziop, plugin };

inline OrbRef make_orb(Kind kind, Words words = {}) {
  static int number = 0;
  words.insert(words.begin(), "test");
  // A place is not left for the next only because the machine is slow.
  words.insert(words.end(), {"-ORBCollocation", "off", "-ORBConnectHeadStart", "10000"});
  auto components = builtins::components();
  if (kind == Kind::ziop) add_to(components);
  if (kind == Kind::plugin) words.insert(words.end(), {"-ORBLoad", CORBEL_ZIOP_PLUGIN});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  return CORBA::ORB_init(count, pointers.data(), "ziop " + std::to_string(++number), components);
}

class WithOrbs : public ::testing::TestWithParam<const char*> {
 protected:
  void serve(Kind kind, Words words = {}, const CORBA::PolicyList& policies = {}) {
    words.insert(words.end(), {"-ORBListenEndpoints", endpoint()});
    server_ = make_orb(kind, std::move(words));
    root_ = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa_ = policies.empty() ? root_ : root_->create_POA("own", root_->the_POAManager(), policies);
    id_ = poa_->activate_object(CORBA::make_reference<Press>());
    root_->the_POAManager()->activate();
  }
  static std::string endpoint() {
    if (std::string_view(GetParam()) == "tcp") return "tcp://127.0.0.1:0";
    return "unix:///tmp/corbel-ziop-" + std::to_string(::getpid()) + "-" + std::to_string(++sockets_);
  }
  PressRef press(Kind kind, Words words = {}) {
    if (client_ == nullptr) client_ = make_orb(kind, std::move(words));
    const std::string text = server_->object_to_string(poa_->id_to_reference(id_));
    return IDL::traits<Squeezed::Press>::unchecked_narrow(client_->string_to_object(text));
  }
  void TearDown() override {
    for (auto* orb : {&client_, &server_}) {
      if (*orb != nullptr) (*orb)->destroy();
    }
  }
  /// Requests and replies of the client.
  Counts counts() {
    const Traffic all = traffic(client_);
    return {all.sent.messages, all.received.messages};
  }

  OrbRef server_;
  OrbRef client_;
  PoaRef root_;
  PoaRef poa_;
  PortableServer::ObjectId id_;
  inline static int sockets_ = 0;
};

template <class Policy>
PressRef with(const PressRef& press, Policy policy) {
  return IDL::traits<Squeezed::Press>::unchecked_narrow(
      press->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
}

}  // namespace corbel::ziop
