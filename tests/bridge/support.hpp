// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "bridged_any.hpp"
#include "bridged_server.hpp"
#include "corbel/base/kept_log.hpp"
#include "corbel/bridge/bridge.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/core.hpp"
#include "endings.hpp"
#include "eventually.hpp"
#include "fake_peer.hpp"
#include "raw_peer.hpp"

namespace corbel::bridge_test {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using TargetRef = IDL::traits<Bridged::Target>::ref_type;
using test::ending_of;

/// Corbel's own minor code, without its vendor's id, of the system exception that ends a call; -1 for other endings.
inline int own_minor_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const CORBA::SystemException& exception) {
    return static_cast<int>(exception.minor()) - static_cast<int>(corba::kCorbelVmcid);
  } catch (const CORBA::Exception&) {
  }
  return -1;
}

class Servant final : public CORBA::servant_traits<Bridged::Target>::base_type {
 public:
  explicit Servant(std::string name) : name_(std::move(name)) {}

  std::string name() override { return name_; }
  std::string echo(const std::string& text) override { return ++calls, text; }
  Bridged::Blob carry(const Bridged::Blob& load) override { return load; }
  double mixed(std::uint8_t first, double number, const std::wstring& wide, std::int64_t& sum) override {
    sum = first + static_cast<std::int64_t>(wide.size());
    return -number;
  }
  void refuse(const std::string& why) override { throw Bridged::Refused(why, own); }
  void fail() override { throw CORBA::TRANSIENT(77, CORBA::CompletionStatus::COMPLETED_MAYBE); }
  void note(std::int32_t number) override { noted_ += number; }
  std::int32_t noted() override { return noted_; }
  std::string call_back(const Bridged::Card& card) override {
    std::string names = card.name();
    for (const auto& one : card.who()) names += ' ' + one->name();
    return names;
  }
  TargetRef same(TargetRef one) override { return one; }
  bool is_own(TargetRef one) override { return own->_is_equivalent(one); }
  void hold() override {
    held.set_value();
    released.get_future().wait();
  }

  TargetRef own;
  std::atomic<int> calls{0};
  std::promise<void> held, released;

 private:
  const std::string name_;
  std::atomic<std::int32_t> noted_{0};
};

inline std::string unique_id() {
  static std::atomic<int> number{0};
  return "bridged " + std::to_string(++number);
}

inline OrbRef make_orb(std::vector<std::string> words, const orb::Components& components) {
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return CORBA::ORB_init(argc, argv.data(), unique_id(), components);
}

/// An ORB with a servant, or a client that can be called back.
struct Side {
  explicit Side(const std::string& name, const std::string& endpoint = "tcp://127.0.0.1:0",
                std::vector<std::string> words = {}) {
    words.insert(words.end(), {"-ORBListenEndpoints", endpoint});
    orb = make_orb(std::move(words), builtins::components());
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<Servant>(name);
    servant->own = servant->_this();
    poa->the_POAManager()->activate();
  }
  ~Side() {
    orb->destroy();  // first: a thread of its may be in the servant
    servant->own = nullptr;
  }
  std::string reference() const { return orb->object_to_string(servant->own); }
  TargetRef target(const std::string& reference) const {
    return IDL::traits<Bridged::Target>::unchecked_narrow(orb->string_to_object(reference));
  }

  OrbRef orb;
  CORBA::servant_reference<Servant> servant;
};

/// What IDL would tell.
class Known final : public bridge::Signatures {
 public:
  Known() {
    const auto target = Bridged::_tc_Target;
    add("call_back", {Bridged::_tc_Card}, {CORBA::_tc_string});
    add("same", {target}, {target});
    add("is_own", {target}, {CORBA::_tc_boolean});
    add("echo", {CORBA::_tc_string}, {CORBA::_tc_string});
    add("refuse", {CORBA::_tc_string}, {});
    all_["refuse"].exceptions["IDL:Bridged/Refused:1.0"] = Bridged::_tc_Refused;
    all_["refuse"].reply_refers = bridge::may_refer(*Bridged::_tc_Refused);
  }
  const bridge::Signature* find(std::string_view, std::string_view operation) const override {
    const auto found = all_.find(operation);
    return found == all_.end() ? nullptr : &found->second;
  }

 private:
  void add(const std::string& operation, std::vector<CORBA::typecode_reference> request,
           std::vector<CORBA::typecode_reference> reply) {
    bridge::Signature signature{std::move(request), std::move(reply), {}, false, false};
    for (const auto& type : signature.request) signature.request_refers |= bridge::may_refer(*type);
    for (const auto& type : signature.reply) signature.reply_refers |= bridge::may_refer(*type);
    all_[operation] = std::move(signature);
  }
  std::map<std::string, bridge::Signature, std::less<>> all_;
};

/// A bridge and its ORB.
struct Between {
  explicit Between(bridge::Settings settings = {}, std::vector<std::string> endpoints = {"tcp://127.0.0.1:0"},
                   const std::vector<std::string>& more = {})
      : bridge(std::move(settings)) {
    auto components = bridge.components(builtins::components());
    components.log_sink = log;
    std::vector<std::string> words{"-ORBLogLevel", "info", "-ORBLogRate", "0"};
    for (const auto& endpoint : endpoints) words.insert(words.end(), {"-ORBListenEndpoints", endpoint});
    words.insert(words.end(), more.begin(), more.end());
    orb = make_orb(std::move(words), components);
  }
  ~Between() { orb->destroy(); }
  std::string add(const std::string& reference, const std::string& key = {}) {
    return bridge.add(*orb, reference, key);
  }
  /// As if its connections to servers had not been used for a minute, nor be read just now.
  void age_connections() const {
    for (const auto& connection : orb->_core().cache().all()) {
      EXPECT_TRUE(test::eventually([&] { return connection->idle() || connection->failed(); }));
      connection->use(base::Deadline::clock_now() - base::Duration(std::chrono::minutes(1)).count());
    }
  }

  std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();
  bridge::Bridge bridge;
  OrbRef orb;
};

/// Where a reference says that IIOP is spoken; 0: nowhere.
inline std::uint16_t port_of(const std::string& reference) {
  const auto ior = ior::from_string(reference);
  for (const auto& profile : ior->profiles) {
    if (const auto body = ior::decode_iiop_profile(profile)) return body->port;
  }
  return 0;
}

/// The keys that a reference has.
inline std::string key_of(const std::string& reference) {
  const auto ior = ior::from_string(reference);
  const auto key = ior::object_key_of(ior->profiles.at(0).tag, ior->profiles.at(0).data);
  return {key->begin(), key->end()};
}

inline bridge::Settings with_types(bool always = false) {
  bridge::Settings settings;
  settings.signatures = std::make_shared<Known>();
  settings.by_types = always;
  return settings;
}

}  // namespace corbel::bridge_test
