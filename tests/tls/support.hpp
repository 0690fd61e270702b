// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/tls/tls.hpp"
#include "support/certificates.hpp"

namespace corbel::tls_test {

using base::Code;
using base::Deadline;
using base::KeptLog;
using tests::Certificates;
using tests::Wanted;
using transport::Security;
using transport::Transport;
using transport::VerifyClients;

inline constexpr auto kPatience = std::chrono::seconds(20);

/// A log that is kept, and the sink that writes into it.
struct Logged {
  std::shared_ptr<KeptLog> kept = std::make_shared<KeptLog>();
  base::Log log{{.levels = KeptLog::everything(), .sink = kept, .rate = 0}};
};

inline base::Status shake(Transport& accepted) {
  for (;;) {
    auto shaken = accepted.handshake(Deadline::now());
    if (shaken || shaken.error().code != Code::would_block) return shaken;
    const auto awaited = accepted.wants_room() ? ipc::Ready::writable : ipc::Ready::readable;
    if (!ipc::wait_ready(accepted.handle(), awaited, Deadline::after(kPatience), base::Stage::wait)) {
      return base::error(base::Stage::wait, Code::timed_out);
    }
  }
}

/// What became of a client and a server that meet.
struct Meeting {
  std::unique_ptr<Transport> client;
  std::unique_ptr<Transport> server;
  base::Error client_error;
  base::Error server_error;
};

/// A server that listens, and clients that connect to it, each with settings of its own.
class Place {
 public:
  explicit Place(const Security& security, const std::string& address = "127.0.0.1:0",
                 const transport::Options& options = {})
      : factory_(transport::make_tls(transport::make_tcp(), {security, &server_log.log})) {
    auto opened = factory_->listen(**factory_->parse(address), options);
    EXPECT_TRUE(opened) << base::to_string(opened.error());
    if (opened) acceptor = *std::move(opened);
  }
  transport::EndpointPtr endpoint() const { return acceptor->endpoints().front(); }

  std::unique_ptr<Transport> accept() const {
    EXPECT_TRUE(
        ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
    auto accepted = acceptor->accept();
    EXPECT_TRUE(accepted);
    return accepted ? *std::move(accepted) : nullptr;
  }
  /// A connection of `connector` to `there`, or why there is none.
  Meeting meet(transport::Connector& connector, const transport::EndpointPtr& there = nullptr,
               const transport::ConnectionOptions& options = {}) const {
    Meeting meeting;
    std::thread connecting([&] {
      auto connected = connector.connect(there ? *there : *endpoint(), options, Deadline::after(kPatience));
      if (connected) {
        meeting.client = *std::move(connected);
      } else {
        meeting.client_error = connected.error();
      }
    });
    meeting.server = accept();
    if (auto shaken = shake(*meeting.server); !shaken) {
      meeting.server_error = shaken.error();
      meeting.server->shutdown();
    }
    connecting.join();
    return meeting;
  }
  Meeting meet(const Security& client) {
    const auto factory = transport::make_tls(transport::make_tcp(), {client, &client_log.log});
    return meet(*factory->make_connector());
  }

  /// A plain connection to where TLS is spoken.
  std::unique_ptr<Transport> plainly() const {
    const auto tcp = transport::make_tcp();
    const auto there = tcp->parse(endpoint()->text().substr(6));
    auto connected = tcp->make_connector()->connect(**there, {}, Deadline::after(kPatience));
    EXPECT_TRUE(connected);
    return connected ? *std::move(connected) : nullptr;
  }

  Logged server_log;
  Logged client_log;
  std::unique_ptr<transport::Acceptor> acceptor;

 private:
  std::shared_ptr<const transport::Factory> factory_;
};

inline base::Result<std::size_t> say(Transport& to, const std::string& text) {
  const cdr::Segment segment{text.data(), text.size()};
  return to.send({&segment, 1}, Deadline::after(kPatience));
}
inline std::string hear(Transport& from, std::size_t size) {
  std::string text(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const auto count =
        from.receive({reinterpret_cast<base::Octet*>(text.data()) + got, size - got}, Deadline::after(kPatience));
    if (!count) return "(" + base::to_string(count.error()) + ")";
    got += *count;
  }
  return text;
}
/// The failure that ends it.
inline base::Error end_of(Transport& transport) {
  base::Bytes room(100000);
  for (;;) {
    const auto count = transport.receive(room, Deadline::after(kPatience));
    if (!count) return count.error();
  }
}

}  // namespace corbel::tls_test
