// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "corbel/ipc/stream.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::reactor::testing {

/// A handler made of a function; tells when it dies.
class FunctionHandler final : public EventHandler {
 public:
  explicit FunctionHandler(std::function<void(Events)> function, std::function<void()> on_death = {})
      : function_(std::move(function)), on_death_(std::move(on_death)) {}
  ~FunctionHandler() override {
    if (on_death_) on_death_();
  }
  void on_event(Events events) noexcept override { function_(events); }

 private:
  std::function<void(Events)> function_;
  std::function<void()> on_death_;
};

using HandlerPtr = base::IntrusivePtr<FunctionHandler>;

inline HandlerPtr make_handler(std::function<void(Events)> function, std::function<void()> on_death = {}) {
  return HandlerPtr(new FunctionHandler(std::move(function), std::move(on_death)));
}

/// Two connected streams; ours is watched, theirs makes things happen.
struct Pair {
  Pair() {
    auto pair = *ipc::make_stream_pair();
    ours = std::move(pair.first);
    theirs = std::move(pair.second);
  }
  void poke() { EXPECT_TRUE(theirs.send_n(base::as_bytes("x"))); }
  /// True if there was something to drain.
  bool drain() {
    base::Octet room[16];
    const auto count = ours.recv(room, ipc::RecvFlags::dont_wait);
    return count && *count > 0;
  }
  ipc::UnixStream ours, theirs;
};

}  // namespace corbel::reactor::testing
