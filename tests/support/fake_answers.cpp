// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "fake_peer.hpp"

namespace corbel::test::answer {

Answer nothing() {
  return [](Conversation&, const Received&) {};
}
Answer status(std::uint32_t status, std::function<void(Writer&)> body) {
  return [status, body](Conversation& conversation, const Received& request) {
    conversation.reply(request, status, body);
  };
}
Answer text(std::string result) {
  return status(0, [result](Writer& writer) { writer.string(result); });
}
Answer done() {
  return status(0);
}
Answer user_exception(std::string id) {
  return status(1, [id](Writer& writer) { writer.string(id); });
}
Answer system_exception(std::string_view name, std::uint32_t completed, std::uint32_t minor) {
  const std::string id = "IDL:omg.org/CORBA/" + std::string(name) + ":1.0";
  return status(2, [=](Writer& writer) { writer.string(id).u32(minor).u32(completed); });
}
Answer forward(std::vector<ProfileData> to, bool permanent) {
  return status(permanent ? 4 : 3, [to](Writer& writer) { write_ior(writer, to); });
}
Answer end() {
  return [](Conversation& conversation, const Received&) { conversation.end(); };
}
Answer reset() {
  return [](Conversation& conversation, const Received&) { conversation.reset(); };
}
Answer close_connection() {
  return [](Conversation& conversation, const Received& request) {
    conversation.control(kCloseConnection, request.minor);
    conversation.end();
  };
}
Answer message_error() {
  return [](Conversation& conversation, const Received& request) {
    conversation.control(kMessageError, request.minor);
    conversation.end();
  };
}
Answer octets(Octets what, bool then_end) {
  return [what, then_end](Conversation& conversation, const Received&) {
    conversation.send(what);
    if (then_end) conversation.end();
  };
}
Answer garbage(std::string_view text) {
  return octets(octets_of(text));
}
Answer half(Answer whole, std::size_t size) {
  return [whole, size](Conversation& conversation, const Received& request) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::generic_category(), "socketpair");
    Conversation aside(ends[0], conversation.number());
    whole(aside, request);
    Octets first(size);
    const ssize_t count = ::recv(ends[1], first.data(), size, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    first.resize(static_cast<std::size_t>(count < 0 ? 0 : count));
    conversation.send(first);
    conversation.end();
  };
}
Answer unfinished(std::size_t octets) {
  return [octets](Conversation& conversation, const Received& request) {
    Octets whole = Writer().giop(kReply, 2).u32(request.request_id).u32(0).u32(0).octets(Octets(octets)).finish();
    whole.pop_back();
    conversation.send(whole);
  };
}

Answer begun_and_closed() {
  return [](Conversation& conversation, const Received& request) {
    Octets part = Writer().giop(kReply, 2).u32(request.request_id).u32(0).u32(0).u32(0).finish();
    part[6] |= 2;  // fragments follow
    conversation.send(part);
    conversation.control(kCloseConnection);
    conversation.end();
  };
}

Answer stray(std::uint8_t type, std::uint32_t request_id) {
  return [=](Conversation& conversation, const Received& request) {
    Writer writer;
    writer.giop(type, request.minor);
    if (type == kLocateReply) writer.u32(request_id).u32(1);
    if (type == kReply) writer.u32(request_id).u32(0).u32(0);
    if (type == kCancelRequest) writer.u32(request_id);
    conversation.send(writer.finish());
  };
}

}  // namespace corbel::test::answer
