// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/poa/poa.hpp"
#include "eventually.hpp"
#include "shipped.hpp"
#include "siege_server.hpp"

/// Real ORBs, and a servant that counts the threads inside.
namespace corbel::siege {

using namespace std::chrono_literals;
using test::eventually;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using CastleRef = IDL::traits<Siege::Castle>::ref_type;

inline OrbRef make_orb(const std::string& id, std::vector<std::string> arguments = {}) {
  return orb::init(
      arguments, id,
      {{messaging::make_giop(), messaging::make_giop_lite()}, test::shipped_transports(), &poa::make_adapter});
}

class CastleServant : public virtual CORBA::servant_traits<Siege::Castle>::base_type {
 public:
  std::int32_t fast(std::int32_t number) override {
    const Inside here(*this);
    ++fast_calls;
    last_thread = std::this_thread::get_id();
    return number;
  }
  std::int32_t slow(std::int32_t number) override {
    const Inside here(*this);
    ++slow_calls;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
    return number;
  }
  Siege::Octets big(std::uint32_t size) override {
    const Inside here(*this);
    ++big_calls;
    return Siege::Octets(size, 0x42);
  }
  Siege::Octets slow_and_big(std::uint32_t size) override {
    slow(0);
    return Siege::Octets(size, 0x42);
  }
  std::uint32_t take(const Siege::Octets& data) override { return static_cast<std::uint32_t>(data.size()); }
  std::uint32_t keep(const Siege::Lists& lists) override {
    slow(0);
    return static_cast<std::uint32_t>(lists.size());
  }
  void drop(const Siege::Lists&) override { ++dropped; }
  Siege::Lists empty_lists(std::uint32_t count) override { return Siege::Lists(count); }
  std::int32_t stop() override {
    ++stops;
    on_stop();
    return 42;
  }
  std::int32_t nest(CastleRef back, std::int32_t levels) override {
    return levels == 0 ? 0 : 1 + back->nest(_this(), levels - 1);
  }

  /// Lets all slow calls go on, those to come, too.
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  /// Slow calls wait again.
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

  std::atomic<int> fast_calls{0};
  std::atomic<std::thread::id> last_thread;  ///< of them
  std::atomic<int> slow_calls{0};
  std::atomic<int> big_calls{0};
  std::atomic<int> stops{0};
  std::atomic<int> dropped{0};
  std::atomic<int> inside{0};
  std::atomic<int> most_inside{0};
  std::function<void()> on_stop = [] {};

 private:
  struct Inside {
    explicit Inside(CastleServant& self) : self_(self) {
      const int now = ++self_.inside;
      int most = self_.most_inside;
      while (now > most && !self_.most_inside.compare_exchange_weak(most, now)) {
      }
    }
    ~Inside() { --self_.inside; }
    CastleServant& self_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// A server, and the thread that runs it.
class Server {
 public:
  explicit Server(std::vector<std::string> options = {}, const std::string& endpoint = "tcp://127.0.0.1:0",
                  const std::string& id = "server") {
    options.insert(options.end(), {"-ORBListenEndpoints", endpoint, "-ORBCollocation", "off"});
    orb = make_orb(id, options);
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<CastleServant>();
    poa->activate_object(servant);
    reference = orb->object_to_string(poa->servant_to_reference(servant));
    poa->the_POAManager()->activate();
    servant->on_stop = [this] { orb->shutdown(false); };
    runner_ = std::thread([this] {
      try {
        orb->run();
      } catch (const CORBA::BAD_INV_ORDER&) {  // it was ended before this thread came here
      }
    });
  }
  ~Server() {
    servant->open();
    orb->shutdown(false);
    wait();
    orb->destroy();
  }
  /// Until run() has returned.
  void wait() {
    if (runner_.joinable()) runner_.join();
  }

  OrbRef orb;
  CORBA::servant_reference<CastleServant> servant;
  std::string reference;

 private:
  std::thread runner_;
};

/// Where a reference leads, for peers made by hand.
struct Target {
  explicit Target(const std::string& reference) {
    const auto all = *ior::from_string(reference);
    for (const auto& profile : all.profiles) {
      if (profile.tag != static_cast<std::uint32_t>(ior::ProfileTag::internet_iop)) continue;
      const auto iiop = *ior::decode_iiop_profile(profile, {});
      port = iiop.port;
      key.assign(iiop.object_key.begin(), iiop.object_key.end());
    }
  }
  std::uint16_t port = 0;
  std::string key;
};

class Client {
 public:
  explicit Client(const std::string& reference, std::vector<std::string> options = {}, const std::string& id = "client")
      : orb(make_orb(id, std::move(options))),
        castle(IDL::traits<Siege::Castle>::unchecked_narrow(orb->string_to_object(reference))) {}
  ~Client() {
    castle.reset();
    orb->destroy();
  }

  OrbRef orb;
  CastleRef castle;
};

}  // namespace corbel::siege
