// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/acceptor_registry.hpp"

#include <fcntl.h>

#include <utility>

#include "corbel/ipc/handle.hpp"

namespace corbel::connection {

using base::Code;

/// Accepts on one endpoint.
class AcceptorRegistry::Handler final : public reactor::EventHandler {
 public:
  Handler(ListenPoint point, std::unique_ptr<transport::Acceptor> acceptor, Server& server)
      : point_(std::move(point)), acceptor_(std::move(acceptor)), server_(server) {}

  const ListenPoint& point() const noexcept { return point_; }
  transport::Acceptor& acceptor() noexcept { return *acceptor_; }

  void on_event(reactor::Events) noexcept override {
    for (int taken = 0; taken < kAtOnce; ++taken) {
      auto accepted = accept();
      if (accepted) {
        server_.adopt(*std::move(accepted), point_.protocol);
        continue;
      }
      if (accepted.error().code == Code::would_block) break;
      if (accepted.error().code == Code::cancelled || accepted.error().code == Code::closed) return;
      if (accepted.error().code == Code::out_of_resources && make_room()) return;
      CORBEL_LOG(server_.log(), connection, warning, "accepting goes on in a moment",
                 {"endpoint", point_.endpoint->text()}, {"error", accepted.error()});
      // Trying again at once would not help.
      server_.reactor().schedule_after(std::chrono::milliseconds(100),
                                       [self = base::IntrusivePtr<Handler>(this)] { self->rearm(); });
      return;
    }
    rearm();
  }

  void close() noexcept {
    server_.reactor().remove(*this);
    // Who has been connected by the system already is told that nothing of his was executed.
    for (int told = 0; told < kTold; ++told) {
      auto waiting = accept();
      if (!waiting || (*waiting)->traits().group_profile != 0) break;  // who hears a group is nobody to be told
      server_.adopt(*std::move(waiting), point_.protocol);
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    acceptor_->close();
  }

 private:
  static constexpr int kTold = 4096;
  static constexpr int kAtOnce = 256;  // then others have their turn

  /// Descriptors ran out: somebody leaves, or who waits is told to. True if it goes on soon.
  bool make_room() {
    if (server_.make_room()) {
      // The descriptor comes back before the reactor runs what was posted.
      server_.reactor().post([self = base::IntrusivePtr<Handler>(this)] { self->rearm(); });
      return true;
    }
    spare_.reset();
    auto accepted = accept();
    const bool refused = accepted.ok();
    if (refused) server_.refuse(*std::move(accepted), point_.protocol);
    spare_ = spare();
    if (!refused || !spare_) return false;
    rearm();
    return true;
  }
  static ipc::Handle spare() { return ipc::Handle(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

  void rearm() noexcept { (void)server_.reactor().rearm(*this); }

  base::Result<std::unique_ptr<transport::Transport>> accept() {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(base::Stage::accept, Code::closed);
    return acceptor_->accept();
  }

  const ListenPoint point_;
  const std::unique_ptr<transport::Acceptor> acceptor_;
  Server& server_;
  ipc::Handle spare_ = spare();  // given up for a moment to refuse somebody; used by whoever accepts
  std::mutex mutex_;  // a descriptor must not be closed, and its number used anew, under a thread that accepts on it
  bool closed_ = false;
};

AcceptorRegistry::AcceptorRegistry(const Registry& registry, const transport::Options& options)
    : registry_(registry), options_(options) {}

AcceptorRegistry::~AcceptorRegistry() {
  close();
}

base::Status AcceptorRegistry::open(const ListenPoint& point, Server& server) {
  CORBEL_TRY(auto acceptor, registry_.transports()[point.transport]->listen(*point.endpoint, options_));
  base::IntrusivePtr<Handler> handler(new Handler(point, std::move(acceptor), server));
  CORBEL_CHECK(server.reactor().add(handler, handler->acceptor().handle(), reactor::Events::readable,
                                    reactor::Trigger::one_shot));
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      handlers_.push_back(std::move(handler));
      return {};
    }
  }
  handler->close();
  return base::error(base::Stage::listen, Code::cancelled);
}

std::vector<ListenPoint> AcceptorRegistry::published() const {
  const std::lock_guard lock(mutex_);
  std::vector<ListenPoint> points;
  for (const auto& handler : handlers_) {
    for (const auto& endpoint : handler->acceptor().endpoints()) {
      points.push_back({handler->point().protocol, handler->point().transport, endpoint});
    }
  }
  return points;
}

void AcceptorRegistry::close() noexcept {
  std::vector<base::IntrusivePtr<Handler>> handlers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    handlers.swap(handlers_);
  }
  for (const auto& handler : handlers) handler->close();
}

}  // namespace corbel::connection
