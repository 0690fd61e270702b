// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "corbel/messaging/giop/codec.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/transport/transport.hpp"

/// What the fuzz targets of whole conversations share: a script, and a transport whose other end is that script. One
/// thread, no sockets, and no clock: what would have to wait has waited in vain.
namespace corbel::fuzz {

/// What must not happen, whatever the peer does.
inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// What bodies are made of; encoders may refer to it.
inline constexpr std::array<base::Octet, 100'000> kZeros{};

/// All that has been delivered are whole messages as encoded here.
inline bool exact = true;

/// The end of a body: a long sequence of octets, or what only begins like one.
inline void put_long_sequence(cdr::Encoder& encoder, std::uint8_t how) {
  const std::size_t size = 33'000 + (how / 4) * 16U;
  const std::uint32_t said = static_cast<std::uint32_t>(size) + (how % 4 == 1 ? 1 : 0);
  encoder.put(said);
  encoder.put_octets(kZeros.data(), size);
  if (how % 4 == 2) encoder.put(std::uint64_t{0});
}
/// Reads that, as a sequence or as something else.
inline void read_long_sequence(cdr::Decoder& body, std::uint8_t how) {
  if (how % 4 == 3) {
    for (int i = 0; i < 100; ++i) (void)body.get<std::uint64_t>();
    return;
  }
  base::Bytes octets;
  if (!body.take_rest(octets)) {
    const base::ConstByteSpan view = body.get_octet_sequence();
    octets.assign(view.begin(), view.end());
  }
  for (const base::Octet octet : octets) require(octet == 0 || !exact, "other octets than were sent");
}

/// The input, read from its beginning; when it is used up, zeros.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}
  bool ended() const noexcept { return at_ >= size_; }
  std::uint8_t octet() noexcept { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  base::ConstByteSpan octets(std::size_t count) noexcept {
    count = std::min(count, size_ - std::min(at_, size_));
    const base::ConstByteSpan taken(data_ + at_, count);
    at_ += count;
    return taken;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// What the peer of a ScriptedTransport does and sees; outlives it.
struct Peer {
  Peer() : handle(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Peer() { ::close(handle); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  enum class End : std::uint8_t { none, closed, lost };

  base::Bytes incoming;  ///< on its way to the connection, from `came` on
  std::size_t came = 0;
  base::Bytes outgoing;                ///< what the connection has sent
  End end = End::none;                 ///< after `incoming`
  std::size_t receive_at_most = ~0UL;  ///< octets at a time
  std::size_t send_room = ~0UL;        ///< octets that are taken before it blocks
  int refused = 0;                     ///< sends in a row of which nothing was taken
  bool shut_down = false;              ///< by the connection
  bool cut = false;                    ///< a send took less than the whole
  int handle;

  base::ConstByteSpan under_way() const { return base::ConstByteSpan(incoming).subspan(came); }
  void deliver(base::ConstByteSpan octets) {
    incoming.erase(incoming.begin(), incoming.begin() + static_cast<std::ptrdiff_t>(came));
    came = 0;
    incoming.insert(incoming.end(), octets.begin(), octets.end());
    signal();
  }
  void finish(End how) {
    if (end == End::none) end = how;
    signal();
  }
  /// The handle is readable while there is something to find out.
  void signal() const {
    std::uint64_t value = 0;
    if (!under_way().empty() || end != End::none || shut_down) {
      value = 1;
      (void)!write(handle, &value, sizeof value);
    } else {
      (void)!read(handle, &value, sizeof value);
    }
  }
};

class ScriptedTransport final : public transport::Transport {
 public:
  explicit ScriptedTransport(Peer& peer) noexcept : peer_(peer) {}

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    if (peer_.shut_down || peer_.end == Peer::End::lost) return base::error(base::Stage::send, base::Code::lost);
    std::size_t sent = 0;
    std::size_t whole = 0;
    for (const auto& segment : data) {
      whole += segment.size;
      const std::size_t now = std::min(segment.size, peer_.send_room - std::min(sent, peer_.send_room));
      const auto* octets = static_cast<const base::Octet*>(segment.data);
      peer_.outgoing.insert(peer_.outgoing.end(), octets, octets + now);
      sent += now;
    }
    if (peer_.send_room != ~0UL) peer_.send_room -= sent;
    if (sent == whole) return sent;
    peer_.cut = true;  // the rest may follow, or not
    if (!deadline.is_now()) return base::error(base::Stage::send, base::Code::timed_out);
    if (sent != 0) {
      peer_.refused = 0;
      return sent;
    }
    // It reads at last: whoever has an hour would try for an hour.
    if (++peer_.refused == 8) {
      peer_.refused = 0;
      peer_.send_room = ~0UL;
    }
    return base::error(base::Stage::send, base::Code::would_block);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
    if (peer_.shut_down) return base::error(base::Stage::receive, base::Code::closed);
    const std::size_t count = std::min({buffer.size(), peer_.under_way().size(), peer_.receive_at_most});
    if (count == 0) {
      if (peer_.end == Peer::End::closed) return base::error(base::Stage::receive, base::Code::closed);
      if (peer_.end == Peer::End::lost) return base::error(base::Stage::receive, base::Code::lost);
      return base::error(base::Stage::receive, deadline.is_now() ? base::Code::would_block : base::Code::timed_out);
    }
    std::memcpy(buffer.data(), peer_.under_way().data(), count);
    peer_.came += count;
    peer_.signal();
    return count;
  }
  void shutdown() noexcept override {
    peer_.shut_down = true;
    peer_.signal();
  }
  int handle() const noexcept override { return peer_.handle; }
  transport::Traits traits() const noexcept override { return {}; }
  std::string local() const override { return "scripted://here"; }
  std::string peer() const override { return "scripted://there"; }

 private:
  Peer& peer_;
};

/// Calls `visit(frame, octets)` for each whole message that a connection has sent; whatever it sends has to be well
/// formed, unless the peer did not take it.
template <class Visit>
void for_each_sent(const messaging::giop::Giop& codec, const Peer& peer, const Visit& visit) {
  base::ConstByteSpan octets(peer.outgoing);
  while (octets.size() >= messaging::giop::kHeaderSize) {
    const auto frame = codec.decode_frame(octets, cdr::Limits{});
    if (!frame && peer.cut) return;
    require(frame.ok(), "what was sent is no message");
    if (frame->message_size > octets.size()) break;
    visit(*frame, octets.first(frame->message_size));
    octets = octets.subspan(frame->message_size);
  }
  require(octets.empty() || peer.cut, "half a message was sent");
}

/// One message in the octets that a peer would send, by a protocol's own encoder.
template <class Encode>
base::Bytes encoded(std::uint8_t minor, const Encode& encode) {
  cdr::Format format;
  format.giop_minor = minor;
  cdr::Encoder encoder(format);
  encode(encoder);
  return encoder.to_bytes();
}

/// The message cut into a first part and fragments of at most `size` octets (GIOP 1.1 and 1.2). The bits of `lost` say
/// which of them get lost on the way.
inline base::Bytes fragmented(base::ConstByteSpan message, std::size_t size, std::uint8_t lost) {
  if (message.size() <= 16 + size || message[5] == 0) return {message.begin(), message.end()};
  base::Bytes all;
  const auto part = [&](base::ConstByteSpan data, std::uint8_t type, bool more) {
    const bool with_id = type == 7 && message[5] >= 2;
    const auto length = static_cast<std::uint32_t>(data.size() + (with_id ? 4 : 0));
    base::Bytes out(message.begin(), message.begin() + 12);
    out[6] = static_cast<base::Octet>((message[6] & 1) | (more ? 2 : 0));
    out[7] = type;
    std::memcpy(&out[8], &length, 4);  // the encoder writes this machine's byte order
    if (with_id) out.insert(out.end(), message.begin() + 12, message.begin() + 16);
    out.insert(out.end(), data.begin(), data.end());
    if ((lost & 1) == 0) all.insert(all.end(), out.begin(), out.end());
    lost = static_cast<std::uint8_t>(lost >> 1);
  };
  auto rest = message.subspan(12);
  size = std::max<std::size_t>(size / 8 * 8, 8);  // GIOP 1.2 wants multiples of eight
  part(rest.first(size + 4), message[7], true);
  for (rest = rest.subspan(size + 4); rest.size() > size; rest = rest.subspan(size)) part(rest.first(size), 7, true);
  part(rest, 7, false);
  return all;
}

}  // namespace corbel::fuzz
