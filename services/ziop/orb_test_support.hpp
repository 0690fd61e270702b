// SPDX-License-Identifier: Apache-2.0
// Two ORBs, one of which serves a press.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <corbel/builtins/builtins.hpp>

#include "corbel_ziop.hpp"
#include "ziop_test_server.hpp"

namespace corbel::ziop {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using PressRef = IDL::traits<Squeezed::Press>::ref_type;
using Counts = std::pair<std::uint64_t, std::uint64_t>;
using Words = std::vector<std::string>;

inline const std::string kBig = std::string(20'000, 'x') + "end";

class Press final : public virtual CORBA::servant_traits<Squeezed::Press>::base_type {
 public:
  std::string repeat(const std::string& text) override { return text; }
  Squeezed::Octets turn(const Squeezed::Octets& octets) override { return {octets.rbegin(), octets.rend()}; }
  void fail(const std::string& why) override {
    if (why.size() < 10) throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_NO);
    throw Squeezed::Refused(why);
  }
  void post(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    posted_ = text;
  }
  std::string posted() override {
    const std::lock_guard lock(mutex_);
    return posted_;
  }
  std::string make(std::uint32_t count) override { return std::string(count, 'm'); }

 private:
  std::mutex mutex_;
  std::string posted_;
};

/// Sends every request elsewhere.
class Forwarder final : public virtual PortableServer::ServantActivator {
 public:
  explicit Forwarder(IDL::traits<CORBA::Object>::ref_type target) : target_(std::move(target)) {}
  IDL::traits<PortableServer::Servant>::ref_type incarnate(const PortableServer::ObjectId&, PoaRef) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, IDL::traits<PortableServer::Servant>::ref_type, bool,
                   bool) override {}

 private:
  const IDL::traits<CORBA::Object>::ref_type target_;
};

enum class Kind : std::uint8_t { plain, ziop, plugin };

inline OrbRef make_orb(Kind kind, Words words = {}) {
  static int number = 0;
  words.insert(words.begin(), "test");
  words.insert(words.end(), {"-ORBCollocation", "off"});
  auto components = builtins::components();
  if (kind == Kind::ziop) add_to(components);
  if (kind == Kind::plugin) words.insert(words.end(), {"-ORBLoad", CORBEL_ZIOP_PLUGIN});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  return CORBA::ORB_init(count, pointers.data(), "ziop " + std::to_string(++number), components);
}

class WithOrbs : public ::testing::TestWithParam<const char*> {
 protected:
  void serve(Kind kind, Words words = {}, const CORBA::PolicyList& policies = {}) {
    words.insert(words.end(), {"-ORBListenEndpoints", endpoint()});
    server_ = make_orb(kind, std::move(words));
    root_ = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa_ = policies.empty() ? root_ : root_->create_POA("own", root_->the_POAManager(), policies);
    id_ = poa_->activate_object(CORBA::make_reference<Press>());
    root_->the_POAManager()->activate();
  }
  static std::string endpoint() {
    if (std::string_view(GetParam()) == "tcp") return "tcp://127.0.0.1:0";
    return "unix:///tmp/corbel-ziop-" + std::to_string(::getpid()) + "-" + std::to_string(++sockets_);
  }
  PressRef press(Kind kind, Words words = {}) {
    if (client_ == nullptr) client_ = make_orb(kind, std::move(words));
    const std::string text = server_->object_to_string(poa_->id_to_reference(id_));
    return IDL::traits<Squeezed::Press>::unchecked_narrow(client_->string_to_object(text));
  }
  void TearDown() override {
    for (auto* orb : {&client_, &server_}) {
      if (*orb != nullptr) (*orb)->destroy();
    }
  }
  /// Requests and replies of the client.
  Counts counts() {
    const Traffic all = traffic(client_);
    return {all.sent.messages, all.received.messages};
  }

  OrbRef server_;
  OrbRef client_;
  PoaRef root_;
  PoaRef poa_;
  PortableServer::ObjectId id_;
  inline static int sockets_ = 0;
};

using Counts = std::pair<std::uint64_t, std::uint64_t>;

template <class Policy>
PressRef with(const PressRef& press, Policy policy) {
  return IDL::traits<Squeezed::Press>::unchecked_narrow(
      press->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE));
}

}  // namespace corbel::ziop
