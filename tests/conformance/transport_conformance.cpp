// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"

#include "conformance/transport_helpers.hpp"
#include "support/files.hpp"

namespace corbel::conformance {

using test::open_descriptors;

void TransportConformance::SetUp() {
  descriptors_ = open_descriptors();
  factory_ = GetParam().make();
  connector_ = factory_->make_connector();
}

void TransportConformance::TearDown() {
  client_.reset();
  server_.reset();
  acceptor_.reset();
  connector_.reset();
  factory_.reset();
  EXPECT_EQ(open_descriptors(), descriptors_) << "descriptors leaked";
}

EndpointPtr TransportConformance::endpoint(const std::string& address) {
  auto parsed = factory_->parse(address);
  EXPECT_TRUE(parsed) << address;
  return parsed ? *parsed : nullptr;
}

std::unique_ptr<transport::Acceptor> TransportConformance::listen(const Options& options) {
  auto acceptor = factory_->listen(*endpoint(GetParam().listen), options);
  EXPECT_TRUE(acceptor) << base::to_string(acceptor.error());
  return acceptor ? *std::move(acceptor) : nullptr;
}

base::Status TransportConformance::shake_on(Transport& accepted) {
  return accepted.handshake(accepted.handle() < 0 ? Deadline::after(kPatience) : Deadline::now());
}

std::unique_ptr<Transport> TransportConformance::accept(transport::Acceptor& acceptor) {
  if (acceptor.handle() < 0) {
    ADD_FAILURE() << "an acceptor has a handle, whatever it accepts";
    return nullptr;
  }
  std::unique_ptr<Transport> peer;
  while (peer == nullptr) {
    auto accepted = acceptor.accept();
    if (accepted) {
      peer = *std::move(accepted);
    } else if (accepted.error().code != Code::would_block || !becomes_ready(acceptor.handle())) {
      ADD_FAILURE() << base::to_string(accepted.error());
      return nullptr;
    }
  }
  if (!peer->traits().shakes_hands) return peer;
  for (;;) {
    const auto shaken = shake_on(*peer);
    if (shaken) return peer;
    const bool goes_on =
        shaken.error().code == Code::would_block && peer->handle() >= 0 &&
        (peer->wants_room()
             ? ipc::wait_ready(peer->send_handle(), ipc::Ready::writable, Deadline::after(kPatience), Stage::wait).ok()
             : becomes_ready(*peer));
    if (!goes_on) {
      ADD_FAILURE() << base::to_string(shaken.error());
      return nullptr;
    }
  }
}

std::unique_ptr<Transport> TransportConformance::connect(const transport::Endpoint& endpoint,
                                                         const transport::ConnectionOptions& options) {
  auto connected = connector_->connect(endpoint, options, Deadline::after(kPatience));
  if (!connected) {
    ADD_FAILURE() << base::to_string(connected.error());
    return nullptr;
  }
  if (!connects()) {
    EXPECT_TRUE(send(**connected, pattern(1)));
  }
  return *std::move(connected);
}

void TransportConformance::take_greeting(Transport& accepted) {
  if (!connects()) {
    EXPECT_EQ(receive(accepted, 1), pattern(1));
  }
}

std::unique_ptr<Transport> TransportConformance::connect_to(transport::Acceptor& acceptor,
                                                            std::unique_ptr<Transport>& accepted,
                                                            const transport::ConnectionOptions& options) {
  std::unique_ptr<Transport> client;
  Worker connecting([&] { client = connect(*acceptor.endpoints().front(), options); });
  accepted = accept(acceptor);
  connecting.join();
  if (accepted != nullptr) take_greeting(*accepted);
  return accepted == nullptr ? nullptr : std::move(client);
}

void TransportConformance::connect_pair() {
  acceptor_.reset();
  acceptor_ = listen();
  ASSERT_TRUE(acceptor_);
  client_ = connect_to(*acceptor_, server_, GetParam().options);
  ASSERT_TRUE(client_ && server_);
}

}  // namespace corbel::conformance
