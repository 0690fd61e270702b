// SPDX-License-Identifier: Apache-2.0
// References as parameters: they name objects of this process, and are called as whatever the parameter's type says.
// The first octets choose the stub, the operation, the object and an octet of its profile to be changed; the rest is
// the argument.
#include <iterator>

#include "corbel/ior/ior.hpp"
#include "corbel/orb/core.hpp"
#include "servants.hpp"

namespace {

using namespace corbel;                   // NOLINT: one small program
using namespace corbel::collocated_test;  // NOLINT: one small program

struct Objects : Server {
  Objects() : Server("fuzz", "on") {}
  std::vector<ObjectRef> all = {first, second, poa->create_reference("IDL:Nobody:1.0")};
};

/// What arrives as a parameter of type I: the object's reference, with the octet changed.
template <class I>
CORBA::object_reference<I> arrived(Objects& objects, const std::uint8_t* choice) {
  ior::Ior ior = objects.all[choice[2] % objects.all.size()]->_target()->ior();
  for (auto& profile : ior.profiles) {
    if (!profile.data.empty()) profile.data[choice[3] % profile.data.size()] ^= choice[4];
  }
  cdr::Encoder encoder;
  ior::encode(encoder, ior);
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  decoder.set_context(&objects.orb->_core().context());
  CORBA::object_reference<I> result;
  mapping::Codec<CORBA::object_reference<I>>::decode(decoder, result);
  return result;
}

void call(One::Peer& peer, std::uint8_t which, const One::Numbers& numbers, const std::string& text) {
  if (which % 4 == 0) {
    peer.put(numbers);
  } else if (which % 4 == 1) {
    peer.bounded(text);
  } else if (which % 4 == 2) {
    peer.note(text);
  } else {
    peer.view(numbers);
  }
}
void call(Two::Peer& peer, std::uint8_t which, const One::Numbers& numbers, const std::string& text) {
  if (which % 4 == 0) {
    peer.twice(text);
  } else if (which % 4 == 1) {
    Two::Item item(text, text);
    std::string n;
    peer.swap(item, n);
  } else if (which % 4 == 2) {
    peer.anything(text);
  } else {
    peer.view(Two::Numbers(numbers.begin(), numbers.end()));
  }
}

template <class I>
void try_all(Objects& objects, const std::uint8_t* choice, const One::Numbers& numbers, const std::string& text) {
  const auto peer = arrived<I>(objects, choice);
  if (peer == nullptr || !peer->_target()->is_local()) return;  // the octet led elsewhere
  outcome([&] { return call(*peer, choice[1], numbers, text), std::string(); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Objects objects;
  if (size < 8) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 8, size - 8);
  const One::Numbers numbers(data + 8, data + size);
  if (data[0] % 2 == 0) {
    try_all<One::Peer>(objects, data, numbers, text);
    const auto peer = arrived<One::Peer>(objects, data);
    if (peer == nullptr) return 0;
    const auto action = std::next(kActions.begin(), data[1] % static_cast<std::ptrdiff_t>(kActions.size()));
    if (peer->_target()->is_local() && action->first != "put") outcome([&] { return action->second(*peer); });
  } else {
    try_all<Two::Peer>(objects, data, numbers, text);
  }
  return 0;
}
