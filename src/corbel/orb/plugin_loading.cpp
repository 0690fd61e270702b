// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin_loading.hpp"

#include <exception>
#include <string_view>
#include <utility>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/shared_object.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/plugin.hpp"

namespace corbel::orb {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw CORBA::INITIALIZE(corba::vendor_minor(base::Stage::configure, base::Code::unsupported),
                          CORBA::CompletionStatus::COMPLETED_NO, "-ORBLoad " + file + ": " + why);
}

/// Names stand in endpoints, "giop+tcp://", and in options.
bool is_name(std::string_view name) noexcept {
  constexpr std::string_view kLegal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
  return !name.empty() && name.find_first_not_of(kLegal) == std::string_view::npos;
}

/// What cannot be used of it; empty if all can.
std::string unusable(const PluginParts& parts) {
  std::string why;
  const auto look_at = [&](const auto& all, const char* kind, auto name_of) {
    constexpr std::size_t kMostOfName = 100;
    for (const auto& each : all) {
      if (each == nullptr) {
        why = std::string("a ") + kind + " that is nil";
      } else if (const std::string_view name = name_of(*each); !is_name(name)) {
        why = std::string("a ") + kind + " '" + base::printable(name, kMostOfName) +
              "': a name has letters, digits, '_', '-' and '.'";
      }
    }
  };
  look_at(parts.protocols, "protocol", [](auto& one) { return one.name(); });
  look_at(parts.transports, "transport", [](auto& one) { return one.scheme(); });
  look_at(parts.layers, "layer", [](auto& one) { return one.name(); });
  for (const auto& each : parts.initialisers) {
    if (each == nullptr) why = "an initialiser that is nil";
  }
  return why;
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
  if (const std::string why = unusable(parts); !why.empty()) refuse(file, "it brings " + why);
  return parts;
}

/// Adds the part behind those that are there. Returns why not; empty if it has been added.
template <class Part, class NameOf>
std::string add_part(std::vector<Part>& all, Part part, const char* kind, NameOf name_of) {
  for (const Part& each : all) {
    if (each != nullptr && name_of(*each) == name_of(*part)) {
      return std::string("a ").append(kind).append(" '").append(name_of(*part)).append("', which is there");
    }
  }
  all.push_back(std::move(part));
  return {};
}

std::string add_parts(PluginParts parts, Components& components) {
  std::string why;
  for (auto& each : parts.protocols) {
    if (why.empty())
      why = add_part(components.protocols, std::move(each), "protocol", [](auto& one) { return one.name(); });
  }
  for (auto& each : parts.transports) {
    if (why.empty()) {
      why = add_part(components.transports, std::move(each), "transport", [](auto& one) { return one.scheme(); });
    }
  }
  for (auto& each : parts.layers) {
    if (why.empty()) why = add_part(components.layers, std::move(each), "layer", [](auto& one) { return one.name(); });
  }
  components.initialisers.insert(components.initialisers.end(), parts.initialisers.begin(), parts.initialisers.end());
  return why.empty() ? option_clash(components.transports, components.layers) : why;
}

}  // namespace

void load_plugins(const std::vector<std::string>& files, Components& components) {
  for (const std::string& file : files) {
    const std::string why = add_parts(parts_of(file), components);
    if (!why.empty()) refuse(file, "it brings " + why);
  }
}

void load_plugin(Core& core, const std::string& file) {
  PluginParts parts = parts_of(file);
  if (!parts.layers.empty() || !parts.initialisers.empty())
    refuse(file, "what it brings is for ORBs that are being made");
  const std::string why = core.add(parts.protocols, std::move(parts.transports));
  if (!why.empty()) refuse(file, "it brings " + why);
}

}  // namespace corbel::orb
