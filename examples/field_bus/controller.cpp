// SPDX-License-Identifier: Apache-2.0
#include "controller.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace field_bus {

using corbel::base::Code;
using corbel::base::Deadline;
using corbel::base::Stage;
using corbel::ipc::PacketAcceptor;
using corbel::ipc::UnixAddress;

namespace {

constexpr std::size_t kMostNewcomers = 8;
constexpr std::size_t kMostWaiting = 4096;  // packets for a terminal that does not take them: some 300 KB
// Command and status words of a poll that nothing follows, and of a message from terminal to terminal: two commands,
// two status words (MIL-STD-1553B, figure 6); the gaps before status words are about half a word each.
constexpr std::size_t kPollWords = 3;
constexpr std::size_t kTransferWords = 5;

}  // namespace

corbel::base::Result<std::unique_ptr<Controller>> Controller::start(const std::string& path,
                                                                    const BusSettings& settings) {
  const bool abstract = path.starts_with('@');
  CORBEL_TRY(const UnixAddress address, abstract ? UnixAddress::abstract(path.substr(1)) : UnixAddress::path(path));
  corbel::ipc::AcceptorOptions<UnixAddress> options;
  options.mode = 0600;
  CORBEL_TRY(auto acceptor, PacketAcceptor::open(address, options));
  CORBEL_CHECK(acceptor.set_non_blocking(true));
  try {
    return std::make_unique<Controller>(std::move(acceptor), settings);
  } catch (const std::system_error&) {
    return corbel::base::error(Stage::listen, Code::out_of_resources);
  }
}

Controller::Controller(PacketAcceptor acceptor, const BusSettings& settings)
    : settings_(settings), acceptor_(std::move(acceptor)), thread_([this] { run(); }) {}

Controller::~Controller() {
  stop_ = true;
  thread_.join();
}

BusCounts Controller::counts() const {
  const std::lock_guard lock(mutex_);
  BusCounts counts = counts_;
  counts.elapsed = Clock::now() - began_;
  return counts;
}

void Controller::run() {
  for (auto begin = Clock::now(); !stop_;) {
    now_ = begin;
    admit();
    const auto end = begin + settings_.minor_frame;
    while (round(end)) {
    }
    std::erase_if(stations_, [](const auto& station) { return !station->socket.is_open(); });
    std::this_thread::sleep_until(end);
    const bool overrun = Clock::now() > end + settings_.minor_frame;
    begin = overrun ? Clock::now() : end;
    ++frame_;
    count([&](BusCounts& counts) { ++counts.frames, counts.overruns += overrun ? 1 : 0; });
  }
}

/// Takes those who have come, and listens to what they want: a wish for an address comes first, and soon.
void Controller::admit() {
  while (newcomers_.size() < kMostNewcomers) {
    auto socket = acceptor_.accept(Deadline::now());
    if (!socket) break;
    newcomers_.push_back(std::make_unique<Station>(Station{.socket = *std::move(socket), .since = frame_}));
  }
  for (auto& newcomer : newcomers_) {
    const auto wish = receive_packet(newcomer->socket, Deadline::now());
    if (wish) {
      attach(*newcomer, *wish);
      if (newcomer->address != kAnyAddress) stations_.push_back(std::move(newcomer));
      newcomer.reset();
    } else if (wish.error().code != Code::would_block || is_silent(*newcomer)) {
      newcomer.reset();
    }
  }
  std::erase(newcomers_, nullptr);
}

void Controller::attach(Station& station, const Packet& wish) {
  unsigned address = wish.address();
  if (!wish.is(Command::attach) || wish.count != 2) {
    count([](BusCounts& counts) { ++counts.malformed; });
    return;
  }
  // Who does not care gets a high one: low ones are chosen by people.
  if (address == kAnyAddress) {
    for (address = kTerminals; address > 0 && find(address - 1) != nullptr;) --address;
    address = address == 0 ? kAnyAddress : address - 1;
  }
  // A process that ended and comes back at once must not find its own place taken.
  if (Station* const holder = find(address); holder != nullptr) {
    const auto next = holder->socket.next_size(Deadline::now());
    if (!next && next.error().code != Code::would_block) detach(*holder);
  }
  if (address >= kTerminals || find(address) != nullptr) {
    deliver(station, Packet(Command::refused));
    return;
  }
  station.address = address;
  station.attached = frame_;
  Packet welcome(Command::attached, address);
  welcome.add(static_cast<std::uint16_t>(settings_.words));
  deliver(station, welcome);
}

