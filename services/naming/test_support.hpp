// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "open_store.hpp"
#include "service.hpp"
#include "temporary_folder.hpp"

namespace corbel::naming::test {

using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using CosNaming::NamingContextExt;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using ExtRef = IDL::traits<NamingContextExt>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

inline OrbRef make_orb(const std::string& id, std::vector<std::string> options) {
  options.insert(options.begin(), id);
  return CORBA::ORB_init(options, id);
}

/// A service with an ORB and a file of its own.
struct Server {
  explicit Server(const std::string& name, ServiceLimits service_limits = {}, StoreLimits store_limits = {},
                  std::vector<std::string> options = {})
      : kept(open_store({.data = folder.path() + "/names.db", .durability = Durability::process}, store_limits)),
        store(*kept),
        orb(make_orb(name, listening(std::move(options)))),
        service(orb, store, service_limits) {}
  ~Server() { orb->destroy(); }

  static std::vector<std::string> listening(std::vector<std::string> options) {
    options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    return options;
  }
  std::string reference() { return orb->object_to_string(service.root()); }
  std::uint16_t port() { return ior::decode_iiop_profile(ior::from_string(reference())->profiles.front())->port; }

  TemporaryFolder folder;
  std::unique_ptr<Store> kept;
  Store& store;
  OrbRef orb;
  Service service;
};

/// A service, a client that is in its process or as if it were not (the parameter), and the root context as that sees
/// it.
class ServiceFixture : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { start({}); }
  void TearDown() override {
    root_.reset();
    if (client_ != nullptr) client_->destroy();
  }
  void start(ServiceLimits limits, StoreLimits store_limits = {}) {
    root_.reset();
    server_.reset();
    server_ = std::make_unique<Server>("names", limits, store_limits);
    if (client_ == nullptr) client_ = make_orb("client", {"-ORBCollocation", GetParam()});
    root_ = IDL::traits<NamingContextExt>::narrow(client_->string_to_object(server_->reference()));
  }
  static Name name(const std::string& text) { return *parse_name(text); }
  ObjectRef object(const std::string& key) { return client_->string_to_object("corbaloc::127.0.0.1:1/" + key); }
  std::string text(const ObjectRef& reference) { return client_->object_to_string(reference); }
  ExtRef ext(const ContextRef& context) { return IDL::traits<NamingContextExt>::narrow(context); }

  /// "reason rest" of the NotFound that the call throws.
  template <class Call>
  std::string not_found(Call call) {
    try {
      call();
    } catch (const NamingContext::NotFound& exception) {
      constexpr const char* kReasons[] = {"missing_node", "not_context", "not_object"};
      return std::string(kReasons[static_cast<int>(exception.why())]) + " " + to_string(exception.rest_of_name());
    }
    return "found";
  }

  std::unique_ptr<Server> server_;
  OrbRef client_;
  ExtRef root_;
};

inline constexpr std::size_t kAll = 1 << 20;

inline NameComponent component(const std::string& id, const std::string& kind = "") {
  return NameComponent(id, kind);
}

inline Bound object(const std::string& reference) {
  return {BindingType::nobject, 0, reference};
}

inline Bound context(ContextId id) {
  return {BindingType::ncontext, id, {}};
}

/// Where a new PostgreSQL of this process is, its database empty; nothing if none is installed. Started when it is
/// first asked for. (postgres_test.cpp)
std::string empty_postgres();
/// The same as it is.
std::string postgres();
/// As a crash does, and again.
void stop_postgres();
void start_postgres();

/// Where an etcd of this process is, with a prefix that is new each time; nothing if it is not installed.
/// (etcd_test.cpp)
std::string empty_etcd();
void stop_etcd();
void start_etcd();

/// Likewise one with TLS, that asks for certificates and users; and how to get in. (etcd_secured_test.cpp)
std::string empty_etcds();
EtcdSecurity etcds_security();
void stop_etcds();
void start_etcds();

/// Opens a store whose calls have little time; more, the slower this machine is.
inline std::unique_ptr<Store> open_hasty(StorePlace place) {
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);; place.patience *= 2) {
    try {
      return open_store(place, {});
    } catch (const StoreError&) {
      if (std::chrono::steady_clock::now() > end) throw;
    }
  }
}

/// Of one of them, by name.
inline std::string empty_shared(const std::string& kind) {
  if (kind == "etcds") return empty_etcds();
  return kind == "etcd" ? empty_etcd() : empty_postgres();
}
inline EtcdSecurity shared_security(const std::string& kind) {
  return kind == "etcds" ? etcds_security() : EtcdSecurity();
}

/// The parameter says in which database: "SQLite", "PostgreSQL" or "etcd".
class StoreTest : public testing::TestWithParam<std::string> {
 protected:
  bool shared() const { return GetParam() != "SQLite"; }
  StorePlace place() const {
    StorePlace place;
    place.durability = Durability::process;
    place.data = folder_.path() + "/names.db";
    place.url = url_;
    return place;
  }
  void reopen(StoreLimits limits = {}) {
    store_.reset();
    store_ = open_store(place(), limits);
  }
  void SetUp() override {
    if (shared()) {
      url_ = empty_shared(GetParam());
      if (url_.empty()) GTEST_SKIP() << GetParam() << " is not installed, or this was built without it";
    }
    reopen();
  }

  ContextId made(ContextId parent, const std::string& name) {
    ContextId id = 0;
    EXPECT_EQ(store_->bind_new_context(parent, component(name), id), Outcome::done);
    return id;
  }

  TemporaryFolder folder_;
  std::string url_;
  std::unique_ptr<Store> store_;
};

}  // namespace corbel::naming::test
