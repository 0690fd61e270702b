// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/poa/poa.hpp"
#include "corbel/transport/inproc/inproc.hpp"

/// Real ORBs over the in-process transport, and a servant with one operation.
namespace corbel::poa::testing {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ServantRef = IDL::traits<PortableServer::Servant>::ref_type;
using PortableServer::ObjectId;
namespace minor = corba::minor;

inline constexpr std::string_view kProbeId = "IDL:corbel.test/Probe:1.0";

inline OrbRef make_orb(const std::string& id, std::vector<std::string> arguments = {}) {
  static const auto hub = transport::make_inproc_hub();
  if (std::find(arguments.begin(), arguments.end(), "-ORBListenEndpoints") == arguments.end()) {
    arguments.insert(arguments.end(), {"-ORBListenEndpoints", "inproc://"});
  }
  return orb::init(arguments, id, {{messaging::make_giop()}, {transport::make_inproc(hub)}, &make_adapter});
}

/// "number": hands its argument to `action` and answers what that returns.
class Probe : public PortableServer::Servant {
 public:
  using Action = std::function<std::int32_t(std::int32_t)>;
  explicit Probe(Action action = [](std::int32_t n) { return n + 1; }) : action_(std::move(action)) {}
  ~Probe() override { ++destroyed; }

  bool _dispatch(corba::ServerCall& call) override {
    if (call.operation() != "number") return false;
    if (void* const* local = call.local_arguments()) {
      *static_cast<std::int32_t*>(local[0]) = action_(*static_cast<std::int32_t*>(local[1]));
      return true;
    }
    const auto argument = call.arguments().get<std::int32_t>();
    call.check_arguments();
    const std::int32_t result = action_(argument);
    call.reply([&](cdr::Encoder& encoder) { encoder.put(result); });
    return true;
  }
  std::span<const std::string_view> _interface_ids() const noexcept override {
    static constexpr std::string_view kIds[] = {kProbeId, "IDL:omg.org/CORBA/Object:1.0"};
    return kIds;
  }

  static inline std::atomic<int> destroyed{0};

 private:
  Action action_;
};

inline void invoke(const ObjectRef& object, const corba::Operation& operation, std::int32_t& result,
                   std::int32_t argument) {
  void* const local[] = {&result, &argument};
  const auto encode = [&](cdr::Encoder& encoder) { encoder.put(argument); };
  const auto decode = [&](cdr::Decoder& decoder) { result = decoder.get<std::int32_t>(); };
  object->_target()->invoke({operation, encode, decode, local});
}

inline std::int32_t number(const ObjectRef& object, std::int32_t argument = 0) {
  static constexpr corba::Operation kNumber{"number"};
  std::int32_t result = -1;
  invoke(object, kNumber, result, argument);
  return result;
}

/// A reference to a probe that need not exist.
inline ObjectRef reference(const PoaRef& poa, const std::string& id) {
  return poa->create_reference_with_id(PortableServer::string_to_ObjectId(id), std::string(kProbeId));
}

/// The exception's name and minor code as text ("TRANSIENT 0x4f4d0001"), or "none".
template <class F>
std::string outcome(F&& action) {
  try {
    action();
  } catch (const CORBA::SystemException& exception) {
    char text[64];
    std::snprintf(text, sizeof text, "%s 0x%08x", exception._name(), exception.minor());
    return text;
  } catch (const CORBA::UserException& exception) {
    return exception._name();
  }
  return "none";
}

/// An ORB whose calls to its own objects are direct ("local") or go through GIOP and a connection ("remote").
class PoaTest : public ::testing::TestWithParam<const char*> {
 protected:
  explicit PoaTest(const char* hold_timeout = "30")
      : orb(make_orb(
            std::string("poa_test_") + GetParam(),
            {"-ORBCollocation", std::string(GetParam()) == "local" ? "on" : "off", "-ORBHoldTimeout", hold_timeout})) {
    root->the_POAManager()->activate();
  }
  ~PoaTest() override {
    root = nullptr;
    if (orb != nullptr) orb->destroy();
  }

  using Policy = IDL::traits<CORBA::Policy>::ref_type;
  Policy processing(PortableServer::RequestProcessingPolicyValue value) {
    return root->create_request_processing_policy(value);
  }
  Policy managed() { return processing(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER); }
  Policy user_ids() { return root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID); }
  Policy multiple() { return root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID); }
  Policy persistent() { return root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT); }
  Policy non_retain() {
    return root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN);
  }
  PoaRef child(const std::string& name, CORBA::PolicyList policies) {
    return root->create_POA(name, root->the_POAManager(), policies);
  }

  OrbRef orb;
  PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
};

}  // namespace corbel::poa::testing
