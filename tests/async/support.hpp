// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "async_server.hpp"
#include "corbel/base/kept_log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/poa/poa.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/unix/unix.hpp"
#include "shipped.hpp"
#include "support/allocations.hpp"

/// Real ORBs over every transport, and a servant whose answers can be held back.
namespace corbel::async_test {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using EchoRef = IDL::traits<Async::Peer>::ref_type;
using Plan = transport::faulty::Plan;

inline OrbRef make_orb(const std::string& id, std::vector<std::string> arguments = {},
                       const std::shared_ptr<Plan>& plan = std::make_shared<Plan>(),
                       const std::shared_ptr<base::LogSink>& log = nullptr) {
  auto transports = test::shipped_transports(
      [&](auto each) { return each->scheme() == "tcp" ? transport::make_faulty(std::move(each), plan) : each; });
  // Tests here listen at two places and count on tcp being the one that is preferred.
  std::stable_partition(transports.begin(), transports.end(), [](const auto& each) { return each->scheme() == "tcp"; });
  orb::Components components{{messaging::make_giop(), messaging::make_giop_lite()}, transports, &poa::make_adapter};
  components.log_sink = log;
  return orb::init(arguments, id, components);
}

class EchoServant : public virtual CORBA::servant_traits<Async::Peer>::base_type {
 public:
  std::int32_t served() override { return served_; }
  std::string greeting() override {
    const std::lock_guard lock(mutex_);
    return greeting_;
  }
  void greeting(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    greeting_ = text;
  }
  std::string echo(const std::string& text) override {
    ++served_;
    return text;
  }
  std::int32_t split(const std::string& text, char at, std::string& head, std::string& tail) override {
    const auto place = text.find(at);
    if (place == std::string::npos) throw Async::Refused("no " + std::string(1, at) + " in " + text);
    head = text.substr(0, place);
    tail += text.substr(place + 1);
    return static_cast<std::int32_t>(place);
  }
  void nothing() override { ++served_; }
  void swap(std::int32_t& a, std::int32_t& b) override { std::swap(a, b); }
  void wait() override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
  }
  void release() override {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  void fail(std::int32_t how) override {
    if (how == 0) throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_YES);
    throw Async::Refused("failed " + std::to_string(how));
  }
  void forget(const std::string&) override { ++served_; }

  /// Returns when so many calls of wait() are being served.
  void await_waiting(int calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= calls; });
  }

 private:
  std::atomic<int> served_{0};
  std::string greeting_ = "hello";
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool released_ = false;
};

/// A server and a client ORB in one process that know nothing of each other but the reference.
struct World {
  explicit World(const std::string& endpoint = "tcp://127.0.0.1:0", std::vector<std::string> client_options = {}) {
    server = make_orb("server", {"-ORBListenEndpoints", endpoint});
    auto root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<EchoServant>();
    root->activate_object(servant);
    local = IDL::traits<Async::Peer>::narrow(root->servant_to_reference(servant));
    ior = server->object_to_string(local);
    root->the_POAManager()->activate();
    use_client(std::move(client_options));
  }
  ~World() {
    servant->release();
    echo.reset();
    if (client != nullptr) client->destroy();
    local.reset();
    server->destroy();
  }
  void use_client(std::vector<std::string> options) {
    if (client != nullptr) client->destroy();
    client = make_orb("client", std::move(options), plan, log);
    echo = IDL::traits<Async::Peer>::unchecked_narrow(client->string_to_object(ior));
  }

  std::shared_ptr<Plan> plan = std::make_shared<Plan>();
  std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();  ///< the client's
  OrbRef server;
  OrbRef client;
  CORBA::servant_reference<EchoServant> servant;
  std::string ior;
  EchoRef local;  ///< collocated
  EchoRef echo;   ///< remote
};

/// A coroutine type that knows nothing of the ORB's.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

inline std::vector<std::string> all_endpoints() {
  return test::endpoints_and({"giop_lite+unix://"});
}

}  // namespace corbel::async_test
