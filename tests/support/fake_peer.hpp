// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "giop_writer.hpp"

/// A GIOP server made by hand: it takes nothing from the code it tests, notes every octet it is sent, and answers as
/// told. For whatever tests clients: counts of connections and requests are exact, and so is what each request said.
namespace corbel::test {

enum MessageType : std::uint8_t {
  kRequest = 0,
  kReply = 1,
  kCancelRequest = 2,
  kLocateRequest = 3,
  kLocateReply = 4,
  kCloseConnection = 5,
  kMessageError = 6,
  kFragment = 7,
};

/// A message as it came. `octets` is all of it; for requests the header is taken apart as well.
struct Received {
  unsigned connection = 0;  ///< the number of its connection, from 1
  std::uint8_t type = 0;
  std::uint8_t minor = 0;
  bool little_endian = true;
  std::uint32_t request_id = 0;     ///< also of CancelRequest
  std::uint8_t response_flags = 0;  ///< as on the wire: GIOP 1.0 and 1.1 have 0 or 1
  std::uint16_t addressing = 0;     ///< disposition (GIOP 1.2)
  std::string key;
  std::string operation;
  std::vector<std::uint32_t> contexts;  ///< ids
  Octets octets;
  std::size_t body = 0;  ///< where the arguments begin in `octets`
};

/// One connection as a script sees it. Its functions return when the system has taken what they send.
class Conversation {
 public:
  explicit Conversation(int socket, unsigned number) : socket_(socket), number_(number) {}

  unsigned number() const { return number_; }
  void send(const Octets& octets);
  void send(std::string_view text) { send(octets_of(text)); }
  /// A reply to `request` in its version; `body` writes what follows the header.
  void reply(const Received& request, std::uint32_t status, const std::function<void(Writer&)>& body = {});
  /// A message without a body: kCloseConnection, kMessageError.
  void control(std::uint8_t type, std::uint8_t minor = 2);
  /// Ends the connection: in order (the client reads the end of the stream) or with a reset.
  void end();
  void reset();
  bool ended() const { return ended_; }

 private:
  int socket_;
  unsigned number_;
  bool ended_ = false;
};

/// What to do about one request.
using Answer = std::function<void(Conversation&, const Received&)>;

/// Answers. None of them looks at what was asked.
namespace answer {
Answer nothing();          ///< for oneways, and for silence
Answer text(std::string);  ///< a result: one string
Answer done();             ///< a result: nothing
Answer user_exception(std::string id);
/// A standard system exception by name, with OMG minor 0; `completed` 0 yes, 1 no, 2 maybe.
Answer system_exception(std::string_view name, std::uint32_t completed, std::uint32_t minor = 0);
Answer forward(std::vector<ProfileData> to, bool permanent = false);
Answer status(std::uint32_t status, std::function<void(Writer&)> body = {});
Answer close_connection();  ///< CloseConnection, then the end
Answer message_error();     ///< MessageError, then the end
Answer end();               ///< the end of the stream, without a word
Answer reset();
Answer octets(Octets what, bool then_end = true);
Answer garbage(std::string_view text);
Answer begun_and_closed();                      ///< the first fragment of a reply, then CloseConnection
Answer half(Answer whole, std::size_t octets);  ///< the first so many octets of what another would send, then the end
Answer unfinished(std::size_t octets);  ///< a result, one string or sequence, of which the last octet never comes
Answer stray(std::uint8_t type, std::uint32_t request_id = 7);  ///< a message that nobody waits for
}  // namespace answer

/// Several peers tell it what happens, in its order: "A" for a request that reached the peer A.
class Journal {
 public:
  void add(const std::string& who) {
    const std::lock_guard lock(mutex_);
    all_ += all_.empty() ? who : ' ' + who;
  }
  std::string all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::string all_;
};

class FakePeer {
 public:
  struct Settings {
    std::string name;
    Journal* journal = nullptr;
    std::string greeting;      ///< sent as soon as a client connects
    bool end_at_once = false;  ///< ends every connection as soon as it is there (after the greeting)
  };

  /// Answers the first request (of all connections) with the first answer, and so on; the last one again and again.
  explicit FakePeer(std::vector<Answer> answers = {}) : FakePeer(std::move(answers), Settings()) {}
  FakePeer(std::vector<Answer> answers, Settings settings);
  ~FakePeer();
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;

  /// Other answers from now on, counted from here.
  void set(std::vector<Answer> answers);
  std::uint16_t port() const { return port_; }
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  ProfileData profile(std::string key = "key") const;
  /// A stringified reference that leads here and nowhere else.
  std::string ior() const { return ior_string({profile()}); }

  unsigned connections() const;
  unsigned requests() const;
  /// Everything that came, in order of arrival, requests and others.
  std::vector<Received> messages() const;
  /// The last request.
  Received last() const;
  /// Waits (a long time) until so many messages in all have come; false if they do not.
  bool wait_for_messages(std::size_t count) const;
  /// Waits until so many connections are open; false if that does not come about.
  bool wait_for_open(unsigned count) const;
  /// Ends all connections, with CloseConnection or without a word. New ones are still accepted.
  void close_all(bool with_message);

 private:
  struct Line;

  void accept();
  void talk(Line& line);
  bool take(Line& line, Conversation& conversation, Octets octets);
  Answer next_answer();

  const Settings settings_;
  std::uint16_t port_ = 0;
  int listener_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  std::vector<Answer> answers_;
  std::size_t next_ = 0;
  std::vector<Received> messages_;
  unsigned requests_ = 0;
  unsigned connections_ = 0;
  unsigned open_ = 0;
  std::list<Line> lines_;
  bool ending_ = false;
  std::thread acceptor_;
};

/// A port of this machine on which connecting is refused as long as this lives.
class RefusingPort {
 public:
  RefusingPort();
  ~RefusingPort();
  RefusingPort(const RefusingPort&) = delete;
  RefusingPort& operator=(const RefusingPort&) = delete;
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  ProfileData profile(std::string key = "key") const;

 private:
  std::uint16_t port_ = 0;
  int socket_;
};

/// A port of this machine on which connecting takes for ever.
class SilentPort {
 public:
  SilentPort();
  ~SilentPort();
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  ProfileData profile(std::string key = "key") const;

 private:
  std::uint16_t port_ = 0;
  int listener_;
  std::vector<int> queued_;
};

}  // namespace corbel::test
