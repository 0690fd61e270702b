// SPDX-License-Identifier: Apache-2.0
// A server's side of a conversation: a connection of a real server in single mode, whose peer sends whatever the input
// says. Each request is served at most once, no reply answers what was not asked, and what is sent is well formed.
#include <map>

#include "conversation.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/connection/server.hpp"

namespace {

using namespace corbel;
using fuzz::Peer;
using fuzz::require;

struct Servant final : connection::RequestHandler {
  void on_request(connection::Connection& connection, const messaging::IncomingRequest& request,
                  cdr::Decoder& body) noexcept override {
    ++served;
    request.contexts.for_each([](const messaging::ServiceContext&) {});
    const auto what = body.get<std::uint8_t>();
    if (what == 4) connection.close();
    if (what >= 0xe0) fuzz::read_long_sequence(body, what);
    if (request.response == messaging::Response::none) return;
    ++answers[request.origin.id];
    const auto status = what == 1 ? messaging::ReplyStatus::system_exception : messaging::ReplyStatus::no_exception;
    (void)connection.reply(request.origin, status, {}, [&](cdr::Encoder& e) {
      if (what == 3) return e.fail(base::Code::bad_argument);
      e.put_octets(fuzz::kZeros.data(), what == 2 ? fuzz::kZeros.size() : 10);
    });
  }
  void on_locate_request(connection::Connection& connection,
                         const messaging::IncomingLocateRequest& request) noexcept override {
    ++answers[request.origin.id];
    (void)connection.reply_locate(request.origin, messaging::LocateStatus::object_here, [](cdr::Encoder&) {});
  }
  std::size_t served = 0;
  std::map<std::uint32_t, std::size_t> answers;  // by request id: how many may be sent
};

struct Conversation {
  Conversation(const std::uint8_t* data, std::size_t size) : script(data, size) {
    connection::Server::Settings settings;
    settings.serving.concurrency = policy::Concurrency::single;
    settings.connection.limits.max_message_size = 1U << 16;
    auto created = connection::Server::create(settings, servant);
    require(created.ok(), "a server");
    server = *std::move(created);
    server->adopt(std::make_unique<fuzz::ScriptedTransport>(peer), messaging::make_giop());
  }

  base::Bytes request(std::uint8_t minor) {
    messaging::OutgoingRequest request;
    const std::uint32_t id = script.octet();
    const std::uint8_t flags = script.octet();
    constexpr messaging::Response kResponses[] = {messaging::Response::with_target, messaging::Response::none,
                                                  messaging::Response::with_server};
    request.response = kResponses[flags % 3];
    const base::Octet key[] = {'k', 'e', 'y'};
    request.object_key = key;
    request.operation = "op";
    const std::uint8_t what = script.octet();
    const std::size_t extra = (flags >> 4) * 37U;
    return fuzz::encoded(minor, [&](cdr::Encoder& encoder) {
      codec.encode_request(encoder, id, request, [&](cdr::Encoder& e) {
        e.put(what);
        if (what >= 0xe0) return fuzz::put_long_sequence(e, what);
        e.put_octets(fuzz::kZeros.data(), extra);
      });
    });
  }

