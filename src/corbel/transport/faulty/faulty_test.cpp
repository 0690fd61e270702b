// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/faulty/faulty.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace corbel::transport {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using faulty::Plan;
using faulty::Script;
using faulty::Side;

/// A carrier that remembers what was sent and hands out what it was given.
struct Wire {
  Bytes sent;
  std::deque<base::Octet> to_receive;
  std::vector<std::size_t> pieces;
  bool shut = false;
};
class WireTransport final : public Transport {
 public:
  explicit WireTransport(Wire& wire) : wire_(wire) {}
  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline) override {
    std::size_t total = 0;
    for (const auto& segment : data) {
      const auto* octets = static_cast<const base::Octet*>(segment.data);
      wire_.sent.insert(wire_.sent.end(), octets, octets + segment.size);
      total += segment.size;
    }
    wire_.pieces.push_back(total);
    return total;
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline) override {
    std::size_t count = 0;
    for (; count < buffer.size() && !wire_.to_receive.empty(); ++count) {
      buffer[count] = wire_.to_receive.front();
      wire_.to_receive.pop_front();
    }
    if (count == 0) return base::error(base::Stage::receive, Code::closed);
    return count;
  }
  void shutdown() noexcept override { wire_.shut = true; }
  int handle() const noexcept override { return -1; }
  Traits traits() const noexcept override { return {}; }
  std::string local() const override { return "wire://"; }
  std::string peer() const override { return "wire://"; }

 private:
  Wire& wire_;
};

class WireEndpoint final : public Endpoint {
 public:
  std::string_view scheme() const noexcept override { return "wire"; }
  const std::string& text() const noexcept override { return text_; }

 private:
  std::string text_ = "wire://";
};
class WireConnector final : public Connector {
 public:
  explicit WireConnector(Wire& wire) : wire_(wire) {}
  base::Result<std::unique_ptr<Transport>> connect(const Endpoint&, const ConnectionOptions&, base::Deadline) override {
    return std::unique_ptr<Transport>(new WireTransport(wire_));
  }

 private:
  Wire& wire_;
};
class WireAcceptor final : public Acceptor {
 public:
  explicit WireAcceptor(Wire& wire) : wire_(wire) {}
  base::Result<std::unique_ptr<Transport>> accept() override {
    return std::unique_ptr<Transport>(new WireTransport(wire_));
  }
  int handle() const noexcept override { return -1; }
  std::vector<EndpointPtr> endpoints() const override { return {std::make_shared<WireEndpoint>()}; }
  void close() noexcept override {}

 private:
  Wire& wire_;
};
class WireFactory final : public Factory {
 public:
  explicit WireFactory(Wire& wire) : wire_(wire) {}
  std::string_view scheme() const noexcept override { return "wire"; }
  Traits traits() const noexcept override { return {}; }
  base::Result<EndpointPtr> parse(std::string_view) const override {
    return EndpointPtr(std::make_shared<WireEndpoint>());
  }
  base::Result<EndpointPtr> from_url(const ior::UrlAddress&) const override { return parse(""); }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<WireConnector>(wire_); }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint&, const Options&) const override {
    return std::unique_ptr<Acceptor>(new WireAcceptor(wire_));
  }

 private:
  Wire& wire_;
};

class Faulty : public testing::Test {
 protected:
  std::unique_ptr<Transport> connect() { return *connector_->connect(*endpoint_, {}, Deadline::none()); }
  base::Result<std::size_t> send(Transport& transport, Deadline deadline = Deadline::none()) {
    const cdr::Segment pieces[2] = {{message_.data(), 3}, {message_.data() + 3, message_.size() - 3}};
    return transport.send(pieces, deadline);
  }

