// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/dynamic/messaging_types.hpp"
#include "corbel/orb/statistics.hpp"
#include "endings.hpp"
#include "eventually.hpp"
#include "fake_peer.hpp"
#include "guests_any.hpp"
#include "guests_server.hpp"
#include "raw_peer.hpp"

namespace corbel::bidirectional_test {

using namespace std::chrono_literals;
using test::ending_of;
using test::eventually;

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using GuestRef = IDL::traits<Guests::Guest>::ref_type;
using HostRef = IDL::traits<Guests::Host>::ref_type;
using PolicyRef = IDL::traits<CORBA::Policy>::ref_type;

inline PolicyRef policy(BiDirPolicy::BidirectionalPolicyValue value) {
  return CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(value);
}

class Guest final : public CORBA::servant_traits<Guests::Guest>::base_type {
 public:
  std::string ask(const std::string& text) override {
    ++asked;
    if (on_ask) on_ask();
    return "guest: " + text;
  }
  Guests::Blob carry(const Guests::Blob& load) override { return load; }
  GuestRef partner() override { return partner_; }
  std::int32_t descend(HostRef host, GuestRef self, std::int32_t depth) override {
    return depth == 0 ? 0 : 1 + host->descend(self, depth - 1);
  }
  void tell(std::int32_t number) override {
    told += number;
    ++tellings;
  }

  std::atomic<int> asked{0};
  std::atomic<int> told{0};
  std::atomic<int> tellings{0};
  std::function<void()> on_ask;
  GuestRef partner_;
};

class Host final : public CORBA::servant_traits<Guests::Host>::base_type {
 public:
  void enter(GuestRef visitor) override {
    const std::lock_guard lock(mutex_);
    guest_ = std::move(visitor);
  }
  void enter_in_any(const CORBA::Any& visitor) override {
    const std::lock_guard lock(mutex_);
    any_ = visitor;
  }
  std::string call_back(const std::string& text) override {
    if (on_call_back) return on_call_back();
    return "host, " + guest()->ask(text);
  }
  Guests::Blob exchange(GuestRef visitor, const Guests::Blob& load) override { return visitor->carry(load); }
  std::int32_t descend(GuestRef visitor, std::int32_t depth) override {
    return depth == 0 ? 0 : 1 + visitor->descend(self, visitor, depth - 1);
  }
  GuestRef guest() {
    const std::lock_guard lock(mutex_);
    return guest_;
  }
  void forget() { enter(nullptr); }
  /// Of what came in an Any, taken out now.
  GuestRef guest_in_any() {
    const std::lock_guard lock(mutex_);
    GuestRef found;
    EXPECT_TRUE(any_ >>= found);
    return found;
  }

  HostRef self;
  std::function<std::string()> on_call_back;

 private:
  std::mutex mutex_;
  GuestRef guest_;
  CORBA::Any any_;
};

/// An ORB of its own with an adapter of a policy; destroyed with this.
class Orb {
 public:
  explicit Orb(std::vector<std::string> options = {}) {
    static std::atomic<int> number{0};
    if (std::find(options.begin(), options.end(), "-ORBListenEndpoints") == options.end()) {
      options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    }
    orb_ = CORBA::ORB_init(options, "bidirectional " + std::to_string(++number));
  }
  ~Orb() { orb_->destroy(); }
  Orb(const Orb&) = delete;
  Orb& operator=(const Orb&) = delete;

  OrbRef operator->() const { return orb_; }
  OrbRef ref() const { return orb_; }
  PoaRef root() const { return IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA")); }
  /// A new adapter, active.
  PoaRef adapter(BiDirPolicy::BidirectionalPolicyValue value) {
    const auto poa =
        root()->create_POA("poa " + std::to_string(++adapters_), root()->the_POAManager(), {policy(value)});
    root()->the_POAManager()->activate();
    return poa;
  }
  template <class Interface, class Servant>
  static auto activate(const PoaRef& poa, const Servant& servant) {
    const auto id = poa->activate_object(servant);
    return IDL::traits<Interface>::narrow(poa->id_to_reference(id));
  }
  void set_policy(BiDirPolicy::BidirectionalPolicyValue value) const {
    IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references("ORBPolicyManager"))
        ->set_policy_overrides({policy(value)}, CORBA::SetOverrideType::ADD_OVERRIDE);
  }
  std::size_t conversations(bool accepted) const {
    std::size_t count = 0;
    for (const auto& one : orb::conversations(*orb_)) count += one.accepted == accepted ? 1 : 0;
    return count;
  }

 private:
  OrbRef orb_;
  int adapters_ = 0;
};

/// A server whose object calls guests.
struct ServerSide {
  explicit ServerSide(BiDirPolicy::BidirectionalPolicyValue value = BiDirPolicy::BOTH,
                      const std::vector<std::string>& options = {})
      : orb(options) {
    servant->self = Orb::activate<Guests::Host>(orb.adapter(value), servant);
  }
  ~ServerSide() {
    servant->forget();
    servant->self = nullptr;
  }
  std::string ior() const { return orb->object_to_string(servant->self); }

  Orb orb;
  CORBA::servant_reference<Host> servant = CORBA::make_reference<Host>();
};

/// A client behind a firewall: its references lead where connecting is refused.
struct ClientSide {
  explicit ClientSide(BiDirPolicy::BidirectionalPolicyValue value = BiDirPolicy::BOTH,
                      std::vector<std::string> options = {})
      : orb([&] {
          options.insert(options.end(), {"-ORBPublishHost", "127.0.0.2"});
          return options;
        }()),
        guest(Orb::activate<Guests::Guest>(orb.adapter(value), servant)) {}

  HostRef host(const std::string& ior) const { return IDL::traits<Guests::Host>::narrow(orb->string_to_object(ior)); }

  CORBA::servant_reference<Guest> servant = CORBA::make_reference<Guest>();
  Orb orb;
  GuestRef guest;
};

}  // namespace corbel::bidirectional_test
