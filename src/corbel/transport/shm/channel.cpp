// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/channel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "corbel/ipc/passing.hpp"

namespace corbel::transport::shm {
namespace {

using base::Code;
using base::Stage;
using ipc::RingEnd;

constexpr std::size_t kDefaultCapacity = 256U << 10;
constexpr std::size_t kLeastCapacity = 4U << 10;
constexpr std::size_t kMostCapacity = 16U << 20;

struct Greeting {
  std::array<char, 8> magic{'c', 'o', 'r', 'b', 'e', 'l', 'M', '1'};
  std::uint32_t to_server = 0;
  std::uint32_t to_client = 0;
};
static_assert(sizeof(Greeting) == 16);

std::size_t capacity_of(int option) noexcept {
  const std::size_t wanted = option > 0 ? static_cast<std::size_t>(option) : kDefaultCapacity;
  return std::bit_ceil(std::clamp(wanted, kLeastCapacity, kMostCapacity));
}

}  // namespace

base::Result<base::IntrusivePtr<Channel>> Channel::make(ipc::SharedMemory memory, std::size_t to_server, bool serves) {
  const base::ByteSpan first = memory.bytes().first(to_server);
  const base::ByteSpan second = memory.bytes().subspan(to_server);
  CORBEL_TRY(const auto sends, ipc::RingProducer::attach(serves ? second : first));
  CORBEL_TRY(const auto receives, ipc::RingConsumer::attach(serves ? first : second));
  return base::IntrusivePtr<Channel>(new Channel(std::move(memory), sends, receives));
}

base::Result<base::IntrusivePtr<Channel>> Channel::offer(ipc::UnixStream& socket, const ConnectionOptions& options,
                                                         std::size_t takes_lent) {
  Greeting greeting;
  const auto capacity = [&](int buffer) {
    return static_cast<std::uint32_t>(capacity_of(options.ring > 0 ? options.ring : buffer));
  };
  greeting.to_server = capacity(options.receive_buffer);
  greeting.to_client = capacity(options.send_buffer);
  const std::size_t to_server = RingEnd::area_size(greeting.to_server);
  CORBEL_TRY(auto memory, ipc::SharedMemory::create(to_server + RingEnd::area_size(greeting.to_client)));
  const base::ConstByteSpan octets(reinterpret_cast<const base::Octet*>(&greeting), sizeof greeting);
  const int handles[] = {memory.handle()};
  CORBEL_TRY(auto channel, make(std::move(memory), to_server, true));
  channel->in.set_note(static_cast<std::uint32_t>(takes_lent));
  CORBEL_CHECK(channel->in.arm());  // from when it has been sent on, the client may use it
  CORBEL_TRY(const std::size_t sent, ipc::send_with(socket, octets, {.handles = handles}, base::Deadline::now()));
  if (sent != octets.size()) return base::error(Stage::accept, Code::lost);
  channel->memory_.close_handle();
  return channel;
}

base::Result<base::IntrusivePtr<Channel>> Channel::take(ipc::UnixStream& socket, base::Deadline deadline) {
  const base::Error refused = base::error(Stage::connect, Code::refused);
  std::array<base::Octet, sizeof(Greeting)> octets{};
  auto received = ipc::recv_with(socket, octets, 1, deadline);
  if (!received) {
    const Code code = received.error().code;
    if (code != Code::timed_out && code != Code::would_block && code != Code::out_of_resources) return refused;
    return base::error(Stage::connect, code, received.error().os_error);
  }
  Greeting greeting;
  const Greeting expected;
  std::memcpy(&greeting, octets.data(), sizeof greeting);
  if (received->size != sizeof greeting || greeting.magic != expected.magic || received->handles.size() != 1)
    return refused;
  for (const std::size_t capacity : {greeting.to_server, greeting.to_client}) {
    if (!std::has_single_bit(capacity) || capacity < kLeastCapacity || capacity > kMostCapacity) return refused;
  }
  const std::size_t to_server = RingEnd::area_size(greeting.to_server);
  const std::size_t size = to_server + RingEnd::area_size(greeting.to_client);
  auto memory = ipc::SharedMemory::attach(std::move(received->handles[0]), size);
  if (!memory && memory.error().code == Code::out_of_resources)
    return base::error(Stage::connect, Code::out_of_resources, memory.error().os_error);
  if (!memory || memory->size() != size) return refused;
  memory->close_handle();
  return make(*std::move(memory), to_server, false);
}

}  // namespace corbel::transport::shm
