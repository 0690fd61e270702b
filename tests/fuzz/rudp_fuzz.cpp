// SPDX-License-Identifier: Apache-2.0
// Datagrams of a peer that knows its token and lies, to both sides of a conversation over UDP: each begins with its
// size and how much later it comes. They are made to look undamaged.
#include <algorithm>
#include <array>

#include "corbel/transport/rudp/conversation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  using namespace corbel::transport::rudp;
  constexpr std::uint64_t kToken = 0x0102030405060708;
  const Terms terms{.send_buffer = 8'192, .receive_buffer = 8'192};
  Time now = std::chrono::seconds(1);
  Conversation client(kToken, terms, now), server(kToken, Offer{7, 1'000, 4'096}, terms, now);
  base::Bytes room(kSafeDatagram);
  std::array<base::Octet, 1'000> octets{};
  for (base::ConstByteSpan left(data, size); left.size() >= 2;) {
    const std::size_t length = std::min<std::size_t>(left[0], left.size() - 2);
    now += std::chrono::milliseconds(left[1] * left[1]);
    base::Bytes datagram(left.begin() + 2, left.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    left = left.subspan(2 + length);
    datagram.resize(std::max(length, kHeaderSize));
    seal(datagram);
    const auto heard = read(datagram);
    for (Conversation* each : {&client, &server}) {
      if (heard) each->hear(*heard, now);
      each->expire(now);
      (void)each->put(octets);
      while (each->next(room, now) != 0) {
      }
      (void)each->read(octets);
      if (each->due() <= now && !each->is_over()) __builtin_trap();  // it would be asked again and again
    }
  }
  client.finish();
  server.release(now);
  while (client.next(room, now) + server.next(room, now) != 0) {
  }
  return 0;
}