  void step() {
    const std::uint8_t op = script.octet();
    const std::uint8_t minor = op / 16 % 3;
    switch (op % 16) {
      case 0:
        fuzz::exact = false;
        peer.deliver(script.octets(script.octet()));
        break;
      case 1:
      case 2:
        sent_requests += 1;
        peer.deliver(request(minor));
        break;
      case 3: {
        sent_requests += 1;
        const std::uint8_t size = script.octet();
        const std::uint8_t lost = script.octet();
        fuzz::exact = fuzz::exact && lost == 0;
        peer.deliver(fuzz::fragmented(request(minor), size, lost));
        break;
      }
      case 4: {
        const std::uint8_t id = script.octet();
        const base::Octet key[] = {'k'};
        peer.deliver(
            fuzz::encoded(minor, [&](cdr::Encoder& encoder) { codec.encode_locate_request(encoder, id, key); }));
        break;
      }
      case 5: {
        const std::uint8_t id = script.octet();
        peer.deliver(fuzz::encoded(minor, [&](cdr::Encoder& encoder) { codec.encode_cancel_request(encoder, id); }));
        break;
      }
      case 6: {
        const auto type = op & 64 ? messaging::MessageType::close_connection : messaging::MessageType::message_error;
        peer.deliver(fuzz::encoded(minor, [&](cdr::Encoder& encoder) { codec.encode_control(encoder, type); }));
        break;
      }
      case 7: {  // a message with one octet changed
        base::Bytes message = request(minor);
        message[script.octet() % message.size()] = script.octet();
        fuzz::exact = false;
        peer.deliver(message);
        break;
      }
      case 8: {  // a message without its end
        base::Bytes message = request(minor);
        message.resize(script.octet() % message.size());
        fuzz::exact = false;
        peer.deliver(message);
        break;
      }
      case 9:
        peer.receive_at_most = script.octet() + 1U;
        break;
      case 10:
        peer.send_room = script.octet() * 8U;
        break;
      case 11:
        peer.send_room = ~0UL;
        break;
      case 12:
        peer.finish(op & 64 ? Peer::End::closed : Peer::End::lost);
        break;
      case 13:
        reply_to_a_server(minor);
        break;
      default:
        pump();
        break;
    }
  }

  void reply_to_a_server(std::uint8_t minor) {
    const std::uint8_t id = script.octet();
    peer.deliver(fuzz::encoded(minor, [&](cdr::Encoder& encoder) {
      codec.encode_reply(encoder, id, messaging::ReplyStatus::no_exception, {}, [](cdr::Encoder&) {});
    }));
  }

  void pump() const {
    for (int i = 0; i < 8 && server->work_pending(); ++i) server->perform_work();
  }

  /// What the protocol answers without the servant: the target is not given by its key, or no code set is common,
  /// or the header is beyond a limit.
  bool is_of_protocol(const messaging::FrameHeader& frame, base::ConstByteSpan octets) const {
    cdr::Decoder body;
    if (frame.type == messaging::MessageType::locate_reply) {
      const auto reply = codec.decode_locate_reply(frame, octets, {}, body);
      return reply.ok() && reply->status == messaging::LocateStatus::needs_addressing_mode;
    }
    const auto reply = codec.decode_reply(frame, octets, {}, body);
    if (!reply.ok()) return false;
    if (reply->status == messaging::ReplyStatus::needs_addressing_mode) return true;
    if (reply->status != messaging::ReplyStatus::system_exception) return false;
    const std::string_view exception = body.get_plain_string();
    return exception == "IDL:omg.org/CORBA/CODESET_INCOMPATIBLE:1.0" || exception == "IDL:omg.org/CORBA/IMP_LIMIT:1.0";
  }

  void check() {
    require(!fuzz::exact || servant.served <= sent_requests, "a request was served twice");
    fuzz::for_each_sent(codec, peer, [&](const messaging::FrameHeader& frame, base::ConstByteSpan octets) {
      using Type = messaging::MessageType;
      require(frame.type == Type::reply || frame.type == Type::locate_reply || frame.type == Type::close_connection ||
                  frame.type == Type::message_error,
              "a server sends replies and the end only");
      if (frame.type != Type::reply && frame.type != Type::locate_reply) return;
      if (is_of_protocol(frame, octets)) return require(!fuzz::exact, "the protocol refused what was well addressed");
      const auto id = codec.peek_request_id(frame, octets);
      require(id.ok() && servant.answers[*id]-- > 0, "an answer to what was not asked");
    });
  }

  fuzz::Script script;
  Peer peer;
  Servant servant;
  const messaging::giop::Giop codec{{1, 2}};
  std::unique_ptr<connection::Server> server;
  std::size_t sent_requests = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::exact = true;
  Conversation conversation(data, size);
  for (int steps = 0; !conversation.script.ended() && steps < 200; ++steps) conversation.step();
  conversation.pump();
  conversation.server->stop(true);
  conversation.check();
  conversation.server.reset();
  return 0;
}
