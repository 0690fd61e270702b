// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/messaging/layer.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::base {
class LogSink;
}
namespace corbel::connection {
class RequestHandler;
}

namespace corbel::orb {

/// What the core of an ORB is made of; Components has more for applications, and says what else each is.
struct CoreParts {
  std::vector<std::shared_ptr<const messaging::Protocol>> protocols;
  std::vector<std::shared_ptr<const transport::Factory>> transports;
  std::vector<std::shared_ptr<const messaging::Layer>> layers;
  std::shared_ptr<connection::RequestHandler> requests;
  std::shared_ptr<base::LogSink> log_sink;  ///< null: the standard error output
};

}  // namespace corbel::orb
