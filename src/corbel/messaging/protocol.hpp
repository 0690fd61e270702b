// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/messaging/message.hpp"
#include "corbel/messaging/session.hpp"

/// Port 1, the ORB messaging component: what a message protocol must do. Octets in, octets out, no I/O, so every
/// protocol can be tested without a socket. docs/messaging-protocols.md shows how to write one.
namespace corbel::messaging {

/// What a protocol needs of the transport under it; checked against transport::Traits when the two are combined.
struct Requirements {
  bool ordered = true;
  bool reliable = true;
  bool whole_messages = false;  ///< cannot cut messages out of a byte stream: the transport must keep their boundaries
};

/// What can be said in a protocol. A call that needs more goes to another endpoint of its reference.
struct Offers {
  bool two_way = true;            ///< requests with a reply
  bool oneway = true;             ///< requests without
  bool locate = false;            ///< questions where an object is
  bool cancel = false;            ///< news that no caller waits for a reply
  bool service_contexts = false;  ///< they go along with requests and replies, and code sets are agreed on in them
  bool fragments = false;         ///< messages may come in pieces
  bool groups = false;            ///< oneways to many peers at once, which are strangers to each other
  bool both_ways = false;         ///< requests from either side of a conversation
};

/// "two-way, oneway, locate".
CORBEL_API std::string to_string(const Offers& offers);

/// A message protocol: what is the same for all its conversations. Immutable and thread-safe.
class CORBEL_API Protocol {
 public:
  virtual ~Protocol();

  /// The word used in endpoints and options: "giop", "giop_lite".
  virtual std::string_view name() const noexcept = 0;
  virtual Requirements requirements() const noexcept = 0;
  virtual Offers offers() const noexcept = 0;
  /// The highest version spoken, as published in references.
  virtual Version version() const noexcept = 0;
  /// The state of a new conversation. One allocation for each connection, none for each call. The protocol outlives it.
  virtual std::unique_ptr<Session> open(const SessionSettings& settings) const = 0;
};

}  // namespace corbel::messaging
