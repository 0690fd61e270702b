// SPDX-License-Identifier: Apache-2.0
// The GIOP messages of a connection, seen from outside, and what they mean by IDL.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "caller.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "relay.hpp"

namespace corbel::tool {

/// One message, as far as it could be understood.
struct Seen {
  Way way = Way::there;
  /// "request", "reply", "locate request", "locate reply", "cancel", "close", "error", "fragment", "unreadable";
  /// "compressed" if it could not be decompressed.
  std::string kind = {};
  std::uint8_t minor = 2;       ///< GIOP 1.minor
  std::uint32_t id = 0;         ///< of the request; 0 where messages have none
  std::size_t octets = 0;       ///< of the message, fragments joined
  std::string compressor = {};  ///< if it came compressed (ZIOP): by what; a request in fragments: the last of them
  std::size_t on_wire = 0;      ///< then: octets that it came in
  bool oneway = false;
  std::string operation = {};  ///< of the request, also in its reply; empty if not known
  std::string interface = {};  ///< scoped name by IDL; empty if not known
  base::Bytes key = {};        ///< of the object, also in the reply
  std::string status = {};     ///< of replies: "ok", "exception", "system exception", "forward", "here", "unknown"
  Json values = {};            ///< of a request: arguments by name; of a reply: result and outs, or members; null: none
  std::string exception = {};  ///< what was raised
  std::string problem = {};    ///< why something could not be understood
  base::Bytes body = {};       ///< as it came, if asked for
  double milliseconds = -1;    ///< of replies: since the request
};

/// Knows the types, and reads bodies by them. Thread-safe.
class Interpreter {
 public:
  explicit Interpreter(const Files& files);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// What a request is about.
  struct Meaning {
    const idl::model::Interface* interface = nullptr;
    Callable callable = {};
    bool sets = false;         ///< of an attribute
    std::string builtin = {};  ///< what every object has: "_is_a"
    bool known() const { return callable.operation != nullptr || callable.attribute != nullptr || !builtin.empty(); }
  };

  /// Reads a request's arguments into `seen`, and says what it is.
  Meaning request(const cdr::Decoder& body, Seen& seen);
  /// Reads what a reply brings into `seen`, by what its request was.
  void reply(const Meaning& meaning, messaging::ReplyStatus status, cdr::Decoder body, Seen& seen);

 private:
  using Parameter = std::pair<std::string, CORBA::typecode_reference>;

  std::vector<Meaning> meanings(const std::string& operation) const;
  std::vector<Parameter> parameters(const Meaning& meaning, bool answer);
  bool read(cdr::Decoder body, const std::vector<Parameter>& parameters, Seen& seen);
  void read_exception(const Meaning& meaning, cdr::Decoder& body, Seen& seen);

  std::mutex mutex_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  Types types_;
  JsonValues json_;
  IDL::traits<CORBA::Object>::ref_type object_;  // keeps context_ alive
  cdr::Context* context_ = nullptr;
};

/// The messages of one connection. Octets of a way by one thread at a time; both ways may come at once.
class Listener {
 public:
  using See = std::function<void(Seen seen)>;

  /// `see` is called for every message, by one thread at a time. Bodies are kept if `bodies`.
  Listener(Interpreter& interpreter, See see, bool bodies = false);

  void octets(Way way, base::ConstByteSpan octets, std::chrono::steady_clock::time_point when);
  /// Something is missing in this way: what comes next need not be the begin of a message. Nothing is seen until one
  /// begins.
  void gap(Way way);

 private:
  struct Asked {
    std::string operation = {};
    Interpreter::Meaning meaning = {};
    std::string interface = {};
    base::Bytes key = {};
    bool locate = false;
    std::chrono::steady_clock::time_point when = {};
  };
  struct Direction {
    std::unique_ptr<messaging::Session> session;
    messaging::Joined joined;
    base::Bytes waiting;
    std::size_t skip = 0;  ///< octets of a message that is too large to be looked at
    bool lost = false;     ///< what comes is no GIOP
    bool resync = false;   ///< what comes need not be the begin of a message: wait for one
    std::map<std::uint32_t, Asked> asked;
    std::pair<cdr::CodeSet, cdr::CodeSet> code_sets{cdr::CodeSet::utf_8, cdr::CodeSet::utf_16};
  };

  void take_all(Way way, std::chrono::steady_clock::time_point when);
  void take(Way way, base::ConstByteSpan message, std::chrono::steady_clock::time_point when);
  void take_compressed(Way way, base::ConstByteSpan message, std::chrono::steady_clock::time_point when);
  /// `whole` is not 0 if what came in is only the begin of a message of so many octets.
  void look(Way way, const messaging::Incoming& incoming, std::chrono::steady_clock::time_point when,
            std::size_t whole = 0);
  void look_at_begin(Way way, base::ConstByteSpan begin, std::size_t size, std::chrono::steady_clock::time_point when);
  static void ask(Direction& direction, std::uint32_t id, Asked question);
  void look_at_request(Way way, const messaging::Incoming& incoming, Seen& seen,
                       std::chrono::steady_clock::time_point when);
  void look_at_reply(Way way, const messaging::Incoming& incoming, Seen& seen,
                     std::chrono::steady_clock::time_point when);
  void look_at_locate_reply(Way way, base::ConstByteSpan message, Seen& seen,
                            std::chrono::steady_clock::time_point when);

  Interpreter& interpreter_;
  const See see_;
  const bool bodies_;
  const std::shared_ptr<const messaging::Protocol> giop_ = messaging::make_giop();
  std::mutex mutex_;
  std::array<Direction, 2> directions_;
  Seen packing_;  // of the message that is looked at: how it came, if it was compressed
};

}  // namespace corbel::tool
