// SPDX-License-Identifier: Apache-2.0
// A client's side of a conversation: calls of all kinds on one connection whose server answers as the input says, in
// any order, in pieces, with the end in between. Every asynchronous call is finished exactly once, and no caller gets
// another one's reply.
#include <vector>

#include "conversation.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/connection/connection.hpp"

namespace {

using namespace corbel;
using fuzz::Peer;
using fuzz::require;

struct Async final : connection::AsyncReply {
  void on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept override {
    require(started && !finished && replies++ == 0, "one reply, while it is under way");
    require(reply.token == token, "the reply of another call");
    fuzz::read_long_sequence(body, static_cast<std::uint8_t>(reply.token));
  }
  void on_queued() noexcept override {}
  void finish() noexcept override {
    require(started && !finished, "finished once");
    require(replies == 1 || error.code != base::Code::none, "neither reply nor error");
    finished = true;
  }
  bool started = false;
  bool finished = false;
  int replies = 0;
};

struct Conversation {
  Conversation(const std::uint8_t* data, std::size_t size) : script(data, size) {
    auto created = reactor::Reactor::create();
    require(created.ok(), "a reactor");
    reactor = *std::move(created);
    completions = std::make_unique<connection::Completions>(*reactor, false);
    const std::uint8_t first = script.octet();
    connection::Connection::Settings settings;
    settings.limits.max_message_size = 1U << 16;
    settings.version = {1, static_cast<std::uint8_t>(first % 3)};
    settings.code_sets.negotiated = (first & 64) != 0;
    connection = connection::ConnectionPtr(
        new connection::Connection(std::make_unique<fuzz::ScriptedTransport>(peer), messaging::make_giop(), settings));
    connection->set_completions(completions.get());
  }
  ~Conversation() { connection.reset(); }

  messaging::OutgoingRequest request() {
    messaging::OutgoingRequest request;
    request.object_key = key;
    request.operation = "op";
    return request;
  }
  static base::Deadline an_hour() { return base::Deadline::after(std::chrono::hours(1)); }

  void call(bool only_if_idle) {
    const std::uint32_t id = connection->take_token() + 2;  // the next
    bool replied = false;
    connection::Caller caller;
    if (!connection->enter(caller) && only_if_idle) return;
    const auto status = connection->call(
        caller, request(), [](cdr::Encoder& e) { e.put(std::uint32_t{7}); }, an_hour(),
        [&](const messaging::IncomingReply& reply, cdr::Decoder& body) {
          fuzz::read_long_sequence(body, static_cast<std::uint8_t>(id / 2));
          require(reply.token == id, "the reply of another call");
          require(!replied, "one reply");
          replied = true;
        });
    require(status.ok() == replied, "a call comes back with its reply, or without one and an error");
  }

  void start(std::uint8_t how) {
    auto reply = std::make_unique<Async>();
    reply->token = connection->take_token();
    if (how & 1) reply->deadline = how & 2 ? base::Deadline::now() : an_hour();
    reply->started = true;
    const bool fails = (how & 12) == 12;
    const auto status = connection->start(
        request(), [&](cdr::Encoder& e) { fails ? e.fail(base::Code::bad_argument) : e.put(std::uint32_t{7}); },
        *reply);
    if (!status) {
      require(!reply->finished, "not started, and yet finished");
      reply->started = false;
    }
    calls.push_back(std::move(reply));
  }

  base::Bytes reply(std::uint8_t minor) {
    const std::uint32_t id = script.octet() * 2U;
    const std::uint8_t what = script.octet();
    return fuzz::encoded(minor, [&](cdr::Encoder& encoder) {
      codec.encode_reply(encoder, id, static_cast<messaging::ReplyStatus>(what % 6), {}, [&](cdr::Encoder& e) {
        if (what >= 0xe0) return fuzz::put_long_sequence(e, what);
        e.put_octets(fuzz::kZeros.data(), what);
      });
    });
  }

  void help(std::uint8_t which) {
    if (calls.empty()) return;
    Async& chosen = *calls[which % calls.size()];
    if (!chosen.started || chosen.finished) return;
    if (connection->help(chosen, chosen.token, an_hour())) chosen.finish();
  }

  void step() {
    const std::uint8_t op = script.octet();
    const std::uint8_t minor = op / 16 % 3;
    switch (op % 16) {
      case 0:
        call((op & 64) != 0);
        break;
      case 1:
      case 2:
        start(script.octet());
        break;
      case 3:
        (void)connection->send_oneway(
            request(), [](cdr::Encoder&) {}, an_hour());
        break;
      case 4:
      case 5:
        peer.deliver(reply(minor));
        break;
      case 6: {
        const std::uint8_t size = script.octet();
        const std::uint8_t lost = script.octet();
        fuzz::exact = fuzz::exact && lost == 0;
        peer.deliver(fuzz::fragmented(reply(minor), size, lost));
        break;
      }
      case 7: {
        const auto type = op & 64 ? messaging::MessageType::close_connection : messaging::MessageType::message_error;
        peer.deliver(fuzz::encoded(minor, [&](cdr::Encoder& encoder) { codec.encode_control(encoder, type); }));
        break;
      }
      case 8:
        fuzz::exact = false;
        peer.deliver(script.octets(script.octet()));
        break;
      case 9: {
        base::Bytes message = reply(minor);
        message[script.octet() % message.size()] = script.octet();
        fuzz::exact = false;
        peer.deliver(message);
        break;
      }
      case 10:
        peer.receive_at_most = script.octet() + 1U;
        break;
      case 11:
        peer.send_room = op & 64 ? ~0UL : script.octet();
        break;
      case 12:
        peer.finish(op & 64 ? Peer::End::closed : Peer::End::lost);
        break;
      case 13:
        help(script.octet());
        break;
      case 14:
        op & 64 ? connection->expire() : cancel();
        break;
      default:
        pump();
        break;
    }
  }

  void cancel() {
    connection::AsyncReplyList cancelled;
    connection->cancel_async(cancelled);
    completions->run(cancelled);
  }

  void pump() const {
    for (int i = 0; i < 8 && reactor->work_pending(); ++i) (void)reactor->run_once(base::Deadline::now());
  }

  void end() {
    if ((script.octet() & 1) == 0) cancel();
    connection->close();
    completions->settle();
    for (const auto& each : calls) require(each->finished == each->started, "every call that was started is finished");
    fuzz::for_each_sent(codec, peer, [](const messaging::FrameHeader& frame, base::ConstByteSpan) {
      using Type = messaging::MessageType;
      require(frame.type == Type::request || frame.type == Type::cancel_request || frame.type == Type::close_connection,
              "a client sends requests, cancellations and the end only");
    });
  }

  const base::Bytes key{'k', 'e', 'y'};
  fuzz::Script script;
  Peer peer;
  const messaging::giop::Giop codec{{1, 2}};
  std::unique_ptr<reactor::Reactor> reactor;
  std::unique_ptr<connection::Completions> completions;
  connection::ConnectionPtr connection;
  std::vector<std::unique_ptr<Async>> calls;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::exact = true;
  Conversation conversation(data, size);
  for (int steps = 0; !conversation.script.ended() && steps < 200; ++steps) conversation.step();
  conversation.pump();
  conversation.end();
  return 0;
}
