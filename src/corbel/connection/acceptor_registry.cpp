// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/acceptor_registry.hpp"

#include <fcntl.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "corbel/ipc/handle.hpp"
#include "corbel/routing/route_options.hpp"

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
  /// As it was opened or published.
  bool is(base::FunctionRef<bool(const ListenPoint&)> which, const std::vector<ListenPoint>& published) const {
    return which(point_) || std::any_of(published.begin(), published.end(), which);
  }

  void on_event(reactor::Events) noexcept override try {
    int taken = 0;
    for (; taken < kAtOnce; ++taken) {
      const auto accepted = accept_one();
      if (accepted) continue;
      if (accepted.error().code == Code::would_block) break;
      if (accepted.error().code == Code::cancelled || accepted.error().code == Code::closed) return;
      if (accepted.error().code == Code::out_of_resources && make_room()) return;
      CORBEL_LOG(server_.log(), connection, warning, "accepting goes on in a moment",
                 {"endpoint", point_.endpoint->text()}, {"error", accepted.error()});
      // Trying again at once would not help.
      server_.reactor().schedule_after(std::chrono::milliseconds(100),
                                       [self = base::IntrusivePtr<Handler>(this)] { self->on_event({}); });
      return;
    }
    taken == kAtOnce ? look_again() : rearm();
  } catch (const std::exception&) {  // of want of memory, or of a transport that others have written
    rearm();
  }

  void close() noexcept {
    server_.reactor().remove(*this);
    acceptor_->refuse_more();
    // Peers that the system has connected already are told that nothing of theirs was executed.
    const bool hears_group = point_.transport->factory().traits().group_profile != 0;  // there is no peer to be told
    for (int told = 0; !hears_group && told < kTold && accept_one(); ++told) {
    }
    std::unique_ptr<transport::Acceptor> gone;  // the reactor may keep this until it next runs
    const std::lock_guard lock(mutex_);
    closed_ = true;
    acceptor_->close();
    spare_.reset();
    gone = std::move(acceptor_);
  }

 private:
  static constexpr int kTold = 4096;
  static constexpr int kAtOnce = 256;  // then others have their turn

  /// Descriptors ran out: another connection is closed, or the new one is refused. True if accepting goes on soon.
  bool make_room() {
    if (server_.make_room()) {
      look_again();  // the descriptor comes back before the reactor runs what was posted
      return true;
    }
    {
      const std::lock_guard lock(mutex_);
      spare_.reset();
    }
    auto accepted = accept();
    const bool refused = accepted.ok();
    if (refused) server_.refuse(*std::move(accepted), point_.protocol);
    const std::lock_guard lock(mutex_);
    if (closed_) return true;
    spare_ = spare();
    if (!refused || !spare_) return false;
    look_again();
    return true;
  }
  static ipc::Handle spare() { return ipc::Handle(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

  void rearm() noexcept { (void)server_.reactor().rearm(*this); }
  /// When others have had their turn. Peers that the acceptor has already are in no socket that tells of them (udp).
  void look_again() {
    server_.reactor().post([self = base::IntrusivePtr<Handler>(this)] { self->on_event({}); });
  }

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
  } catch (const std::exception& failure) {  // of a transport that others have written
    CORBEL_LOG(server_.log(), connection, warning, "a transport failed", {"endpoint", point_.endpoint->text()},
               {"why", failure.what()});
    return base::error(base::Stage::accept, Code::unsupported);
  }

  const ListenPoint point_;
  std::unique_ptr<transport::Acceptor> acceptor_;  // null once closed
  Server& server_;
  std::mutex mutex_;  // a descriptor must not be closed, and its number used anew, under a thread that accepts on it
  ipc::Handle spare_ = spare();  // given up for a moment to refuse a connection
  bool closed_ = false;
};

AcceptorRegistry::AcceptorRegistry(const transport::Options& options) : options_(options) {}

AcceptorRegistry::~AcceptorRegistry() {
  close();
}

base::Result<std::vector<ListenPoint>> AcceptorRegistry::open(const ListenPoint& point, Server& server) {
  const transport::Factory& factory = point.transport->factory();
  transport::Options options = options_;
  if (point.options != nullptr) (void)routing::set_endpoint_options(factory, *point.options, options);  // tried before
  CORBEL_TRY(auto acceptor, factory.listen(*point.endpoint, options));
  base::IntrusivePtr<Handler> handler(new Handler(point, std::move(acceptor), server));
  auto published = handler->published();
  const std::lock_guard lock(mutex_);
  if (closed_) return base::error(base::Stage::listen, Code::cancelled);
  handlers_.push_back(handler);
  // Last, for from now on it accepts.
  if (auto added = server.reactor().add(handler, handler->acceptor().handle(), reactor::Events::readable,
                                        reactor::Trigger::one_shot);
      !added) {
    handlers_.pop_back();
    return added.error();
  }
  return published;
}

std::size_t AcceptorRegistry::count() const noexcept {
  const std::lock_guard lock(mutex_);
  return handlers_.size();
}

void AcceptorRegistry::close_behind(std::size_t first) noexcept {
  for (;;) {
    base::IntrusivePtr<Handler> last;
    {
      const std::lock_guard lock(mutex_);
      if (handlers_.size() <= first) return;
      last = std::move(handlers_.back());
      handlers_.pop_back();
    }
    last->close();
  }
}

std::vector<ListenPoint> AcceptorRegistry::published() const {
  return published_without([](const ListenPoint&) { return false; });
}

std::vector<ListenPoint> AcceptorRegistry::published_without(base::FunctionRef<bool(const ListenPoint&)> which) const {
  const std::lock_guard lock(mutex_);
  std::vector<ListenPoint> points;
  for (const auto& handler : handlers_) {
    auto published = handler->published();
    if (!handler->is(which, published)) points.insert(points.end(), published.begin(), published.end());
  }
  return points;
}

bool AcceptorRegistry::has(base::FunctionRef<bool(const ListenPoint&)> which) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(handlers_.begin(), handlers_.end(),
                     [&](const auto& handler) { return handler->is(which, handler->published()); });
}

bool AcceptorRegistry::close(base::FunctionRef<bool(const ListenPoint&)> which) {
  const auto stays = [&](const base::IntrusivePtr<Handler>& one) { return !one->is(which, one->published()); };
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
