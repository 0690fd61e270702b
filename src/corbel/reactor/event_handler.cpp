// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/event_handler.hpp"

namespace corbel::reactor {

EventHandler::~EventHandler() = default;

}  // namespace corbel::reactor
