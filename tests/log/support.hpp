// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corbel/base/kept_log.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/orb/logging.hpp"
#include "log_server.hpp"

namespace corbel::log_test {

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
};

/// An ORB whose log is kept.
class LoggingOrb {
 public:
  explicit LoggingOrb(std::vector<std::string> options, const std::string& level = "trace") {
    static int number = 0;
    id_ = "logging " + std::to_string(++number);
    options.insert(options.begin(), {"program", "-ORBLogLevel", level, "-ORBLogRate", "0"});
    std::vector<char*> argv;
    for (auto& option : options) argv.push_back(option.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(options.size());
    auto components = builtins::components();
    components.log_sink = log;
    orb = CORBA::ORB_init(argc, argv.data(), id_, components);
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

  PoaRef poa;
  CORBA::servant_reference<ThingImpl> servant;
  PortableServer::ObjectId object_id;
  std::string reference;
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
