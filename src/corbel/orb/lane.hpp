// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corbel/connection/acceptor_registry.hpp"
#include "corbel/connection/server.hpp"
#include "corbel/orb/options.hpp"

namespace corbel::orb {

/// One way into an ORB: threads, and the endpoints at which they serve. The first lane is the one of all options;
/// -ORBLane and orb::add_lane() make others, which adapters choose, so that what is urgent waits for no other threads.
/// Owned by the Core, whose lock guards listen() and what it changes.
class Lane {
 public:
  using PublishedPtr = std::shared_ptr<const std::vector<routing::ListenPoint>>;

  /// `endpoints`: none means one beside each of the ORB's own (-ORBListenEndpoints): by the same protocol and
  /// transport, at the same hosts, with a port or name that the system chooses. If those are none, too, it is one of
  /// each transport that has a default. Throws INITIALIZE if the system gives no descriptors.
  Lane(std::string name, const std::vector<ListenEndpoint>& endpoints, const routing::Registry& registry,
       const Options& options, const connection::Server::Settings& settings, connection::RequestHandler& handler);

  /// Empty: the first.
  const std::string& name() const noexcept { return name_; }
  connection::Server& server() const noexcept { return *server_; }
  /// Opens the endpoints and starts the threads; false if that was done before. Throws INITIALIZE or BAD_PARAM naming
  /// the endpoint that failed, or std::bad_alloc; what it opened is closed then. So it is with the next two.
  bool listen();
  /// Opens one endpoint more, unless it is a group's that it listens to already; what references say of it.
  std::vector<std::string> open(const std::string& text);
  /// The same for the endpoint of a group, of which references say nothing.
  void open_group(const std::string& text);
  /// True if it listens there, in the same protocol.
  bool listens_at(const routing::ListenPoint& point) const;
  /// Stops listening; what is open now stays.
  void close() noexcept { acceptors_.close(); }
  /// Stops listening at those of the endpoints, as they were opened or published; false if there is none. Without
  /// memory (bad_alloc) all stay.
  bool close(base::FunctionRef<bool(const routing::ListenPoint&)> which);
  /// What references say; empty before listen(). Never changed, but replaced.
  const PublishedPtr& published() const noexcept { return published_; }

 private:
  /// An endpoint that is open.
  struct Opened {
    bool by_default;                              ///< nobody asked for it
    transport::Reach asked;                       ///< of what was asked for
    std::vector<routing::ListenPoint> published;  ///< what references say
  };

  class Opening;

  template <class Ask>
  auto of_parts(const std::string& text, const Ask& ask) const -> decltype(ask());
  std::vector<std::string> texts() const;
  std::string beside(const ListenEndpoint& own) const;
  Opened open_one(const std::string& text, bool by_default);
  void tell(const Opened& opened) const noexcept;
  [[noreturn]] void fail(const std::string& text, base::Error error, const std::string& why) const;
  void publish();

  const std::string name_;
  const bool beside_own_;  // its endpoints are beside those of endpoints_, which are the ORB's own
  const std::vector<ListenEndpoint> endpoints_;
  const routing::Registry& registry_;
  std::unique_ptr<connection::Server> server_;  // before the acceptors, which hand it connections
  connection::AcceptorRegistry acceptors_;
  const bool names_host_;  // -ORBPublishHost says what references name
  PublishedPtr published_ = std::make_shared<const std::vector<routing::ListenPoint>>();
  bool listening_ = false;
};

/// The lanes of an ORB: they become more, and none goes before all do. Thread-safe; add() is for one thread at a time.
class LaneList {
 public:
  static constexpr std::size_t kMost = 64;

  LaneList() = default;
  /// The first, where the asynchronous calls of all are finished, goes last.
  ~LaneList() {
    for (std::size_t i = count(); i-- > 0;) lanes_[i].reset();
  }
  LaneList(const LaneList&) = delete;
  LaneList& operator=(const LaneList&) = delete;

  const std::unique_ptr<Lane>* begin() const noexcept { return lanes_.data(); }
  /// Of those that are there now.
  const std::unique_ptr<Lane>* end() const noexcept { return lanes_.data() + count(); }
  const std::unique_ptr<Lane>& front() const noexcept { return lanes_.front(); }
  std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  /// False if there are kMost.
  bool add(std::unique_ptr<Lane> lane) noexcept {
    const std::size_t at = count();
    if (at == kMost) return false;
    lanes_[at] = std::move(lane);
    count_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<std::unique_ptr<Lane>, kMost> lanes_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace corbel::orb
