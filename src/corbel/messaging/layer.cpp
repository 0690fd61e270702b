// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/layer.hpp"

namespace corbel::messaging {

Layer::~Layer() = default;

}  // namespace corbel::messaging
