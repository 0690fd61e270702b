// SPDX-License-Identifier: Apache-2.0
#include "suites/steps.hpp"

namespace bench {
namespace {

struct Rule {
  const char* part;  ///< of a function's name
  const char* step;
};
/// The first that fits counts.
constexpr Rule kRules[] = {
    {"mapping::detail::dispatch", "lookup"},
    {"mapping::dispatch", "lookup"},
    {"Operations::find", "lookup"},
    {"memcmp", "lookup"},  // object keys are not compared by calls
    {"strcmp", "lookup"},
    {"strMatch", "lookup"},
    {"::_dispatch", "lookup"},  // omniORB's skeletons, which have the comparisons inside; Corbel's are a call
    {"corbel::mapping::", "skeleton"},
    {"corbel::poa::", "adapter"},
    {"corbel::orb::", "adapter"},
    {"corbel::corba::", "adapter"},
    {"PortableServer::", "adapter"},
    {"corbel::messaging::", "message"},
    {"corbel::cdr::", "message"},
    {"corbel::", "connection"},
    {"omniOrbPOA", "adapter"},
    {"omniObj", "adapter"},
    {"omniLocalIdentity", "adapter"},
    {"omniServant", "adapter"},
    {"omniIdentity", "adapter"},
    {"omniCall", "skeleton"},
    {"_0RL_", "skeleton"},
    {"omni::giopImpl", "message"},
    {"omni::GIOP", "message"},
    {"cdr", "message"},
    {"CodeSet", "message"},
    {"omni", "connection"},
    {"hundred", "skeleton"},
    {"Hundred::", "skeleton"},
    {"(anonymous)::dispatch", "lookup"},  // RPC's switch
    {"operation", "skeleton"},
    {"procedure", "skeleton"},
    {"xdr", "message"},
    {"svc", "connection"},
    {"poll", "connection"},
};

}  // namespace

std::string step_of(const std::string& function) {
  for (const Rule& rule : kRules) {
    if (function.find(rule.part) != std::string::npos) return rule.step;
  }
  return "system";
}

}  // namespace bench
