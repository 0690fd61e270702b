// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin_loading.hpp"

#include <algorithm>
#include <exception>
#include <string_view>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/shared_object.hpp"
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

/// Adds those of `more`, unless one has a name that is taken.
template <class Part, class Name>
void add(const std::string& file, std::vector<Part>& all, const std::vector<Part>& more, std::string_view kind,
         const Name& name) {
  for (const Part& part : more) {
    if (part == nullptr) refuse(file, "it brings a " + std::string(kind) + " that is nil");
    const bool taken = std::any_of(all.begin(), all.end(), [&](const Part& one) { return name(one) == name(part); });
    if (taken) refuse(file, "it brings a " + std::string(kind) + " '" + std::string(name(part)) + "', which is there");
    all.push_back(part);
  }
}

}  // namespace

void load_plugins(const std::vector<std::string>& files, Components& components) {
  for (const std::string& file : files) {
    const PluginParts parts = parts_of(file);
    add(file, components.protocols, parts.protocols, "protocol", [](const auto& one) { return one->name(); });
    add(file, components.transports, parts.transports, "transport", [](const auto& one) { return one->scheme(); });
  }
}

}  // namespace corbel::orb
