// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "carriers/masked.hpp"
#include "corbel/connection/acceptor_registry.hpp"
#include "corbel/connection/connection_cache.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/packet/packet.hpp"
#include "corbel/transport/shm/shm.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/udp/udp.hpp"
#include "corbel/transport/unix/unix.hpp"
#include "shipped.hpp"
#include "without_handles.hpp"

namespace corbel::connection {

/// A server whose requests run `serve` and a client side to call it, over any combination.
class Harness : private RequestHandler {
 public:
  using Serve = std::function<void(Connection&, const messaging::IncomingRequest&, cdr::Decoder&)>;

  explicit Harness(const std::string& endpoint, Server::Settings settings = {}, messaging::Version version = {1, 2},
                   const transport::Options& accepting = {})
      : registry_({messaging::make_giop(), messaging::make_giop_lite()}, transports(plan), version, {}),
        acceptors_(accepting),
        cache_(registry_, {}) {
    serve = [](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      echo(c, request, body);
    };
    auto server = Server::create(settings, *this);
    if (!server) throw std::runtime_error(base::to_string(server.error()));
    server_ = *std::move(server);
    auto point = registry_.parse_endpoint(endpoint);
    if (!point) throw std::runtime_error(base::to_string(point.error()));
    if (auto opened = acceptors_.open(*point, *server_); !opened)
      throw std::runtime_error(base::to_string(opened.error()));
    if (auto started = server_->start(); !started) throw std::runtime_error(base::to_string(started.error()));
    const base::Bytes key{'k', 'e', 'y'};
    ior::Ior ior{"IDL:test:1.0", registry_.publish(acceptors_.published(), key)};
    auto routes = registry_.routes(ior, {});
    if (!routes) throw std::runtime_error(base::to_string(routes.error()));
    route = routes->front();
  }
  ~Harness() override {
    acceptors_.close();
    server_->stop(true);
    cache_.close();
  }

  /// Replies with the argument, a string.
  static void echo(Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.response == messaging::Response::none) return;
    std::string text;
    body.get_string(text);
    (void)c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                  [&](cdr::Encoder& encoder) { encoder.put_string(text); });
  }

  ConnectionPtr connect(base::Deadline deadline = base::Deadline::after(std::chrono::seconds(10))) {
    bool fresh = false;
    auto connection = cache_.acquire(route, deadline, fresh);
    EXPECT_TRUE(connection.ok()) << base::to_string(connection.error());
    return connection ? *connection : ConnectionPtr();
  }

  base::Status call(Connection& connection, const std::string& text, std::string& answer,
                    base::Deadline deadline = base::Deadline::after(std::chrono::seconds(90)),
                    const std::string& operation = "echo") {
    messaging::OutgoingRequest request;
    request.object_key = route.object_key;
    request.operation = operation;
    return connection.call(
        request, [&](cdr::Encoder& encoder) { encoder.put_string(text); }, deadline,
        [&](const messaging::IncomingReply&, cdr::Decoder& body) { body.get_string(answer); });
  }

  /// Those that ship, and those of tests; tcp and udp break as `plan` says.
  static test::Transports transports(const std::shared_ptr<transport::faulty::Plan>& plan) {
    test::Transports all = test::shipped_transports([&](auto each) {
      const bool breaks = each->scheme() == "tcp" || each->scheme() == "udp";
      return breaks ? transport::make_faulty(std::move(each), plan) : each;
    });
    all.push_back(carriers::make_masked(transport::make_tcp()));
    all.push_back(std::make_shared<WithoutHandles>());
    return all;
  }
  Server& server() noexcept { return *server_; }
  const Registry& registry() const noexcept { return registry_; }
  ConnectionCache& cache() noexcept { return cache_; }

  std::shared_ptr<transport::faulty::Plan> plan = std::make_shared<transport::faulty::Plan>();
  Serve serve;
  Route route;

 private:
  void on_request(Connection& connection, const messaging::IncomingRequest& request,
                  cdr::Decoder& body) noexcept override {
    serve(connection, request, body);
  }
  void on_locate_request(Connection& connection, const messaging::IncomingLocateRequest& request) noexcept override {
    (void)connection.reply_locate(request.origin, messaging::LocateStatus::object_here, [](cdr::Encoder&) {});
  }

  Registry registry_;
  std::unique_ptr<Server> server_;
  AcceptorRegistry acceptors_;
  ConnectionCache cache_;
};

}  // namespace corbel::connection
