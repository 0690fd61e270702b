// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "corbel/base/call_memory.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/bridge/asked.hpp"
#include "corbel/bridge/means.hpp"
#include "corbel/bridge/transfer.hpp"
#include "corbel/connection/async_reply.hpp"
#include "corbel/connection/connection.hpp"

namespace corbel::bridge {

/// One request on its way through. The thread that read it sends it on, waits a moment for the reply, and leaves: from
/// then on no thread waits. The request is executed at most once: it is sent again only if it certainly was not. Ends
/// when the client has been answered, or wants no answer any more.
class Exchange final : public connection::AsyncReply, public Owed {
 public:
  Exchange(Means& means, connection::Connection& client, TargetPtr target, const messaging::IncomingRequest& request,
           const cdr::Decoder& body);
  Exchange(Means& means, connection::Connection& client, TargetPtr target,
           const messaging::IncomingLocateRequest& request);
  ~Exchange() override = default;
  static void* operator new(std::size_t size) { return base::take_call_memory(size); }
  static void operator delete(void* memory) noexcept { base::give_call_memory(memory); }

  /// On the thread that read the request, and as long as the message is there. Keeps itself alive, if need be. Throws
  /// what the client is to be told, corba::SystemFailure, if it has not begun.
  void begin();
  void cancel() noexcept override;

 private:
  using Outcome = std::optional<base::Status>;
  static constexpr std::uint32_t kStale = 2;  // connections that may turn out to be dead

  void admit();
  void go_on(Outcome outcome) noexcept;
  bool advance(Outcome outcome);
  base::Status attempt();
  base::Status start(const messaging::OutgoingRequest& request, messaging::BodyWriter body);
  bool may_wait() const;
  Outcome wait();
  Outcome look(bool leaves);
  void leave() noexcept;
  void choose_next(base::Error why);
  [[noreturn]] void give_up(base::Error why) const;
  bool is_wanted() const noexcept;
  void end() noexcept;

  void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept override;
  void on_queued() noexcept override {}
  void finish() noexcept override;
  const routing::Route& route() const { return (*routes_)[route_]; }
  const routing::Route& way() const { return again_ ? *again_ : route(); }

  Means& means_;
  const connection::ConnectionPtr client_;
  const TargetPtr target_;
  Asked asked_;
  Transfer transfer_;
  std::optional<corba::SystemFailure> instead_;  // of the reply, which is here and cannot be passed on
  std::int64_t begun_ = 0;                       // by Deadline::clock_now()
  Target::RoutesPtr routes_;
  std::size_t route_ = 0;
  std::uint32_t stale_ = 0;
  std::optional<routing::Route> again_;  // the same, with connections of its own
  bool first_ = true;                    // of the attempts is yet to be made
  bool fresh_ = false;                   // the connection was made for this request
  bool here_ = true;                     // the client's message, and the thread that read it
  bool waits_ = false;                   // which waits for a moment
  std::size_t paid_ = 0;
  Succession::Place place_;
  std::atomic<bool> cancelled_{false};

  base::Mutex mutex_;                 // guards what follows, and `token` for who cancels
  connection::ConnectionPtr server_;  // written by the thread that has it only
  bool left_ = false;                 // what follows from its end is up to finish()
  bool over_ = false;                 // or to the thread that sent it
};

}  // namespace corbel::bridge
