// SPDX-License-Identifier: Apache-2.0
// How many octets a warm call takes on the wire in each protocol: a table for docs/ziop.md.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <corbel/messaging/giop_lite/giop_lite.hpp>

#include "test_support.hpp"

namespace corbel::ziop {
namespace {

using BodyOf = std::function<void(cdr::Encoder&)>;

std::uint32_t next(std::uint32_t& state) {
  state = state * 1664525 + 1013904223;
  return state >> 8;
}

std::string log_lines(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < size) {
    text += "2026-11-28T08:11:" + std::to_string(10 + next(state) % 50) + " info plant: valve " +
            std::to_string(next(state) % 400) + " opened, pressure " + std::to_string(next(state) % 9000) + " hPa\n";
  }
  text.resize(size);
  return text;
}

void put_readings(cdr::Encoder& to) {
  constexpr std::uint32_t kCount = 500;
  std::uint32_t state = 1;
  to.put(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    to.put(i % 40);
    to.put(1'700'000'000 + i);
    to.put(20 + static_cast<double>(next(state) % 100) / 10);
  }
}

std::string noise(std::size_t size) {
  std::string octets;
  std::uint32_t state = 1;
  while (octets.size() < size) octets.push_back(static_cast<char>(1 + next(state) / 256 % 255));
  return octets;
}

/// Two ends of one conversation.
class Conversation {
 public:
  Conversation(const messaging::Protocol& protocol, EnginePtr engine) : engine_(std::move(engine)) {
    messaging::SessionSettings settings;
    client_ = protocol.open(settings);
    settings.side = messaging::Side::acceptor;
    server_ = protocol.open(settings);
  }
  /// Octets of request and reply, when all has been agreed on that the two agree on.
  std::size_t warm_call(const BodyOf& in, const BodyOf& out) {
    std::size_t octets = 0;
    for (int i = 0; i < 8; ++i) octets = call(in, out);
    return octets;
  }

 private:
  struct Host final : cdr::Encoder::Host {
    void on_foreign_code(cdr::Encoder&) noexcept override {}
  };

  std::size_t call(const BodyOf& in, const BodyOf& out) {
    const base::Bytes key{0xff, 'C', 'B', 'L', 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 1};
    const base::Bytes terms = engine_ == nullptr ? base::Bytes() : engine_->encode(engine_->terms());
    const std::array contexts{messaging::ServiceContext{Engine::kTermsContext, terms}};
    messaging::OutgoingRequest request;
    request.object_key = key;
    request.operation = "report";
    if (engine_ != nullptr) request.contexts = contexts;
    Host host;
    cdr::Encoder encoder;
    encoder.set_host(&host);
    client_->put_request(encoder, client_->next_token(), request, in);
    const base::Bytes sent = encoder.to_bytes();
    EXPECT_TRUE(asked_.take(*server_, sent));
    server_->put_reply(encoder, asked_.incoming.request.origin, messaging::ReplyStatus::no_exception, {}, out);
    const base::Bytes answered = encoder.to_bytes();
    EXPECT_TRUE(heard_.take(*client_, answered));
    EXPECT_EQ(heard_.incoming.kind, messaging::Kind::reply);
    return sent.size() + answered.size();
  }

  const EnginePtr engine_;
  std::unique_ptr<messaging::Session> client_;
  std::unique_ptr<messaging::Session> server_;
  Taken asked_;
  Taken heard_;
};

std::size_t octets_of_call(const BodyOf& in, std::uint16_t level) {
  Settings settings;
  settings.compressors = {Compression::CompressorIdLevel(kZlib, level)};
  settings.low_value = 0;
  const Layered layered(settings);
  return Conversation(*layered.protocol, layered.engine).warm_call(in, [](cdr::Encoder&) {});
}

TEST(OctetsOfACall, AreFewerCompressed) {
  struct Case {
    const char* name;
    BodyOf in;
    bool shrinks;
  };
  // Long texts are referred to, not copied, until the message has been written.
  const std::string kilobyte = log_lines(1023);
  const std::string eight = log_lines(8191);
  const auto random = noise(8191);
  const std::array cases{
      Case{"nothing", [](cdr::Encoder&) {}, false},
      Case{"1 KB of log", [&](cdr::Encoder& to) { to.put_string(kilobyte); }, true},
      Case{"8 KB of log", [&](cdr::Encoder& to) { to.put_string(eight); }, true},
      Case{"500 readings", put_readings, true},
      Case{"8 KB of noise", [&](cdr::Encoder& to) { to.put_string(random); }, false},
  };
  std::printf("%-14s %8s %10s %8s %8s %8s\n", "in a call", "giop", "giop_lite", "zlib:1", "zlib:6", "zlib:9");
  for (const Case& one : cases) {
    const auto in_protocol = [&](const std::shared_ptr<const messaging::Protocol>& protocol) {
      return Conversation(*protocol, nullptr).warm_call(one.in, [](cdr::Encoder&) {});
    };
    const std::size_t giop = in_protocol(messaging::make_giop());
    const std::size_t ziop = octets_of_call(one.in, 6);
    std::printf("%-14s %8zu %10zu %8zu %8zu %8zu\n", one.name, giop, in_protocol(messaging::make_giop_lite()),
                octets_of_call(one.in, 1), ziop, octets_of_call(one.in, 9));
    EXPECT_EQ(ziop < giop * 3 / 4, one.shrinks) << one.name;
    EXPECT_LE(ziop, giop) << one.name;
  }
}

}  // namespace
}  // namespace corbel::ziop
