// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/messaging/layer.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::base {
class LogSink;
}

namespace corbel::connection {
class RequestHandler;
}
namespace PortableInterceptor {
class ORBInitializer;
}

namespace corbel::orb {

class Core;
class ObjectAdapter;
struct Components;
struct Options;

/// Take part in making an ORB.
using Initialisers = std::vector<base::SharedPtr<PortableInterceptor::ORBInitializer>>;

/// Makes what serves the requests of an ORB; called once, when the ORB is created. `poa` ships one.
using AdapterFactory = std::unique_ptr<ObjectAdapter> (*)(Core& core);

/// An initial reference to a local object, made whenever it is asked for.
struct LocalInitialReference {
  std::string_view name;
  CORBA::object_reference<CORBA::Object> (*make)(corba::OrbContext& orb);
};

/// Components::load_plugins: adds what the plug-ins bring (-ORBLoad) behind what is there. Throws INITIALIZE, which
/// says what is wrong with which file.
CORBEL_API void load_plugins(const std::vector<std::string>& files, Components& components);
/// Components::open_log: `own`, on a thread of its own, or if that is null what -ORBLogFile names. Throws INITIALIZE if
/// that cannot be written.
CORBEL_API std::shared_ptr<base::LogSink> open_log(const Options& options, std::shared_ptr<base::LogSink> own);

/// The message protocols and transports that an ORB is built from, in order of preference, its object adapter, and the
/// local objects that resolve_initial_references gives out. `builtins` lists what ships; an application passes its own
/// to ORB_init.
struct Components {
  std::vector<std::shared_ptr<const messaging::Protocol>> protocols;
  std::vector<std::shared_ptr<const transport::Factory>> transports;
  AdapterFactory make_adapter = nullptr;  ///< nullptr: a client without object adapters
  std::vector<LocalInitialReference> local_references = {};
  /// Takes part in making an ORB, last of all; may install hooks. May throw. `arguments`: of ORB_init, without the
  /// ORB's. `own`: the initialisers below.
  void (*initialise)(Core& core, const std::vector<std::string>& arguments, const Initialisers& own) = nullptr;
  /// Takes all requests that come over connections, octets and headers as they are, before and instead of the object
  /// adapter (corbel/bridge); null: the adapter has them.
  std::shared_ptr<connection::RequestHandler> requests = {};
  std::shared_ptr<base::LogSink> log_sink = {};  ///< the application's own (corbel/orb/logging.hpp)
  /// Each over the protocol of its name, the first nearest to it.
  std::vector<std::shared_ptr<const messaging::Layer>> layers = {};
  /// Of these ORBs alone, after those of the process. None is null.
  Initialisers initialisers = {};
  // For programs that are to be small: what these name is linked only where they do. Null, the option is refused with
  // INITIALIZE.

  void (*load_plugins)(const std::vector<std::string>& files,
                       Components& components) = &orb::load_plugins;  ///< -ORBLoad
  /// -ORBLogFile, and log_sink. Null: lines go to the standard error output.
  std::shared_ptr<base::LogSink> (*open_log)(const Options& options,
                                             std::shared_ptr<base::LogSink> own) = &orb::open_log;
};

}  // namespace corbel::orb
