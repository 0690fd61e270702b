// SPDX-License-Identifier: Apache-2.0
// What a program does that sends frames by sockets of its own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "media/way.hpp"

namespace media {
namespace {

using Steady = std::chrono::steady_clock;

constexpr char kGroup[] = "239.255.77.13";
constexpr int kQueue = 4 << 20;

struct Header {
  std::uint32_t number;
  std::uint32_t is_sound;
  std::uint32_t size;    // of the frame
  std::uint32_t offset;  // of what follows
  std::int64_t captured;
};

int check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

sockaddr_in inet(const char* host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}
sockaddr_un local(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}
template <class Address>
const sockaddr* any(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}
void set_queues(int handle) {
  setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &kQueue, sizeof kQueue);
  setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &kQueue, sizeof kQueue);
}

class PlainWay final : public Way {
 public:
  explicit PlainWay(const std::string& address) {
    const std::string transport = address.substr(0, address.find(' '));
    const std::string where = address.substr(transport.size() + 1);
    piece_ = plain_piece(transport);
    if (transport == "unix") {
      handle_ = check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
      const sockaddr_un to = local(where);
      check(connect(handle_, any(to), sizeof to), "connect");
      return;
    }
    handle_ = check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
    set_queues(handle_);
    const bool group = transport == "multicast";
    if (group) {
      const in_addr loopback{htonl(INADDR_LOOPBACK)};
      check(setsockopt(handle_, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback), "IP_MULTICAST_IF");
    }
    const sockaddr_in to = inet(group ? kGroup : "127.0.0.1", std::stoi(where));
    check(connect(handle_, any(to), sizeof to), "connect");
  }
  ~PlainWay() override { close(handle_); }

  void picture(std::uint32_t number, const Octets& octets, Steady::time_point moment) override {
    send(number, 0, octets, moment);
  }
  void sound(std::uint32_t number, const Octets& octets, Steady::time_point moment) override {
    send(number, 1, octets, moment);
  }

 private:
  void send(std::uint32_t number, std::uint32_t is_sound, const Octets& octets, Steady::time_point moment) {
    const auto ago = std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - moment);
    const std::int64_t captured = (std::chrono::system_clock::now() - ago).time_since_epoch().count();
    for (std::size_t at = 0; at < octets.size(); at += piece_) {
      Header header{number, is_sound, static_cast<std::uint32_t>(octets.size()), static_cast<std::uint32_t>(at),
                    captured};
      std::array<iovec, 2> list{iovec{&header, sizeof header}, iovec{const_cast<std::uint8_t*>(octets.data()) + at,
                                                                     std::min(piece_, octets.size() - at)}};
      msghdr message{};
      message.msg_iov = list.data();
      message.msg_iovlen = list.size();
      for (std::size_t left = list[0].iov_len + list[1].iov_len; left > 0;) {
        const auto sent = static_cast<std::size_t>(check(static_cast<int>(sendmsg(handle_, &message, 0)), "sendmsg"));
        left -= sent;
        std::size_t skip = sent;
        for (iovec& part : list) {
          const std::size_t gone = std::min(skip, part.iov_len);
          part.iov_base = static_cast<char*>(part.iov_base) + gone;
          part.iov_len -= gone;
          skip -= gone;
        }
      }
    }
  }

  int handle_ = -1;
  std::size_t piece_ = 0;
};

void show(Sight& sight, const Header& header, const Octets& octets) {
  const Wall captured{std::chrono::duration_cast<Wall::duration>(std::chrono::nanoseconds(header.captured))};
  if (header.is_sound != 0) {
    sight.sound(header.number, octets, captured);
  } else {
    sight.picture(header.number, octets, captured);
  }
}

bool receive_all(int handle, void* to, std::size_t size) {
  return recv(handle, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

void receive_stream(Sight& sight, int listener) {
  const int handle = accept(listener, nullptr, nullptr);
  Octets octets;
  for (Header header; receive_all(handle, &header, sizeof header);) {
    octets.resize(header.size);
    if (!receive_all(handle, octets.data(), octets.size())) break;
    show(sight, header, octets);
  }
  close(handle);
}

/// Joins frames of several datagrams. Of two that are open the older one is given up when a third begins.
void receive_datagrams(Sight& sight, int handle) {
  struct Open {
    Header header;
    std::size_t came;
    Octets octets;
  };
  std::deque<Open> open;
  Octets room(1U << 16);
  for (;;) {
    const ssize_t size = recv(handle, room.data(), room.size(), 0);
    if (size < 0) return;
    if (static_cast<std::size_t>(size) < sizeof(Header)) continue;
    Header header;
    std::memcpy(&header, room.data(), sizeof header);
    const std::size_t data = static_cast<std::size_t>(size) - sizeof header;
    auto found = std::find_if(open.begin(), open.end(), [&](const Open& one) {
      // Numbers begin anew with each stream; the moment is the same for all pieces of a frame, and of no other.
      return one.header.number == header.number && one.header.is_sound == header.is_sound &&
             one.header.captured == header.captured;
    });
    if (found == open.end()) {
      if (open.size() == 4) {
        open.push_back(std::move(open.front()));  // with its memory
        open.pop_front();
      } else {
        open.emplace_back();
      }
      found = open.end() - 1;
      found->header = header;
      found->came = 0;
      found->octets.resize(header.size);
    }
    if (header.offset + data > found->octets.size()) continue;
    std::memcpy(found->octets.data() + header.offset, room.data() + sizeof header, data);
    found->came += data;
    if (found->came != found->octets.size()) continue;
    show(sight, header, found->octets);
    found->header.number = 0xffffffffU;
    std::rotate(open.begin(), found, found + 1);  // the next to be used again
    open.front().came = 0;
  }
}

int port_of(int handle) {
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  check(getsockname(handle, reinterpret_cast<sockaddr*>(&bound), &size), "getsockname");
  return ntohs(bound.sin_port);
}

}  // namespace

std::size_t plain_piece(const std::string& transport) {
  return transport == "unix" ? SIZE_MAX : transport == "udp" ? 65'000 : 1'440;
}

std::unique_ptr<Way> make_plain_way(const std::string& address) {
  return std::make_unique<PlainWay>(address);
}

std::vector<std::string> receive_plainly(Sight& sight, const std::string& folder) {
  const std::string path = folder + "/plain";
  const int listener = check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  const sockaddr_un here = local(path);
  check(bind(listener, any(here), sizeof here), "bind");
  check(listen(listener, 1), "listen");
  std::thread([&sight, listener] { receive_stream(sight, listener); }).detach();
  std::vector<std::string> lines{"unix " + path};
  for (const bool group : {false, true}) {
    const int handle = check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
    set_queues(handle);
    const sockaddr_in at = inet(group ? kGroup : "127.0.0.1", 0);
    check(bind(handle, any(at), sizeof at), "bind");
    if (group) {
      ip_mreqn membership{};
      membership.imr_multiaddr = at.sin_addr;
      membership.imr_address.s_addr = htonl(INADDR_LOOPBACK);
      check(setsockopt(handle, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership), "IP_ADD_MEMBERSHIP");
    }
    lines.push_back((group ? "multicast " : "udp ") + std::to_string(port_of(handle)));
    std::thread([&sight, handle] { receive_datagrams(sight, handle); }).detach();
  }
  return lines;
}

}  // namespace media
