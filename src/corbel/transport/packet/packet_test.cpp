// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/packet/packet.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport {
namespace {

using base::Bytes;
using base::Code;
using base::Deadline;
using base::Stage;
using namespace std::chrono_literals;

class Packet : public testing::Test {
 protected:
  void connect(const Options& options = {}) {
    acceptor_ = *factory_->listen(**factory_->parse(""), options);
    client_ = *factory_->make_connector()->connect(*acceptor_->endpoints().front(), options, Deadline::after(20s));
    server_ = *acceptor_->accept();
  }
  static base::Result<std::size_t> send(Transport& transport, const Bytes& octets,
                                        Deadline deadline = Deadline::after(20s)) {
    const cdr::Segment whole{octets.data(), octets.size()};
    return transport.send({&whole, 1}, deadline);
  }

  std::shared_ptr<const Factory> factory_ = make_packet();
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> server_;
};

TEST_F(Packet, AReferenceNamesTheMachineAndLeadsNowhereOnAnother) {
  connect();
  const std::string text = acceptor_->endpoints().front()->text();
  EXPECT_TRUE(text.starts_with("packet://" + machine_name() + '/')) << text;
  const auto elsewhere = *factory_->parse("another.machine/tmp/socket");
  EXPECT_EQ(factory_->make_connector()->connect(*elsewhere, {}, Deadline::after(20s)).error(),
            base::error(Stage::connect, Code::unreachable));
  EXPECT_EQ(factory_->listen(*elsewhere, {}).error(), base::error(Stage::listen, Code::unreachable));
}

TEST_F(Packet, ASmallSendBufferMakesTheLargestMessageSmaller) {
  Options options;
  options.send_buffer = 4096;
  connect(options);
  const std::size_t largest = client_->traits().largest_message;
  EXPECT_LT(largest, factory_->traits().largest_message);
  Bytes room(factory_->traits().largest_message);
  ASSERT_TRUE(send(*client_, Bytes(largest))) << largest;
  EXPECT_EQ(*server_->receive(room, Deadline::after(20s)), largest);
  EXPECT_EQ(send(*client_, Bytes(largest + 1)).error(), base::error(Stage::send, Code::too_large));
}

TEST_F(Packet, EveryConnectionHasItsOwnOptions) {
  connect();
  const auto connector = factory_->make_connector();
  ConnectionOptions small;
  small.send_buffer = 4096;
  const auto first = *connector->connect(*acceptor_->endpoints().front(), small, Deadline::after(20s));
  const auto second = *connector->connect(*acceptor_->endpoints().front(), {}, Deadline::after(20s));
  EXPECT_LT(first->traits().largest_message, second->traits().largest_message);
}

TEST_F(Packet, AMessageBeyondTheBufferIsTruncatedAndTheNextIsWhole) {
  connect();
  ASSERT_TRUE(send(*client_, Bytes(100)));
  ASSERT_TRUE(send(*client_, Bytes(10, 7)));
  Bytes room(50);
  EXPECT_EQ(server_->receive(room, Deadline::after(20s)).error(), base::error(Stage::receive, Code::truncated));
  EXPECT_EQ(*server_->receive(room, Deadline::after(20s)), 10U);
  EXPECT_EQ(room[9], 7);
}

TEST_F(Packet, KnowsTheProcessAtTheOtherEnd) {
  connect();
  for (const auto* end : {client_.get(), server_.get()}) {
    const auto identity = end->identity();
    ASSERT_TRUE(identity.process);
    EXPECT_EQ(identity.process->user, ::geteuid());
    EXPECT_EQ(identity.process->group, ::getegid());
    EXPECT_EQ(identity.process->id, ::getpid());
  }
}

}  // namespace
}  // namespace corbel::transport
