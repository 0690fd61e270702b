// SPDX-License-Identifier: Apache-2.0
// The consumer's end of a ring sends nothing.
#include "corbel/ipc/ring.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(RingConsumer& consumer, RingProducer& producer, corbel::base::ConstByteSpan data) {
#ifdef BAD
  (void)producer;
  return consumer.send(data);
#else
  (void)consumer;
  return producer.send(data);
#endif
}
