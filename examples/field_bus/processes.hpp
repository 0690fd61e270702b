// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "conversation.hpp"
#include "corbel/ipc/handle.hpp"
#include "field_bus.hpp"
#include "test_bus.hpp"

namespace field_bus {

inline corbel::base::Result<std::size_t> send(
    corbel::transport::Transport& transport, const corbel::base::Bytes& octets,
    corbel::base::Deadline deadline = corbel::base::Deadline::after(kPatience)) {
  const corbel::cdr::Segment segment{octets.data(), octets.size()};
  return transport.send({&segment, 1}, deadline);
}

/// What receive() says when nothing comes any more; what comes before is dropped.
inline corbel::base::Code end_of(corbel::transport::Transport& transport) {
  corbel::base::Bytes room(kLargestMessage);
  for (;;) {
    const auto received = transport.receive(room, corbel::base::Deadline::after(kPatience));
    if (!received) return received.error().code;
  }
}

/// A process's terminals on a bus, and how to reach others.
struct Process {
  std::shared_ptr<const corbel::transport::Factory> factory = make_field_bus();
  std::unique_ptr<corbel::transport::Connector> connector = factory->make_connector();

  corbel::base::Result<std::unique_ptr<corbel::transport::Transport>> connect(
      const std::string& at, corbel::base::Deadline deadline = corbel::base::Deadline::after(kPatience)) const {
    return connector->connect(**factory->parse(at), {}, deadline);
  }
  std::unique_ptr<corbel::transport::Acceptor> listen(const std::string& at, int backlog = 16) const {
    corbel::transport::Options options;
    options.backlog = backlog;
    auto acceptor = factory->listen(**factory->parse(at), options);
    EXPECT_TRUE(acceptor) << corbel::base::to_string(acceptor.error());
    return *std::move(acceptor);
  }
  static std::unique_ptr<corbel::transport::Transport> accept(corbel::transport::Acceptor& acceptor) {
    using corbel::ipc::Ready;
    EXPECT_TRUE(corbel::ipc::wait_ready(acceptor.handle(), Ready::readable, corbel::base::Deadline::after(kPatience),
                                        corbel::base::Stage::wait));
    return *acceptor.accept();
  }
};

}  // namespace field_bus
