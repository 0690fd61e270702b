// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "corbel/bridge/passage.hpp"
#include "corbel/bridge/settings.hpp"
#include "corbel/bridge/succession.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::bridge {

/// What was counted, by all threads.
struct Counters {
  std::atomic<std::uint64_t> forwarded{0};
  std::atomic<std::uint64_t> by_types{0};
  std::atomic<std::uint64_t> failed{0};
};

/// What all exchanges of a bridge work with; not owned.
struct Means {
  orb::Core& core;
  Proxies& proxies;
  const Settings& settings;
  Counters& counters;
  Succession& succession;
  /// What a system exception consists of.
  std::array<CORBA::typecode_reference, 3> system_exception{CORBA::_tc_string, CORBA::_tc_ulong, CORBA::_tc_ulong};
};

/// One request on its way through, on the stack of the thread that read it: sends it on, waits, and answers. The
/// request is executed at most once: it is sent again only if it certainly was not.
class Exchange {
 public:
  Exchange(Means& means, connection::Connection& client, const messaging::IncomingRequest& request,
           const cdr::Decoder& body, Target& target);

  /// Throws what the client is to be told, corba::SystemFailure, with the completion status that is true.
  void run();

 private:
  Manner manner() const;
  void collect_contexts();
  base::Status try_at(const routing::Route& route);
  base::Status send(connection::Connection& server, const routing::Route& route);
  void write(cdr::Encoder& encoder, Passage& passage) const;
  base::Status send_in_order(connection::Connection& server, const messaging::OutgoingRequest& request,
                             Passage& passage);
  void on_reply(connection::Connection& server, const messaging::IncomingReply& reply, cdr::Decoder& body);
  void set_types_of(const messaging::IncomingReply& reply, const cdr::Decoder& body, Passage& passage) const;
  bool is_undeclared(const messaging::IncomingReply& reply, const cdr::Decoder& body) const;
  base::Status answer(messaging::ReplyStatus status, std::vector<messaging::ServiceContext>& contexts,
                      Passage& passage);
  base::Status answer_in_order(messaging::ReplyStatus status, std::span<const messaging::ServiceContext> contexts,
                               Passage& passage);
  [[noreturn]] void fail(base::Error error, const std::string& where) const;

  Means& means_;
  connection::Connection& client_;
  const messaging::IncomingRequest& request_;
  const cdr::Decoder& body_;
  Target& target_;
  const Signature* const signature_;
  base::Deadline deadline_;
  std::vector<messaging::ServiceContext> contexts_;
  std::optional<corba::SystemFailure> instead_;  ///< of the reply, which is here and cannot be passed on
  bool counted_ = false;                         ///< it may be sent again, and is one request
};

}  // namespace corbel::bridge
