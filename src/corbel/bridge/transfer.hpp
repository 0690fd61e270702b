// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "corbel/bridge/asked.hpp"
#include "corbel/bridge/means.hpp"
#include "corbel/bridge/passage.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::bridge {

/// What leaves for a server in place of what a client asked, and for the client in place of what the server answered:
/// the words, not the waiting. Used by one thread at a time.
class Transfer {
 public:
  /// Has a request written and sent, or not.
  using Start = base::FunctionRef<base::Status(const messaging::OutgoingRequest&, messaging::BodyWriter)>;

  /// `asked` outlives this; so does `target`.
  Transfer(Means& means, connection::Connection& client, const Asked& asked, const Target& target);

  Manner manner() const;
  /// Until when the client waits, as far as it has said so.
  base::Deadline limit() const;
  /// Writes the request, as `server` has to be told it, and gives it to `start`: more than once, if it says that the
  /// octets would have to lie elsewhere.
  base::Status send(connection::Connection& server, base::ConstByteSpan object_key, Start start);
  /// Answers the client with what the server has said. What the client is to be told instead, if that cannot be passed
  /// on; nothing is sent then. On the thread that reads the server's connection.
  std::optional<corba::SystemFailure> pass_back(connection::Connection& server, const messaging::IncomingReply& reply,
                                                cdr::Decoder& body) noexcept;

 private:
  std::optional<corba::SystemFailure> pass_reply(connection::Connection& server, const messaging::IncomingReply& reply,
                                                 cdr::Decoder& body);
  std::optional<corba::SystemFailure> pass_location(const messaging::IncomingReply& reply, cdr::Decoder& body);
  void write(cdr::Encoder& encoder, Passage& passage) const;
  base::Status send_in_order(connection::Connection& server, const messaging::OutgoingRequest& request,
                             Passage& passage, Start start);
  void set_types_of(const messaging::IncomingReply& reply, const cdr::Decoder& body, Passage& passage) const;
  bool is_undeclared(const messaging::IncomingReply& reply, const cdr::Decoder& body) const;
  base::Status answer(messaging::ReplyStatus status, std::vector<messaging::ServiceContext>& contexts,
                      Passage& passage);
  base::Status answer_in_order(messaging::ReplyStatus status, std::span<const messaging::ServiceContext> contexts,
                               Passage& passage);

  Means& means_;
  connection::Connection& client_;
  const Asked& asked_;
  const Signature* const signature_;
  bool counted_ = false;  ///< it may be sent again, and is one request
};

}  // namespace corbel::bridge