/// One turn of each terminal, as far as the frame goes; true if another round is worth while.
bool Controller::round(Clock::time_point end) {
  bool said = false;
  const std::size_t all = stations_.size();
  for (std::size_t i = 0; i < all; ++i) {
    if (now_ >= end || Clock::now() >= end || stop_) return false;
    next_ = (next_ + 1) % all;
    said = turn(*stations_[next_]) || said;
  }
  return said;
}

/// Polls a terminal, or looks whether it has answered since; true if it has said something.
bool Controller::turn(Station& station) {
  if (!station.socket.is_open()) return false;
  while (!station.waiting.empty() &&
         station.socket.send(station.waiting.front().octets(), corbel::ipc::SendFlags::dont_wait)) {
    station.waiting.pop_front();
  }
  const bool asked = std::exchange(station.polled, true);
  if (!asked) {
    deliver(station, Packet(Command::poll));
    count([](BusCounts& counts) { ++counts.polls; });
    station.since = frame_;
  }
  const auto said = receive_packet(station.socket, asked ? Deadline::now() : Deadline::after(settings_.response));
  if (said) {
    station.polled = false;
    return heard(station, *said);
  }
  if (said.error().code == Code::malformed) count([](BusCounts& counts) { ++counts.malformed; });
  if (said.error().code != Code::timed_out && said.error().code != Code::would_block) {
    detach(station);
  } else if (!asked) {
    count([](BusCounts& counts) { ++counts.late; });
    pass_time(kPollWords);
  } else if (is_silent(station)) {
    detach(station);
  }
  return false;
}

bool Controller::heard(Station& station, const Packet& said) {
  const std::size_t data = said.data().size();
  if (said.is(Command::nothing) && said.count == 1) {
    pass_time(kPollWords);
    return false;
  }
  if (!said.is(Command::transmit) || data == 0 || data > settings_.words || said.address() >= kTerminals) {
    count([](BusCounts& counts) { ++counts.malformed; });
    detach(station);
    return false;
  }
  count([&](BusCounts& counts) { ++counts.messages, counts.words += data; });
  pass_time(kTransferWords + data);
  pass_on(said, station);
  return true;
}

void Controller::pass_on(const Packet& said, Station& from) {
  Station* const to = find(said.address());
  if (to == nullptr || from.since < to->attached) {  // a late answer may have been for another that had the address
    deliver(from, Packet(Command::gone, said.address()));
    return;
  }
  Packet packet = said;
  packet.words[0] = static_cast<std::uint16_t>(Command::receive);
  packet.words[1] = static_cast<std::uint16_t>(from.address);
  deliver(*to, packet);
}

/// Never waits: what a terminal does not take now it gets at its next turn.
void Controller::deliver(Station& station, const Packet& packet) {
  if (!station.socket.is_open()) return;
  if (station.waiting.empty()) {
    const auto sent = station.socket.send(packet.octets(), corbel::ipc::SendFlags::dont_wait);
    if (sent || sent.error().code != Code::would_block) return;  // that it has gone is noticed by receiving
  }
  station.waiting.push_back(packet);
  if (station.waiting.size() > kMostWaiting) detach(station);
}

/// Its place is free when the frame is over: others are looking at the list.
void Controller::detach(Station& station) {
  if (!station.socket.is_open()) return;
  station.socket.close();
  count([](BusCounts& counts) { ++counts.gone; });
  const unsigned address = std::exchange(station.address, kAnyAddress);
  for (const auto& other : stations_) deliver(*other, Packet(Command::gone, address));
}

/// Lets the time pass that so many words would have taken.
void Controller::pass_time(std::size_t words) {
  const std::chrono::nanoseconds taken(words * settings_.word_time);
  count([&](BusCounts& counts) { counts.busy += taken; });
  now_ += taken;
  if (now_ > Clock::now()) std::this_thread::sleep_until(now_);
}

Controller::Station* Controller::find(unsigned address) {
  const auto found = std::find_if(stations_.begin(), stations_.end(), [&](const auto& station) {
    return station->socket.is_open() && station->address == address;
  });
  return found == stations_.end() ? nullptr : found->get();
}

}  // namespace field_bus
