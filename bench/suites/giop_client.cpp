// SPDX-License-Identifier: Apache-2.0
#include "suites/giop_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

[[noreturn]] void malformed() {
  throw std::runtime_error("malformed object reference");
}
[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// CDR in either byte order (CORBA 15.3), from the octet that tells which.
class Encapsulation {
 public:
  explicit Encapsulation(std::vector<std::uint8_t> octets) : octets_(std::move(octets)), little_(octet() == 1) {}

  std::uint8_t octet() {
    if (next_ >= octets_.size()) malformed();
    return octets_[next_++];
  }
  std::uint32_t number(std::size_t size) {
    next_ = (next_ + size - 1) / size * size;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::uint32_t{octet()} << (8 * (little_ ? i : size - 1 - i));
    return value;
  }
  std::vector<std::uint8_t> sequence() {
    const std::uint32_t size = number(4);
    if (size > octets_.size() - next_) malformed();
    const auto begin = octets_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += size;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  std::string text() {
    const auto octets = sequence();
    if (octets.empty()) malformed();
    return {octets.begin(), octets.end() - 1};
  }

 private:
  std::vector<std::uint8_t> octets_;
  std::size_t next_ = 0;
  bool little_;
};

std::vector<std::uint8_t> from_hex(const std::string& text, std::size_t begin) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    if (lower < 'a' || lower > 'f') malformed();
    return lower - 'a' + 10;
  };
  std::vector<std::uint8_t> octets;
  for (std::size_t i = begin; i + 1 < text.size(); i += 2) {
    octets.push_back(static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return octets;
}

void put(std::vector<std::uint8_t>& octets, std::uint32_t value) {
  octets.resize((octets.size() + 3) / 4 * 4);
  for (int shift = 0; shift < 32; shift += 8) octets.push_back(static_cast<std::uint8_t>(value >> shift));
}

void receive_all(int handle, std::uint8_t* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(handle, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) throw std::runtime_error("the server closed a connection");
    if (got < 0) fail("receiving a reply");
    data += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace

GiopTarget read_reference(const std::string& reference) {
  if (!reference.starts_with("IOR:")) malformed();
  Encapsulation ior(from_hex(reference, 4));
  (void)ior.sequence();  // the type
  for (std::uint32_t profiles = ior.number(4); profiles > 0; --profiles) {
    const std::uint32_t tag = ior.number(4);
    Encapsulation profile(ior.sequence());
    if (tag != 0) continue;  // TAG_INTERNET_IOP
    (void)profile.octet();   // the version
    (void)profile.octet();
    GiopTarget target;
    target.host = profile.text();
    target.port = static_cast<std::uint16_t>(profile.number(2));
    target.key = profile.sequence();
    return target;
  }
  throw std::runtime_error("an object reference without an Internet profile");
}

std::string url_key(const std::vector<std::uint8_t>& key) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t octet : key) {
    text += '%';
    text += kDigits[octet >> 4U];
    text += kDigits[octet & 15U];
  }
  return text;
}

std::vector<std::uint8_t> void_request(const GiopTarget& target, const std::string& operation) {
  std::vector<std::uint8_t> message{'G', 'I', 'O', 'P', 1, 2, 1, 0, 0, 0, 0, 0};  // little-endian Request
  put(message, 1);                                                                // request id
  message.insert(message.end(), {3, 0, 0, 0});                                    // a reply is wanted
  message.insert(message.end(), {0, 0});                                          // the target is given by its key
  put(message, static_cast<std::uint32_t>(target.key.size()));
  message.insert(message.end(), target.key.begin(), target.key.end());
  put(message, static_cast<std::uint32_t>(operation.size() + 1));
  message.insert(message.end(), operation.begin(), operation.end());
  message.push_back(0);
  put(message, 0);  // no service contexts
  const std::size_t size = message.size() - 12;
  for (std::size_t i = 0; i < 4; ++i) message[8 + i] = static_cast<std::uint8_t>(size >> (8 * i));
  return message;
}

GiopConnection::GiopConnection(const GiopTarget& target) : handle_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (handle_ < 0) fail("making a socket");
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(target.port);
  const int on = 1;
  const linger reset{1, 0};
  setsockopt(handle_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(handle_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (inet_aton(target.host.c_str(), &name.sin_addr) == 0 ||
      connect(handle_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    const int error = errno;
    close(handle_);
    throw std::runtime_error("cannot connect to " + target.host + ": " + std::strerror(error));
  }
}

GiopConnection::GiopConnection(GiopConnection&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

GiopConnection::~GiopConnection() {
  if (handle_ >= 0) close(handle_);
}

void GiopConnection::call(const std::vector<std::uint8_t>& request) const {
  if (send(handle_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
    fail("sending a request");
  }
  std::uint8_t header[12];
  receive_all(handle_, header, sizeof header);
  const bool little = (header[6] & 1U) != 0;
  std::uint32_t size = 0;
  for (unsigned i = 0; i < 4; ++i) size |= std::uint32_t{header[8 + i]} << (8 * (little ? i : 3 - i));
  std::uint8_t body[256];
  if (std::memcmp(header, "GIOP", 4) != 0 || header[7] != 1 || size < 8 || size > sizeof body) {
    throw std::runtime_error("the server answered with something else than a reply");
  }
  receive_all(handle_, body, size);
  if ((body[4] | body[5] | body[6] | body[7]) != 0) throw std::runtime_error("a request failed");
}

}  // namespace bench