  Wire wire_;
  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  std::shared_ptr<const Factory> factory_ = make_faulty(std::make_shared<WireFactory>(wire_), plan_);
  std::unique_ptr<Connector> connector_ = factory_->make_connector();
  EndpointPtr endpoint_ = *factory_->parse("");
  const Bytes message_{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
};

TEST_F(Faulty, AnEmptyScriptChangesNothingAndCounts) {
  wire_.to_receive = {7, 8};
  const auto transport = connect();
  EXPECT_EQ(*send(*transport), 10U);
  EXPECT_EQ(wire_.sent, message_);
  Bytes room(10);
  EXPECT_EQ(*transport->receive(room, Deadline::none()), 2U);
  EXPECT_EQ(plan_->sent(Side::connecting), 10U);
  EXPECT_EQ(plan_->received(Side::connecting), 2U);
  EXPECT_EQ(plan_->conversations(Side::connecting), 1U);
  EXPECT_EQ(plan_->sent(Side::accepting), 0U);
  EXPECT_EQ(factory_->scheme(), "wire");
}

TEST_F(Faulty, CutsSendingAfterExactlyTheGivenOctets) {
  for (std::uint64_t cut = 0; cut <= 10; ++cut) {
    wire_ = {};
    Script script;
    script.cut_sent = cut;
    plan_->set(Side::connecting, script);
    const auto transport = connect();
    const auto sent = send(*transport);
    EXPECT_EQ(wire_.sent.size(), cut);
    EXPECT_TRUE(wire_.shut);
    EXPECT_EQ(sent.ok(), cut == 10) << "a message that left whole was sent";
    if (!sent) {
      EXPECT_EQ(sent.error(), base::error(base::Stage::send, Code::lost));
    }
    Bytes room(1);
    EXPECT_EQ(transport->receive(room, Deadline::none()).error().code, Code::lost);
  }
}

TEST_F(Faulty, CutsReceivingAfterExactlyTheGivenOctets) {
  for (std::uint64_t cut = 0; cut <= 10; ++cut) {
    wire_ = {};
    wire_.to_receive.assign(message_.begin(), message_.end());
    Script script;
    script.cut_received = cut;
    script.cut_as = Code::closed;
    plan_->set(Side::connecting, script);
    const auto transport = connect();
    Bytes room(100);
    std::size_t received = 0;
    auto count = transport->receive(room, Deadline::none());
    for (; count; count = transport->receive(room, Deadline::none())) received += *count;
    EXPECT_EQ(received, cut);
    EXPECT_EQ(count.error().code, Code::closed);
    EXPECT_TRUE(wire_.shut);
    EXPECT_EQ(send(*transport).error().code, Code::closed);
  }
}

TEST_F(Faulty, SendsAndReceivesInSmallPieces) {
  Script script;
  script.send_at_most = 4;
  script.receive_at_most = 1;
  plan_->set(Side::connecting, script);
  wire_.to_receive = {1, 2};
  const auto transport = connect();
  EXPECT_EQ(*send(*transport), 10U);
  EXPECT_EQ(wire_.sent, message_);
  EXPECT_EQ(wire_.pieces, (std::vector<std::size_t>{3, 4, 3}));
  EXPECT_EQ(*send(*transport, Deadline::now()), 3U) << "a short write";
  Bytes room(10);
  EXPECT_EQ(*transport->receive(room, Deadline::none()), 1U);
}

TEST_F(Faulty, TimesOutWithoutSleeping) {
  Script script;
  script.stall_sent = 5;
  script.stall_received = 0;
  plan_->set(Side::connecting, script);
  wire_.to_receive = {1};
  const auto transport = connect();
  EXPECT_EQ(send(*transport).error(), base::error(base::Stage::send, Code::timed_out));
  EXPECT_EQ(wire_.sent.size(), 5U);
  Bytes room(1);
  EXPECT_EQ(transport->receive(room, Deadline::none()).error().code, Code::timed_out);
  EXPECT_EQ(transport->receive(room, Deadline::now()).error().code, Code::would_block);
  plan_->set(Side::connecting, {});
  EXPECT_EQ(*transport->receive(room, Deadline::none()), 1U);
}

TEST_F(Faulty, HesitatesOnEveryOtherNonBlockingOperation) {
  Script script;
  script.hesitate = true;
  plan_->set(Side::connecting, script);
  wire_.to_receive = {1, 2};
  const auto transport = connect();
  Bytes room(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(transport->receive(room, Deadline::now()).error().code, Code::would_block);
    EXPECT_TRUE(transport->receive(room, Deadline::now()));
  }
  EXPECT_EQ(send(*transport, Deadline::now()).error().code, Code::would_block);
  EXPECT_TRUE(send(*transport, Deadline::now()));
  EXPECT_TRUE(send(*transport)) << "blocking operations are not concerned";
}

TEST_F(Faulty, RefusesConnectsAndFailsAcceptsAsOftenAsTold) {
  plan_->refuse_connects(2);
  plan_->fail_accepts(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(connector_->connect(*endpoint_, {}, Deadline::none()).error(),
              base::error(base::Stage::connect, Code::refused));
  }
  EXPECT_TRUE(connector_->connect(*endpoint_, {}, Deadline::none()));
  const auto acceptor = *factory_->listen(*endpoint_, {});
  EXPECT_EQ(acceptor->accept().error(), base::error(base::Stage::accept, Code::out_of_resources));
  EXPECT_TRUE(acceptor->accept());
  EXPECT_EQ(plan_->conversations(Side::accepting), 1U);
}

}  // namespace
}  // namespace corbel::transport
