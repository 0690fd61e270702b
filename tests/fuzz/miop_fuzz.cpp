// SPDX-License-Identifier: Apache-2.0
// Datagrams that come to a group from two senders: each begins with its size (two octets) and one that says how much
// later it comes, and in its lowest bit from whom.
#include <algorithm>

#include "corbel/transport/multicast/reassembly.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  using namespace corbel::transport::multicast;
  const Reassembly::Limits limits{
      .message = 4'096, .packets = 16, .of_sender = 3, .messages = 4, .octets = 8'192, .age = std::chrono::seconds(1)};
  const ipc::InetAddress senders[] = {*ipc::InetAddress::parse("192.0.2.1", 1000),
                                      *ipc::InetAddress::parse("2001:db8::2", 1000)};
  Reassembly reassembly(limits);
  std::int64_t now = 1'000'000'000;
  for (base::ConstByteSpan left(data, size); left.size() >= 3;) {
    const std::size_t length = std::min<std::size_t>(left[0] * 256U + left[1], left.size() - 3);
    now += (left[2] >> 1) * std::int64_t{10'000'000};
    // In memory of its own, so that what is read beyond its end is noticed.
    const base::Bytes datagram(left.begin() + 3, left.begin() + 3 + static_cast<std::ptrdiff_t>(length));
    const base::ConstByteSpan whole = reassembly.take(datagram, senders[left[2] & 1], now);
    left = left.subspan(3 + length);
    if (whole.size() > limits.message || reassembly.incomplete() > limits.messages ||
        reassembly.octets() > limits.octets) {
      __builtin_trap();
    }
    if (base::Bytes(whole.begin(), whole.end()).size() != whole.size()) __builtin_trap();  // all of it can be read
  }
  return 0;
}
