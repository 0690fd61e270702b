// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin_loading.hpp"

#include <exception>
#include <utility>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/shared_object.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/plugin.hpp"

namespace corbel::orb {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw CORBA::INITIALIZE(corba::vendor_minor(base::Stage::configure, base::Code::unsupported),
                          CORBA::CompletionStatus::COMPLETED_NO, "-ORBLoad " + file + ": " + why);
}

PluginParts parts_of(const std::string& file) {
  const ipc::SharedObject object(file);
  if (!object) refuse(file, object.why());
  const auto* abi = static_cast<const std::uint32_t*>(object.find("corbel_plugin_abi"));
  const auto make = reinterpret_cast<void (*)(PluginParts&)>(object.find("corbel_plugin"));
  if (abi == nullptr || make == nullptr) refuse(file, "this is no plug-in: it has no CORBEL_PLUGIN");
  if (*abi != kPluginAbi) {
    refuse(file, "it was built for interface " + std::to_string(*abi) + ", this library has interface " +
                     std::to_string(kPluginAbi) + ": build it against this library's headers");
  }
  PluginParts parts;
  try {
    make(parts);
  } catch (const std::exception& exception) {
    refuse(file, std::string("it failed: ") + exception.what());
  } catch (...) {
    refuse(file, "it failed");
  }
  return parts;
}

}  // namespace

void load_plugin(Core& core, const std::string& file) {
  PluginParts parts = parts_of(file);
  const std::string why = core.add(parts.protocols, std::move(parts.transports));
  if (!why.empty()) refuse(file, "it brings " + why);
}

}  // namespace corbel::orb
