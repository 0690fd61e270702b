// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "corbel/transport/udp/endpoint.hpp"
#include "corbel/transport/udp/udp.hpp"

namespace corbel::transport::udp {

/// An acceptor on this host, and what comes to it.
class Udp : public testing::Test {
 protected:
  static constexpr base::Duration kPatience = std::chrono::seconds(20);

  std::unique_ptr<Transport> connect() {
    return *factory_->make_connector()->connect(*acceptor_->endpoints().front(), {}, base::Deadline::after(kPatience));
  }
  static void send(Transport& transport, const base::Bytes& octets) {
    const cdr::Segment whole{octets.data(), octets.size()};
    ASSERT_TRUE(transport.send({&whole, 1}, base::Deadline::after(kPatience)));
  }
  base::Bytes receive(Transport& transport) {
    const auto count = transport.receive(room_, base::Deadline::after(kPatience));
    if (!count) {
      ADD_FAILURE() << base::to_string(count.error());
      return {};
    }
    return {room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(*count)};
  }
  /// The next peer that has been heard.
  std::unique_ptr<Transport> accept() {
    for (;;) {
      auto accepted = acceptor_->accept();
      if (accepted) return *std::move(accepted);
      EXPECT_EQ(accepted.error(), base::error(base::Stage::accept, base::Code::would_block, accepted.error().os_error));
      if (!ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, base::Deadline::after(kPatience),
                           base::Stage::wait))
        return nullptr;
    }
  }
  ipc::InetAddress address() const {
    const auto& own = dynamic_cast<const UdpEndpoint&>(*acceptor_->endpoints().front());
    return *ipc::InetAddress::parse(own.host(), own.port());
  }

  std::shared_ptr<const Factory> factory_ = make_udp();
  std::unique_ptr<Acceptor> acceptor_ = *factory_->listen(**factory_->parse("127.0.0.1:0"), {});
  base::Bytes room_ = base::Bytes(kLargest);
};

}  // namespace corbel::transport::udp
