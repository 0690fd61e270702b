// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/logging.hpp"
#include "eventually.hpp"
#include "log_server.hpp"

namespace corbel::log_test {

using base::LogLevel;
using base::LogModule;
using test::eventually;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ThingRef = IDL::traits<Logged::Thing>::ref_type;

class ThingImpl : public virtual CORBA::servant_traits<Logged::Thing>::base_type {
 public:
  std::int32_t add(std::int32_t a, std::int32_t b) override { return a + b; }
  std::string say(const std::string& text) override { return text; }
  void fail(std::int32_t kind, const std::string& why) override {
    switch (kind) {
      case 0:
        throw std::runtime_error(why);
      case 1:
        throw kind;
      case 2:
        throw Logged::Undeclared(7);
      case 3:
        throw Logged::Oops(why);
      case 4:
        throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO, why);
      case 5:
        throw std::bad_alloc();
      default:
        throw Logged::Oops(std::string("a\0b", 3));
    }
  }
  void note(std::int32_t kind) override { fail(kind, "in a oneway"); }
  void tell(const std::string&) override {}
  std::string big(std::uint32_t size, bool sound) override {
    wait();
    return std::string(size, sound ? 'x' : '\0');
  }
  std::uint32_t keep(const Logged::Lists& all) override {
    wait();
    return static_cast<std::uint32_t>(all.size());
  }

  void take(IDL::traits<Logged::Held>::ref_type) override {}

  /// Whether big() and keep() may return.
  void open(bool whether = true) {
    const std::lock_guard lock(mutex_);
    open_ = whether;
    changed_.notify_all();
  }

  std::atomic<int> inside{0};  ///< calls of these so far

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    ++inside;
    changed_.wait(lock, [this] { return open_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
};

/// An ORB whose log is kept.
class LoggingOrb {
 public:
  /// `change`: of what the ORB is made of.
  explicit LoggingOrb(std::vector<std::string> options, const std::string& level = "trace",
                      const std::function<void(corbel::orb::Components&)>& change = {}) {
    static int number = 0;
    id_ = "logging " + std::to_string(++number);
    options.insert(options.begin(), {"program", "-ORBLogLevel", level, "-ORBLogRate", "0"});
    auto components = builtins::components();
    components.log_sink = log;
    if (change) change(components);
    orb = corbel::orb::init(options, id_, components);
  }
  ~LoggingOrb() { end(); }
  void end() {
    if (orb != nullptr) orb->destroy();
    orb = nullptr;
  }
  const std::string& id() const { return id_; }
  ThingRef thing(const std::string& reference) const {
    return IDL::traits<Logged::Thing>::unchecked_narrow(orb->string_to_object(reference));
  }

  std::shared_ptr<base::KeptLog> log = std::make_shared<base::KeptLog>();
  OrbRef orb;

 private:
  std::string id_;
};

/// One that has a Thing to call.
class Server : public LoggingOrb {
 public:
  explicit Server(std::vector<std::string> options = {"-ORBListenEndpoints", "tcp://127.0.0.1:0"},
                  const std::string& level = "trace")
      : LoggingOrb(std::move(options), level) {
    poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<ThingImpl>();
    object_id = poa->activate_object(servant);
    reference = orb->object_to_string(poa->servant_to_reference(servant));
    poa->the_POAManager()->activate();
  }

  ~Server() { servant->open(); }

  PoaRef poa;
  CORBA::servant_reference<ThingImpl> servant;
  PortableServer::ObjectId object_id;
  std::string reference;
};

using Fields = std::vector<std::pair<std::string, std::string>>;

/// Waits for a record of this event of this module with these fields: names and what their values contain; empty: there
/// must be some value.
inline void expect_event(const LoggingOrb& orb, LogLevel level, LogModule module, const char* event,
                         const Fields& fields) {
  const auto is_it = [&](const base::KeptLog::Entry& entry) {
    return entry.event == event && entry.module == module && std::ranges::all_of(fields, [&](const auto& field) {
             const std::string value = entry.value(field.first);
             return value != "(none)" && !value.empty() && value.find(field.second) != std::string::npos;
           });
  };
  const auto find = [&] {
    const auto all = orb.log->entries();
    const auto found = std::ranges::find_if(all, is_it);
    return found == all.end() ? base::KeptLog::Entry() : *found;
  };
  (void)eventually([&] { return !find().event.empty(); });
  const auto entry = find();
  if (!entry.event.empty()) {
    EXPECT_EQ(entry.level, level) << event << ": not logged at this level";
    EXPECT_EQ(entry.orb, orb.id()) << event;
    return;
  }
  std::string others;
  for (const auto& each : orb.log->entries()) {
    if (each.event != event) continue;
    others += "\n  of module " + std::to_string(static_cast<int>(each.module));
    for (const auto& [name, value] : each.fields) others += ' ' + name + '=' + value;
  }
  std::string wanted;
  for (const auto& [name, value] : fields) wanted += ' ' + name + '=' + value;
  ADD_FAILURE() << event << ": none of module " << static_cast<int>(module) << " with" << wanted
                << "; there are:" << others;
}

/// Where a reference leads, for peers made by hand.
struct Target {
  explicit Target(const std::string& reference) {
    const auto iiop = *ior::decode_iiop_profile(ior::from_string(reference)->profiles.at(0));
    port = iiop.port;
    key.assign(iiop.object_key.begin(), iiop.object_key.end());
  }
  std::uint16_t port = 0;
  std::string key;
};

/// Runs what is expected to throw a CORBA exception; what it says.
template <class Run>
std::string refusal_of(const Run& run) {
  try {
    run();
  } catch (const CORBA::Exception& exception) {
    return exception.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace corbel::log_test
