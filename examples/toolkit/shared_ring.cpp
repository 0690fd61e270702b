// SPDX-License-Identifier: Apache-2.0
// Two processes talk through rings in shared memory; the segment travels over a stream pipe.
#include <corbel/ipc/ring.hpp>
#include <corbel/ipc/shared_memory.hpp>
#include <corbel/ipc/stream_pipe.hpp>

#include <unistd.h>

#include <array>

#include "common.hpp"

namespace {

using namespace example;  // NOLINT

constexpr std::size_t kRing = ipc::RingEnd::area_size(64 * 1024);

/// Answers each octet with its successor until the requests end.
void serve(ipc::StreamPipe pipe) {
  base::Octet octet = 0;
  auto received = need(ipc::recv_with(pipe, {&octet, 1}, 1, soon()), "receive the segment");
  // attach() refuses a segment that the other side could shrink, or one larger than we are willing to map.
  auto segment = need(ipc::SharedMemory::attach(std::move(received.handles.at(0)), 2 * kRing), "attach");
  auto requests = need(ipc::RingConsumer::attach(segment.bytes().first(kRing)), "requests");
  auto replies = need(ipc::RingProducer::attach(segment.bytes().subspan(kRing)), "replies");
  while (need(requests.recv({&octet, 1}, soon()), "receive") != 0) {
    ++octet;
    need(replies.send_n({&octet, 1}, soon()), "send");
  }
}

}  // namespace

int main() {
  auto [here, there] = need(ipc::make_stream_pair(), "stream pipe");
  if (::fork() == 0) {
    serve(std::move(there));
    std::_Exit(0);
  }
  auto segment = need(ipc::SharedMemory::create(2 * kRing), "create");
  const int handles[] = {segment.handle()};
  need(ipc::send_with(here, base::as_bytes("m"), {.handles = handles}, soon()), "send the segment");
  auto requests = need(ipc::RingProducer::attach(segment.bytes().first(kRing)), "requests");
  auto replies = need(ipc::RingConsumer::attach(segment.bytes().subspan(kRing)), "replies");
  base::Octet octet = 0;
  for (int i = 0; i < 100; ++i) {
    need(requests.send_n({&octet, 1}, soon()), "send");
    need(replies.recv_n({&octet, 1}, soon()), "receive");
  }
  requests.close();
  std::cout << "after 100 round trips: " << int{octet} << '\n';
  return octet == 100 ? 0 : 1;
}
