// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/acceptor_registry.hpp"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
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
  std::vector<ListenPoint> published() const {
    std::vector<ListenPoint> points;
    for (auto& endpoint : acceptor_->endpoints()) {
      points.push_back({point_.protocol, point_.transport, std::move(endpoint), point_.bandwidth});
    }
    return points;
  }

  void on_event(reactor::Events) noexcept override try {
    for (int taken = 0; taken < kAtOnce; ++taken) {
      const auto accepted = accept_one();
      if (accepted) continue;
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
  } catch (const std::bad_alloc&) {
    rearm();
  }

  void close() noexcept {
    server_.reactor().remove(*this);
    // Peers that the system has connected already are told that nothing of theirs was executed.
    const bool hears_group = point_.transport->factory().traits().group_profile != 0;  // there is no peer to be told
    for (int told = 0; !hears_group && told < kTold && accept_one(); ++told) {
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    acceptor_->close();
  }

 private:
  static constexpr int kTold = 4096;
  static constexpr int kAtOnce = 256;  // then others have their turn

  /// Descriptors ran out: another connection is closed, or the new one is refused. True if accepting goes on soon.
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
  /// The connection is with the server before close() returns, so that the thread that closes finds it there.
  base::Status accept_one() noexcept try {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(base::Stage::accept, Code::closed);
    CORBEL_TRY(auto accepted, acceptor_->accept());
    server_.adopt(std::move(accepted), point_.protocol, point_.transport);
    return {};
  } catch (const std::bad_alloc&) {  // the peer finds its connection closed
    return base::error(base::Stage::accept, Code::out_of_resources);
  }

  const ListenPoint point_;
  const std::unique_ptr<transport::Acceptor> acceptor_;
  Server& server_;
  ipc::Handle spare_ = spare();  // given up for a moment to refuse a connection; used by the thread that accepts
  std::mutex mutex_;  // a descriptor must not be closed, and its number used anew, under a thread that accepts on it
  bool closed_ = false;
};

AcceptorRegistry::AcceptorRegistry(const transport::Options& options) : options_(options) {}

AcceptorRegistry::~AcceptorRegistry() {
  close();
}

base::Result<std::vector<ListenPoint>> AcceptorRegistry::open(const ListenPoint& point, Server& server) {
  CORBEL_TRY(auto acceptor, point.transport->factory().listen(*point.endpoint, options_));
  base::IntrusivePtr<Handler> handler(new Handler(point, std::move(acceptor), server));
  CORBEL_CHECK(server.reactor().add(handler, handler->acceptor().handle(), reactor::Events::readable,
                                    reactor::Trigger::one_shot));
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      auto published = handler->published();
      handlers_.push_back(std::move(handler));
      return published;
    }
  }
  handler->close();
  return base::error(base::Stage::listen, Code::cancelled);
}

std::vector<ListenPoint> AcceptorRegistry::published() const {
  const std::lock_guard lock(mutex_);
  std::vector<ListenPoint> points;
  for (const auto& handler : handlers_) {
    for (auto& point : handler->published()) points.push_back(std::move(point));
  }
  return points;
}

bool AcceptorRegistry::close(base::FunctionRef<bool(const ListenPoint&)> which) {
  const auto stays = [&](const base::IntrusivePtr<Handler>& one) {
    if (which(one->point())) return false;
    const auto published = one->published();
    return std::none_of(published.begin(), published.end(), which);
  };
  std::vector<base::IntrusivePtr<Handler>> handlers;
  {
    const std::lock_guard lock(mutex_);
    const auto first = std::partition(handlers_.begin(), handlers_.end(), stays);
    handlers.assign(std::move_iterator(first), std::move_iterator(handlers_.end()));
    handlers_.erase(first, handlers_.end());
  }
  for (const auto& handler : handlers) handler->close();
  return !handlers.empty();
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
