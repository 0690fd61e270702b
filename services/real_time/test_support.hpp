// SPDX-License-Identifier: Apache-2.0
// For tests: a server and a client with priorities, each with an ORB of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <corbel/base/kept_log.hpp>
#include <corbel/builtins/builtins.hpp>

#include "RTCORBA.hpp"
#include "real_time_test_server.hpp"

#include "corbel_real_time.hpp"

namespace corbel::real_time {

using ServantRef = IDL::traits<Timed::Servant>::ref_type;

/// Does what it is told.
class Doing final : public virtual CORBA::servant_traits<Timed::Servant>::base_type {
 public:
  explicit Doing(std::function<std::int16_t()> action) : action_(std::move(action)) {}
  std::int16_t priority() override { return action_(); }
  std::int16_t pass(ServantRef, std::int16_t) override { return 0; }
  void refuse() override { (void)action_(); }

 private:
  const std::function<std::int16_t()> action_;
};

class TwoOrbs {
 public:
  /// `options`: the server's, which listens at `endpoints`; empty: where it likes.
  explicit TwoOrbs(Settings settings, std::vector<std::string> options = {},
                   const std::string& endpoints = "tcp://127.0.0.1:0")
      : real_time_(std::move(settings)) {
    options.insert(options.end(), {"-ORBCollocation", "off"});
    if (!endpoints.empty()) options.insert(options.end(), {"-ORBListenEndpoints", endpoints});
    server = orb(std::move(options), log);
    client = orb({"-ORBConnectionsPerEndpoint", "1"});  // calls of one kind share a connection
    rt = IDL::traits<RTCORBA::RTORB>::narrow(server->resolve_initial_references("RTORB"));
    current = IDL::traits<RTCORBA::Current>::narrow(server->resolve_initial_references("RTCurrent"));
    root = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  TwoOrbs(const TwoOrbs&) = delete;
  TwoOrbs& operator=(const TwoOrbs&) = delete;
  ~TwoOrbs() {
    root = nullptr;
    client->destroy();
    server->destroy();
  }

  IDL::traits<PortableServer::POA>::ref_type adapter(const CORBA::PolicyList& policies) {
    return root->create_POA("poa " + std::to_string(++number_), root->the_POAManager(), policies);
  }
  /// An object as the client has it.
  ServantRef object(const IDL::traits<PortableServer::POA>::ref_type& poa, std::function<std::int16_t()> action) {
    const auto id = poa->activate_object(CORBA::make_reference<Doing>(std::move(action)));
    return at(server->object_to_string(poa->id_to_reference(id)));
  }
  ServantRef at(const std::string& reference) {
    return IDL::traits<Timed::Servant>::narrow(client->string_to_object(reference));
  }
  /// Calls it on a thread of that priority; of none if it is negative.
  std::future<std::int16_t> call(const ServantRef& object, int priority) {
    return std::async(std::launch::async, [this, object, priority] {
      if (priority >= 0) current->the_priority(static_cast<std::int16_t>(priority));
      return object->priority();
    });
  }

  static IDL::traits<CORBA::ORB>::ref_type orb(std::vector<std::string> options,
                                               std::shared_ptr<base::LogSink> sink = nullptr) {
    options.insert(options.begin(), "test");
    std::vector<char*> words;
    for (std::string& each : options) words.push_back(each.data());
    auto count = static_cast<int>(words.size());
    corbel::orb::Components components = builtins::components();
    components.log_sink = std::move(sink);
    return CORBA::ORB_init(count, words.data(), "one of two " + std::to_string(++number_), components);
  }

 private:
  inline static int number_ = 0;
  RealTime real_time_;

 public:
  const std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();  // the server's
  IDL::traits<CORBA::ORB>::ref_type server;
  IDL::traits<CORBA::ORB>::ref_type client;
  IDL::traits<RTCORBA::RTORB>::ref_type rt;
  IDL::traits<RTCORBA::Current>::ref_type current;
  IDL::traits<PortableServer::POA>::ref_type root;
};

}  // namespace corbel::real_time
