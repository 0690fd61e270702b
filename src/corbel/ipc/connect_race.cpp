// SPDX-License-Identifier: Apache-2.0
// Connecting to whichever of several addresses answers first (RFC 8305, section 5).
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "corbel/base/cancellation.hpp"
#include "corbel/ipc/connector.hpp"

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

constexpr std::size_t kMostAtOnce = 8;                            // then the oldest is given up for the next
constexpr base::Duration kLook = std::chrono::milliseconds(100);  // how long it may go on after it was cancelled

/// Connecting to a local port without a listener can meet itself, when the system picks that port for our side.
bool has_met_itself(int descriptor) noexcept {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 && own_size == peer_size &&
         std::memcmp(&own, &peer, own_size) == 0;
}

base::Result<Handle> checked(Handle handle) noexcept {
  if (has_met_itself(handle.get())) return base::error(Stage::connect, Code::refused);
  return handle;
}

/// The attempts under way.
class Race {
 public:
  std::size_t size() const noexcept { return size_; }
  base::Error last() const noexcept { return last_; }
  void note(base::Error error) noexcept { last_ = error; }

  /// Begins one more. The connection, if it is there at once; else it is under way or has failed.
  Handle begin(const ConnectParameters& parameters, bool& under_way) noexcept {
    bool completed = false;
    auto handle = start_connect(parameters, completed);
    if (!handle) {
      note(handle.error());
    } else if (completed) {
      return take(*std::move(handle));
    } else {
      if (size_ == kMostAtOnce) (void)remove(0);
      handles_[size_++] = *std::move(handle);
      under_way = true;
    }
    return {};
  }

  /// Waits until one is there, which it returns, or has failed, or the time is over.
  Handle wait(Deadline deadline) noexcept {
    std::array<pollfd, kMostAtOnce> watched{};
    for (std::size_t i = 0; i < size_; ++i) watched[i] = {.fd = handles_[i].get(), .events = POLLOUT, .revents = 0};
    const std::size_t count = size_;
    const int ready = ::poll(watched.data(), count, deadline.poll_timeout());
    if (ready < 0 && errno != EINTR) {
      note(last_failure(Stage::connect));
      while (size_ != 0) (void)remove(0);
    }
    for (std::size_t i = 0, at = 0; i < count && ready > 0; ++i) {
      if (watched[i].revents == 0) {
        ++at;
        continue;
      }
      Handle handle = remove(at);
      if (auto finished = finish_connect(handle.get(), Deadline::now()); !finished) {
        note(finished.error());
      } else if (Handle there = take(std::move(handle))) {
        return there;
      }
    }
    return {};
  }

 private:
  Handle remove(std::size_t index) noexcept {
    Handle removed = std::move(handles_[index]);
    std::move(handles_.begin() + index + 1, handles_.begin() + size_--, handles_.begin() + index);
    return removed;
  }
  /// The connection in blocking mode, or none: it is of no use.
  Handle take(Handle handle) noexcept {
    auto there = checked(std::move(handle));
    if (!there) {
      note(there.error());
      return {};
    }
    if (auto blocks = set_non_blocking(there->get(), false); !blocks) {
      note(blocks.error());
      return {};
    }
    return *std::move(there);
  }

  std::array<Handle, kMostAtOnce> handles_;
  std::size_t size_ = 0;
  base::Error last_ = base::error(Stage::connect, Code::bad_argument);
};

}  // namespace

base::Result<Handle> connect_any(base::FunctionRef<ConnectParameters(std::size_t)> remote, std::size_t count,
                                 Deadline deadline, base::Duration head_start) noexcept {
  if (count == 1) {
    CORBEL_TRY(Handle handle, connect(remote(0), deadline));
    return checked(std::move(handle));
  }
  const base::Cancellation::Wait waiting(nullptr, nullptr);
  Race race;
  std::size_t begun = 0;
  Deadline turn = Deadline::now();
  if (deadline.is_now()) head_start = base::Duration::zero();
  for (;;) {
    if (waiting.cancelled()) return base::error(Stage::connect, Code::cancelled);
    // The next begins when one has failed, or when those before it have had their time.
    if (begun < count && (race.size() == 0 || turn.expired())) {
      bool under_way = false;
      if (Handle there = race.begin(remote(begun++), under_way)) return there;
      turn = under_way ? Deadline::after(head_start) : Deadline::now();
      continue;
    }
    if (race.size() == 0) return race.last();
    if (deadline.expired()) {
      return base::error(Stage::connect, deadline.is_now() ? Code::would_block : Code::timed_out);
    }
    const std::size_t before = race.size();
    const Deadline look = earlier(begun < count ? earlier(turn, deadline) : deadline, Deadline::after(kLook));
    if (Handle there = race.wait(look)) return there;
    if (race.size() < before) turn = Deadline::now();
  }
}

}  // namespace corbel::ipc::detail
