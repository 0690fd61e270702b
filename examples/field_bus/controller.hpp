// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/mutex.hpp"
#include "words.hpp"

namespace field_bus {

/// What a controller has seen so far.
struct BusCounts {
  std::uint64_t frames = 0;
  std::uint64_t overruns = 0;  ///< frames that began a whole period late, because the host did other things
  std::uint64_t polls = 0;
  std::uint64_t messages = 0;          ///< that terminals said
  std::uint64_t words = 0;             ///< data words of these
  std::uint64_t late = 0;              ///< polls that were not answered in time
  std::uint64_t malformed = 0;         ///< what terminals said and makes no sense; they are cut off
  std::uint64_t gone = 0;              ///< terminals that left, were cut off, or were silent for too long
  std::chrono::nanoseconds busy{};     ///< time that the bus would have carried words
  std::chrono::nanoseconds elapsed{};  ///< since it started
};

/// The controller of a bus: in each minor frame it polls its terminals in turn, one message at each poll, and passes
/// on what they say, round after round until nobody has anything to say or the frame is over. One talks at a time, and
/// a terminal that has much to say has a share like any other. A terminal that does not answer costs the others one
/// response time, and is gone after `silence`; one that says what makes no sense is cut off at once. Has a thread;
/// start(), counts() and the destructor may be called by any. When it goes, every terminal loses the bus.
class Controller {
 public:
  /// Listens at `path` ("@name": an abstract one), which only this user may open, and begins. Errors: as
  /// ipc::Acceptor::open, out_of_resources.
  static corbel::base::Result<std::unique_ptr<Controller>> start(const std::string& path, const BusSettings& settings);
  Controller(corbel::ipc::PacketAcceptor acceptor, const BusSettings& settings);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  BusCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// A terminal as the controller knows it.
  struct Station {
    corbel::ipc::PacketStream socket;
    unsigned address = kAnyAddress;  // it has none until it has attached
    bool polled = false;             // and has not answered
    std::uint64_t since = 0;         // the frame in which it was polled, or came
    std::uint64_t attached = 0;      // the frame in which it got its address
    std::deque<Packet> waiting{};    // for it, as its socket takes no more
  };
  using Stations = std::vector<std::unique_ptr<Station>>;

  void run();
  void admit();
  void attach(Station& station, const Packet& wish);
  bool round(Clock::time_point end);
  bool turn(Station& station);
  bool heard(Station& station, const Packet& said);
  void pass_on(const Packet& said, Station& from);
  void deliver(Station& station, const Packet& packet);
  void detach(Station& station);
  void pass_time(std::size_t words);
  /// Told by frames, not by the clock: what the host has not let run at all has not been silent.
  bool is_silent(const Station& station) const {
    return frame_ - station.since > static_cast<std::uint64_t>(settings_.silence / settings_.minor_frame);
  }
  Station* find(unsigned address);
  template <class Change>
  void count(Change change) {
    const std::lock_guard lock(mutex_);
    change(counts_);
  }

  const BusSettings settings_;
  const Clock::time_point began_ = Clock::now();
  corbel::ipc::PacketAcceptor acceptor_;
  Stations stations_;   // on the bus
  Stations newcomers_;  // not yet
  std::uint64_t frame_ = 1;
  std::size_t next_ = 0;     // whose turn it is
  Clock::time_point now_{};  // how far the bus has come
  std::atomic<bool> stop_{false};
  mutable corbel::base::Mutex mutex_;
  BusCounts counts_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace field_bus
