// SPDX-License-Identifier: Apache-2.0
// Where the threshold of gathering belongs (-ORBGatherThreshold): a message with so many octets of user data is sent
// over a local socket and received, the data referred to (gathered by the system call) or copied behind the header
// first; and whole calls with as many, both ends in this process.
#include <corbel/corbel.hpp>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "micro/gathering_orbs.hpp"
#include "micro/meter.hpp"

namespace {

using corbel::cdr::Encoder;
using corbel::cdr::Segment;

constexpr std::size_t kHeader = 64;  ///< octets of a request's header
constexpr std::size_t kMost = 64 << 10;
constexpr std::size_t kCalls = 20;  ///< who sleeps when differs from call to call

class Way {
 public:
  Way() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) throw std::runtime_error("socketpair");
    const int queue = 4 * kMost;  // one message waits there until it is received
    setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
  }
  ~Way() {
    for (const int end : ends_) close(end);
  }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  void send(std::span<const Segment> segments) const {
    std::array<iovec, 4> pieces{};
    if (segments.size() > pieces.size()) throw std::logic_error("too many segments");
    std::size_t size = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      pieces[i] = {const_cast<void*>(segments[i].data), segments[i].size};
      size += segments[i].size;
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = segments.size();
    const ssize_t sent = segments.size() == 1 ? ::send(ends_[0], segments[0].data, size, MSG_NOSIGNAL)
                                              : sendmsg(ends_[0], &message, MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(size)) throw std::runtime_error("a message was not sent whole");
  }
  void receive(std::vector<char>& room, std::size_t size) const {
    while (size > 0) {
      const ssize_t got = recv(ends_[1], room.data(), size, 0);
      if (got <= 0) throw std::runtime_error("a message did not arrive");
      size -= static_cast<std::size_t>(got);
    }
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

int main(int argc, char** argv) try {
  bench::Meter meter(argc, argv);
  const Way way;
  Encoder encoder;
  const std::vector<char> header(kHeader, 'h');
  const std::vector<char> data(kMost, 'x');
  std::vector<char> room(kHeader + kMost);
  const bench::GatheringOrbs gathering("0");
  const bench::GatheringOrbs copying("1073741824");
  for (std::size_t size = 64; size <= kMost; size *= 2) {
    for (const bool gathered : {true, false}) {
      meter.add(
          std::string("direction=send,by=") + (gathered ? "gathered" : "copied") + ",payload=" + std::to_string(size),
          1, [&, size, gathered] {
            encoder.reset({});
            encoder.set_reference_threshold(gathered ? 0 : Encoder::kCopyAll);
            encoder.copy_octets(header.data(), header.size());
            encoder.put_octets(data.data(), size);
            way.send(encoder.segments());
            way.receive(room, kHeader + size);
          });
      meter.add(
          std::string("direction=call,by=") + (gathered ? "gathered" : "copied") + ",payload=" + std::to_string(size),
          kCalls, [&gathering, &copying, octets = Gather::Octets(size, 'x'), gathered] {
            const bench::GatheringOrbs& orbs = gathered ? gathering : copying;
            for (std::size_t i = 0; i < kCalls; ++i) orbs.put(octets);
          });
    }
  }
  meter.run();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
  return 1;
}
