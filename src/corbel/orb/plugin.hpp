// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/messaging/layer.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace PortableInterceptor {
class ORBInitializer;
}

/// What a plug-in includes: a shared object with message protocols and transports, which -ORBLoad FILE brings into an
/// ORB (ADR 4). It is compiled against this library's headers, uses the library that the program has, and stays loaded
/// as long as the process.
///
///     CORBEL_PLUGIN(parts) { parts.transports.push_back(std::make_shared<MyFactory>()); }
namespace corbel::orb {

/// The interface between this library and its plug-ins: the two ports and all that they name. Another number whenever
/// any of it changes; a plug-in with another number is refused before any of its functions is called,
/// but for the constructors of its static objects.
inline constexpr std::uint32_t kPluginAbi = 16;

/// What a plug-in brings. They come after those that the ORB has, in the order of preference. A name that is taken is
/// refused.
struct PluginParts {
  std::vector<std::shared_ptr<const messaging::Protocol>> protocols;
  std::vector<std::shared_ptr<const transport::Factory>> transports;
  /// What takes the place of protocols that the ORB has, and ORBInitializers of this ORB alone (Components). For ORBs
  /// that are being made only.
  std::vector<std::shared_ptr<const messaging::Layer>> layers;
  std::vector<base::SharedPtr<PortableInterceptor::ORBInitializer>> initialisers;
};

}  // namespace corbel::orb

/// Begins the one function of a plug-in, which adds to `PARTS` what it brings. Called once for each ORB_init that names
/// it, before the other options are read, perhaps by several threads at once; what it throws refuses the plug-in.
#define CORBEL_PLUGIN(PARTS)                                                            \
  extern "C" {                                                                          \
  [[gnu::visibility("default")]] extern const std::uint32_t corbel_plugin_abi;          \
  const std::uint32_t corbel_plugin_abi = ::corbel::orb::kPluginAbi;                    \
  [[gnu::visibility("default")]] void corbel_plugin(::corbel::orb::PluginParts& PARTS); \
  }                                                                                     \
  void corbel_plugin(::corbel::orb::PluginParts& PARTS)
