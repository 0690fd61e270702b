// SPDX-License-Identifier: Apache-2.0
// Both ends of a ring in shared memory whose peers write into it what they like: each step is an octet that says what
// happens, and two that say how much, or where and what is written.
#include <new>

#include "corbel/ipc/ring.hpp"

namespace {

using namespace corbel;

constexpr std::size_t kCapacity = 64;
constexpr std::size_t kArea = ipc::RingEnd::area_size(kCapacity);
constexpr std::align_val_t kAligned{64};

/// Once the other side's count has been impossible nothing is moved any more.
struct Broken {
  void note(bool moves, base::Error error) {
    if (broken && moves) __builtin_trap();
    broken = broken || error.code == base::Code::malformed;
  }
  template <class Result>
  void note(const Result& result) {
    note(result && *result != 0, result ? base::Error() : result.error());
  }
  bool broken = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Deadline at_once = base::Deadline::now();
  auto* const area = new (kAligned) base::Octet[kArea]();
  {
    auto producer = *ipc::RingProducer::attach(base::ByteSpan(area, kArea));
    auto consumer = *ipc::RingConsumer::attach(base::ByteSpan(area, kArea));
    Broken sends, receives;
    for (base::ConstByteSpan left(data, size); left.size() >= 3; left = left.subspan(3)) {
      const base::Bytes octets(left[1], left[2]);  // of their own size, so that what goes beyond is noticed
      switch (left[0] % 8) {
        case 0: {
          if (octets.empty()) break;
          const auto sent = producer.send(octets, at_once);
          if (sent && (*sent == 0 || *sent > octets.size() || *sent > kCapacity)) __builtin_trap();
          sends.note(sent);
          break;
        }
        case 1: {
          base::Bytes room(octets);
          if (room.empty()) break;
          const auto received = consumer.recv(room, at_once);
          if (received && (*received > room.size() || *received > kCapacity)) __builtin_trap();
          receives.note(received);
          break;
        }
        case 2: {
          const auto there = consumer.wait(at_once);
          if (there && *there > kCapacity) __builtin_trap();
          receives.note(there);
          break;
        }
        case 3:
          (void)producer.arm();
          (void)consumer.arm();
          break;
        case 4:
          if (left[1] % 8 == 0) producer.peer_died();
          if (left[1] % 8 == 1) consumer.peer_died();
          break;
        default:  // mostly: a hostile peer
          area[left[1] % kArea] = left[2];
      }
    }
    producer.close();
    consumer.close();
  }
  ::operator delete[](area, kAligned);
  return 0;
}
