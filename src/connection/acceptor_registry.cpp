// SPDX-License-Identifier: Apache-2.0
#include "connection/acceptor_registry.hpp"

#include <utility>

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
    for (;;) {
      auto accepted = accept();
      if (accepted) {
        server_.adopt(*std::move(accepted), point_.protocol);
        continue;
      }
      if (accepted.error().code == Code::would_block) break;
      if (accepted.error().code == Code::cancelled || accepted.error().code == Code::closed) return;
      // Out of descriptors, mostly: trying again at once would not bring them back.
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
      if (!waiting) break;
      server_.adopt(*std::move(waiting), point_.protocol);
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    acceptor_->close();
  }

 private:
  static constexpr int kTold = 4096;

  void rearm() noexcept { (void)server_.reactor().rearm(*this); }

  base::Result<std::unique_ptr<transport::Transport>> accept() {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(base::Stage::accept, Code::closed);
    return acceptor_->accept();
  }

  const ListenPoint point_;
  const std::unique_ptr<transport::Acceptor> acceptor_;
  Server& server_;
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
