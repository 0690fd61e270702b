// SPDX-License-Identifier: Apache-2.0
#include "fake_peer.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>

namespace corbel::test {
namespace {

constexpr auto kLongEnough = std::chrono::seconds(30);

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A TCP socket bound to a free port of the loopback interface.
int bound_socket(std::uint16_t& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0) fail("bind");
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) fail("getsockname");
  port = ntohs(address.sin_port);
  return socket;
}

ProfileData profile_at(std::uint16_t port, std::string key) {
  ProfileData profile;
  profile.port = port;
  profile.key = std::move(key);
  return profile;
}

bool receive(int socket, Octets& octets, std::size_t size) {
  const std::size_t before = octets.size();
  octets.resize(before + size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::recv(socket, octets.data() + before + done, size - done, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

void read_contexts(Reader& reader, Received& message) {
  for (std::uint32_t count = reader.u32(); count > 0; --count) {
    message.contexts.push_back(reader.u32());
    (void)reader.octets();
  }
}

void take_apart(Received& message) {
  Reader reader(message.octets, message.little_endian, 12);
  const bool modern = message.minor >= 2;
  if (message.type == kCancelRequest || message.type == kLocateRequest) {
    message.request_id = reader.u32();
    if (message.type == kCancelRequest) return;
    if (modern) message.addressing = reader.u16();
    const Octets key = reader.octets();
    message.key.assign(key.begin(), key.end());
    return;
  }
  if (message.type != kRequest) return;
  if (!modern) read_contexts(reader, message);
  message.request_id = reader.u32();
  message.response_flags = reader.octet();
  for (int i = 0; i < 3 && message.minor > 0; ++i) (void)reader.octet();
  if (modern) message.addressing = reader.u16();
  if (message.addressing == 0) {
    const Octets key = reader.octets();
    message.key.assign(key.begin(), key.end());
  } else {
    if (message.addressing == 2) (void)reader.u32();
    if (message.addressing == 2) (void)reader.string();
    for (std::uint32_t profiles = message.addressing == 2 ? reader.u32() : 1; profiles > 0; --profiles) {
      (void)reader.u32();
      (void)reader.octets();
    }
  }
  message.operation = reader.string();
  if (modern) read_contexts(reader, message);
  if (!modern) (void)reader.octets();
  message.body = reader.position();
  if (modern && message.body < message.octets.size()) message.body = reader.align(8).position();
}

}  // namespace

void Conversation::send(const Octets& octets) {
  for (std::size_t done = 0; done < octets.size() && !ended_;) {
    const ssize_t count = ::send(socket_, octets.data() + done, octets.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the client has gone: also an outcome
    done += static_cast<std::size_t>(count);
  }
}

void Conversation::reply(const Received& request, std::uint32_t status, const std::function<void(Writer&)>& body) {
  Writer writer;
  writer.giop(kReply, request.minor);
  if (request.minor < 2) writer.u32(0);
  writer.u32(request.request_id).u32(status);
  if (request.minor >= 2) writer.u32(0);
  if (body) {
    if (request.minor >= 2) writer.align(8);
    body(writer);
  }
  send(writer.finish());
}

void Conversation::control(std::uint8_t type, std::uint8_t minor) {
  send(Writer().giop(type, minor).finish());
}

void Conversation::end() {
  if (!ended_) ::shutdown(socket_, SHUT_RDWR);
  ended_ = true;
}

void Conversation::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ended_ = true;  // closing does it
}

/// One connection and its thread.
struct FakePeer::Line {
  int socket = -1;
  unsigned number = 0;
  std::thread thread;
};

FakePeer::FakePeer(std::vector<Answer> answers, Settings settings)
    : settings_(std::move(settings)), listener_(bound_socket(port_)), answers_(std::move(answers)) {
  if (::listen(listener_, 128) != 0) fail("listen");
  acceptor_ = std::thread([this] { accept(); });
}

FakePeer::~FakePeer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (Line& line : lines_) {
      if (line.socket >= 0) ::shutdown(line.socket, SHUT_RDWR);
    }
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (Line& line : lines_) line.thread.join();
  ::close(listener_);
}

void FakePeer::accept() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    if (ending_) {
      ::close(socket);
      return;
    }
    Line& line = lines_.emplace_back();
    line.socket = socket;
    line.number = ++connections_;
    ++open_;
    changed_.notify_all();
    line.thread = std::thread([this, &line] { talk(line); });
  }
}

