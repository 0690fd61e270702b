// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "corbel/transport/rudp/conversation.hpp"
#include "corbel/transport/rudp/door.hpp"

/// Two conversations over a network that does what it is told, in a time that passes at will. For tests.
namespace corbel::transport::rudp_tests {

using namespace corbel::transport::rudp;
using namespace std::chrono_literals;
using base::Bytes;

inline Bytes pattern(std::size_t size, std::uint32_t seed = 1) {
  std::minstd_rand random(seed);
  Bytes octets(size);
  for (auto& octet : octets) octet = static_cast<base::Octet>(random() >> 8);
  return octets;
}

/// In hundredths of all datagrams, but for the delay.
struct Weather {
  unsigned lost = 0;
  unsigned twice = 0;
  unsigned late = 0;  // by up to ten delays
  unsigned damaged = 0;
  Time delay = 1ms;
};

class Simulation {
 public:
  explicit Simulation(const Weather& weather, const Terms& client = {}, const Terms& server = {},
                      std::uint32_t seed = 1)
      : weather_(weather), server_terms_(server), random_(seed) {
    sides_[kClient] = std::make_unique<Conversation>(kClientToken, client, now_);
  }

  static constexpr int kClient = 0, kServer = 1;
  static constexpr std::uint64_t kClientToken = 0x1111111111111111, kServerToken = 0x2222222222222222;

  Conversation& client() { return *sides_[kClient]; }
  Conversation& server() { return *sides_[kServer]; }
  bool has_server() const { return sides_[kServer] != nullptr; }
  Time now() const { return now_; }
  Weather& weather() { return weather_; }

  void flush() {
    for (int side : {kClient, kServer}) {
      if (sides_[side] == nullptr || dead_[side]) continue;
      while (const std::size_t size = sides_[side]->next(room_, now_)) {
        ++sent_[side];
        largest_ = std::max(largest_, size);
        carry(1 - side, {room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size)});
      }
    }
  }
  /// Goes on to what happens next; false if nothing will before `until`.
  bool step(Time until) {
    flush();
    Time next = under_way_.empty() ? kNever : under_way_.begin()->first;
    for (int side : {kClient, kServer}) {
      if (sides_[side] != nullptr && !dead_[side]) next = std::min(next, sides_[side]->due());
    }
    if (next > until) {
      now_ = std::max(now_, until);
      return false;
    }
    now_ = std::max(now_, next);
    while (!under_way_.empty() && under_way_.begin()->first <= now_) {
      auto [to, octets] = std::move(under_way_.begin()->second);
      under_way_.erase(under_way_.begin());
      deliver(to, octets);
    }
    for (int side : {kClient, kServer}) {
      if (sides_[side] != nullptr && !dead_[side] && sides_[side]->due() <= now_) sides_[side]->expire(now_);
    }
    flush();
    return true;
  }
  template <class Holds>
  bool run_until(Holds holds, Time limit = 600s) {
    const Time until = now_ + limit;
    while (!holds()) {
      if (!step(until)) return holds();
    }
    return true;
  }
  void run_for(Time time) {
    const Time until = now_ + time;
    while (step(until)) {
    }
  }
  bool connect() {
    return run_until([&] { return client().is_open() && has_server() && server().is_open(); });
  }
  /// It hears and says nothing from now on.
  void kill(int side) { dead_[side] = true; }
  /// Something that comes from elsewhere, or again.
  void deliver(int to, const Bytes& octets) {
    const auto datagram = read(octets);
    if (!datagram) {
      ++damaged_;
      return;
    }
    last_[to] = octets;
    if (dead_[to]) return;
    if (to == kServer && (datagram->kind == Kind::hello || datagram->kind == Kind::open)) {
      greet(*datagram);
    } else if (sides_[to] != nullptr && sides_[to]->token() == datagram->to) {
      sides_[to]->hear(*datagram, now_);
    }
  }
  const Bytes& last(int to) const { return last_[to]; }
  std::size_t sent(int side) const { return sent_[side]; }
  std::size_t damaged() const { return damaged_; }
  std::size_t largest() const { return largest_; }

 private:
  bool happens(unsigned hundredths) { return random_() % 100 < hundredths; }
  void carry(int to, Bytes octets) {
    if (happens(weather_.lost)) return;
    for (int copies = happens(weather_.twice) ? 2 : 1; copies > 0; --copies) {
      Time takes = weather_.delay;
      if (happens(weather_.late)) takes += weather_.delay * static_cast<int>(1 + random_() % 10);
      Bytes copy = octets;
      if (happens(weather_.damaged)) copy[random_() % copy.size()] ^= static_cast<base::Octet>(1U << random_() % 8);
      under_way_.emplace(now_ + takes, std::pair(to, std::move(copy)));
    }
  }
  void greet(const Datagram& datagram) {
    Bytes room(kSmallestDatagram);
    if (datagram.kind == Kind::hello || !door_.is_right(datagram.cookie, address_, datagram.offer.token, now_)) {
      room.resize(write_cookie(room, datagram.offer.token, door_.cookie_for(address_, datagram.offer.token, now_)));
      return carry(kClient, room);
    }
    if (!has_server()) {
      sides_[kServer] = std::make_unique<Conversation>(kServerToken, datagram.offer, server_terms_, now_);
    }
    server().hear(datagram, now_);
  }

  Weather weather_;
  Terms server_terms_;
  std::minstd_rand random_;
  Time now_ = 1s;
  Bytes room_ = Bytes(kLargestDatagram);
  Door door_;
  const ipc::InetAddress address_ = ipc::InetAddress::loopback_v4(9);
  std::unique_ptr<Conversation> sides_[2];
  bool dead_[2] = {};
  std::multimap<Time, std::pair<int, Bytes>> under_way_;
  Bytes last_[2];
  std::size_t sent_[2] = {};
  std::size_t damaged_ = 0;
  std::size_t largest_ = 0;
};

/// Puts and reads as much as goes, in both directions.
struct Transfer {
  const Bytes octets;
  Bytes arrived{};
  std::size_t put = 0;

  void go_on(Conversation& from, Conversation& to) {
    put += from.put(base::ConstByteSpan(octets).subspan(put));
    base::Octet room[5000];
    while (const std::size_t size = to.read(room)) arrived.insert(arrived.end(), room, room + size);
  }
  bool is_done() const { return arrived.size() >= octets.size(); }
};

}  // namespace corbel::transport::rudp_tests
