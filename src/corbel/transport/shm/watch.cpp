// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/watch.hpp"

namespace corbel::transport::shm {

base::Result<std::shared_ptr<Watch>> Watch::get() {
  static auto* const kCurrent = new OfProcess<Watch>;  // until the end: transports may go in any order
  return kCurrent->get();
}

}  // namespace corbel::transport::shm
