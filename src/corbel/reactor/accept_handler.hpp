// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::reactor {

/// The acceptor side: owns a listening socket, accepts whatever is queued, and hands each stream to a function, which
/// runs on the reactor's thread and should be short. When descriptors run out it pauses for `retry_after` instead of
/// spinning. Works in every mode of running the reactor. Any thread may open and close it.
template <class Address>
class AcceptHandler final : public EventHandler {
 public:
  using OnStream = std::function<void(ipc::Stream<Address>)>;
  /// Told about every failed accept, for logging. `would_block` is not a failure.
  using OnError = std::function<void(const base::Error&)>;

  /// Registers `acceptor` with `reactor`; close() or the reactor's end undoes it. The reactor must outlive the result.
  static base::Result<base::IntrusivePtr<AcceptHandler>> open(
      Reactor& reactor, ipc::Acceptor<Address> acceptor, OnStream on_stream, OnError on_error = {},
      base::Duration retry_after = std::chrono::milliseconds(100)) {
    base::IntrusivePtr<AcceptHandler> self(
        new AcceptHandler(reactor, std::move(acceptor), std::move(on_stream), std::move(on_error), retry_after));
    CORBEL_CHECK(self->acceptor_.set_non_blocking(true));
    CORBEL_CHECK(reactor.add(self, self->acceptor_.handle(), Events::readable, Trigger::one_shot));
    return self;
  }

  base::Result<Address> local_address() const noexcept { return acceptor_.local_address(); }

  /// Stops listening at once (new clients are refused); streams handed over already are not touched. The handle itself
  /// closes when the last dispatch has returned.
  void close() noexcept {
    reactor_.remove(*this);
    acceptor_.shutdown();
  }

  void on_event(Events) noexcept override {
    for (int accepted = 0; accepted < kBurst; ++accepted) {
      auto stream = acceptor_.accept(base::Deadline::now());
      if (stream) {
        on_stream_(*std::move(stream));
        continue;
      }
      const base::Code code = stream.error().code;
      if (code == base::Code::would_block) break;
      if (code == base::Code::cancelled) return;
      if (on_error_) on_error_(stream.error());
      return pause();
    }
    (void)reactor_.rearm(*this);
  }

 private:
  static constexpr int kBurst = 64;  // connections accepted before others get their turn

  AcceptHandler(Reactor& reactor, ipc::Acceptor<Address> acceptor, OnStream on_stream, OnError on_error,
                base::Duration retry_after)
      : reactor_(reactor),
        acceptor_(std::move(acceptor)),
        on_stream_(std::move(on_stream)),
        on_error_(std::move(on_error)),
        retry_after_(retry_after) {}

  void pause() {
    reactor_.schedule_after(retry_after_,
                            [self = base::IntrusivePtr<AcceptHandler>(this)] { (void)self->reactor_.rearm(*self); });
  }

  Reactor& reactor_;
  ipc::Acceptor<Address> acceptor_;
  OnStream on_stream_;
  OnError on_error_;
  base::Duration retry_after_;
};

}  // namespace corbel::reactor
