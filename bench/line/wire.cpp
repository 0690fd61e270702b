// SPDX-License-Identifier: Apache-2.0
#include "line/wire.hpp"

#include <algorithm>
#include <utility>

namespace line {
namespace {

constexpr std::size_t kCell = 53;
constexpr std::size_t kInCell = 48;

std::uint64_t time_of(const Nature& nature, std::size_t octets) {
  return static_cast<std::uint64_t>(static_cast<double>(octets) * 8e9 / nature.bits_per_second);
}

}  // namespace

std::size_t octets_on(const Nature& nature, std::size_t packet) {
  const std::size_t frame = std::max(packet + nature.overhead, nature.least);
  return nature.in_cells ? (frame + kInCell - 1) / kInCell * kCell : frame;
}

bool Wire::put(std::vector<char> packet, std::uint64_t now) {
  const std::size_t framed = octets_on(nature_, packet.size());
  const std::uint64_t start = std::max(now, free_);
  if (start - now > time_of(nature_, nature_.queue)) return false;
  free_ = start + time_of(nature_, framed);
  packets_ += 1;
  octets_ += packet.size();
  framed_ += framed;
  under_way_.push_back({free_, std::move(packet)});
  return true;
}

std::optional<std::uint64_t> Wire::next() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.front().leaves + nature_.delay_ns;
}

std::vector<char> Wire::take() {
  std::vector<char> packet = std::move(under_way_.front().packet);
  under_way_.pop_front();
  return packet;
}

}  // namespace line