void FakePeer::talk(Line& line) {
  Conversation conversation(line.socket, line.number);
  if (!settings_.greeting.empty()) conversation.send(settings_.greeting);
  if (settings_.end_at_once) conversation.end();
  while (!conversation.ended()) {
    Octets octets;
    if (!receive(line.socket, octets, 12)) break;
    const bool little_endian = (octets[6] & 1) != 0;
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::uint32_t{octets[8 + i]} << 8 * (little_endian ? i : 3 - i);
    if (size > (64U << 20) || !receive(line.socket, octets, size)) break;
    if (!take(line, conversation, std::move(octets))) break;
  }
  const std::lock_guard lock(mutex_);
  ::close(line.socket);
  line.socket = -1;
  --open_;
  changed_.notify_all();
}

/// False if that was no message.
bool FakePeer::take(Line& line, Conversation& conversation, Octets octets) {
  Received message;
  message.connection = line.number;
  message.minor = octets[5];
  message.little_endian = (octets[6] & 1) != 0;
  message.type = octets[7];
  message.octets = std::move(octets);
  try {
    take_apart(message);
  } catch (const std::runtime_error&) {
    return false;
  }
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(message);
    changed_.notify_all();
    if (message.type != kRequest) return true;
    ++requests_;
    if (!answers_.empty()) {
      answer = answers_[std::min(next_, answers_.size() - 1)];
      ++next_;
    }
  }
  if (settings_.journal != nullptr) settings_.journal->add(settings_.name);
  if (answer) answer(conversation, message);
  return true;
}

void FakePeer::set(std::vector<Answer> answers) {
  const std::lock_guard lock(mutex_);
  answers_ = std::move(answers);
  next_ = 0;
}

ProfileData FakePeer::profile(std::string key) const {
  return profile_at(port_, std::move(key));
}

unsigned FakePeer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

unsigned FakePeer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<Received> FakePeer::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

Received FakePeer::last() const {
  const std::lock_guard lock(mutex_);
  for (auto message = messages_.rbegin(); message != messages_.rend(); ++message) {
    if (message->type == kRequest) return *message;
  }
  return {};
}

bool FakePeer::wait_for_messages(std::size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kLongEnough, [&] { return messages_.size() >= count; });
}

bool FakePeer::wait_for_open(unsigned count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kLongEnough, [&] { return open_ == count; });
}

void FakePeer::close_all(bool with_message) {
  const std::lock_guard lock(mutex_);
  for (Line& line : lines_) {
    if (line.socket < 0) continue;
    Conversation conversation(line.socket, line.number);
    if (with_message) conversation.control(kCloseConnection);
    conversation.end();
  }
}

RefusingPort::RefusingPort() : socket_(bound_socket(port_)) {}
RefusingPort::~RefusingPort() {
  ::close(socket_);
}
ProfileData RefusingPort::profile(std::string key) const {
  return profile_at(port_, std::move(key));
}

/// The queue of connections that wait to be accepted is full: the system answers no more.
SilentPort::SilentPort() : listener_(bound_socket(port_)) {
  if (::listen(listener_, 0) != 0) fail("listen");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  for (int i = 0; i < 4; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) fail("socket");
    (void)::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
    queued_.push_back(socket);
  }
  pollfd first{queued_.front(), POLLOUT, 0};
  (void)::poll(&first, 1, 30000);
}
SilentPort::~SilentPort() {
  for (const int socket : queued_) ::close(socket);
  ::close(listener_);
}
ProfileData SilentPort::profile(std::string key) const {
  return profile_at(port_, std::move(key));
}

}  // namespace corbel::test
