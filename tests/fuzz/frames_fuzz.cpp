// SPDX-License-Identifier: Apache-2.0
// Frames: a stream of them, and datagrams of strangers, to one and to a group: headers, names, indices, pieces, words
// of control.
#include "corbel/messaging/frames/frames.hpp"

#include <algorithm>

#include "message_input.hpp"

namespace {

using corbel::base::ConstByteSpan;

/// Each datagram after an octet with its length; the rest of the octet is how time passes.
void read_datagrams(const corbel::messaging::Protocol& protocol, ConstByteSpan octets, std::uint32_t group) {
  static std::int64_t now;
  now = 0;
  corbel::messaging::SessionSettings settings;
  settings.side = corbel::messaging::Side::acceptor;
  settings.lossy = true;
  settings.group_profile = group;
  settings.limits.max_message_size = 4096;
  settings.now = [] { return now; };
  const auto session = protocol.open(settings);
  corbel::messaging::Joined joined;
  while (!octets.empty()) {
    const std::size_t size = std::min<std::size_t>(octets[0], octets.size() - 1);
    now += std::int64_t{octets[0]} * 1'000'000;
    corbel::messaging::Incoming incoming;
    incoming.joined = &joined;
    const auto taken = session->take(octets.subspan(1, size), incoming);
    octets = octets.subspan(1 + size);
    if (session->part_octets() > settings.limits.max_message_size * (group != 0 ? 64 : 4)) std::abort();
    if (!taken) continue;
    if (incoming.kind == corbel::messaging::Kind::answer) {
      corbel::cdr::Encoder encoder;
      session->put_answer(encoder, incoming);
      if (!encoder.ok() || group != 0) std::abort();
    }
    if (incoming.kind == corbel::messaging::Kind::request && incoming.body_at > incoming.octets.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto frames = corbel::messaging::make_frames();
  corbel::fuzz::read_stream(*frames, {data, size});
  read_datagrams(*frames, {data, size}, 0);
  read_datagrams(*frames, {data, size}, 3);
  return 0;
}
