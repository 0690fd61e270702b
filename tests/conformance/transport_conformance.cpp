// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_conformance.hpp"

#include <filesystem>

#include "conformance/transport_helpers.hpp"

namespace corbel::conformance {
namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

void TransportConformance::SetUp() {
  descriptors_ = open_descriptors();
  factory_ = GetParam().make();
  connector_ = factory_->make_connector({});
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

std::unique_ptr<Transport> TransportConformance::accept(transport::Acceptor& acceptor) {
  for (;;) {
    auto accepted = acceptor.accept();
    if (accepted) return *std::move(accepted);
    if (accepted.error().code != Code::would_block || !becomes_ready(acceptor.handle())) {
      ADD_FAILURE() << base::to_string(accepted.error());
      return nullptr;
    }
  }
}

void TransportConformance::connect_pair() {
  acceptor_.reset();
  acceptor_ = listen();
  ASSERT_TRUE(acceptor_);
  connector_ = factory_->make_connector(GetParam().options);
  auto connected = connector_->connect(*acceptor_->endpoints().front(), Deadline::after(kPatience));
  ASSERT_TRUE(connected) << base::to_string(connected.error());
  client_ = *std::move(connected);
  server_ = accept(*acceptor_);
  ASSERT_TRUE(server_);
}

}  // namespace corbel::conformance
