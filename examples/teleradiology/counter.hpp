// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/ipc/acceptor.hpp>
#include <corbel/ipc/stream.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace teleradiology {

using Image = std::shared_ptr<const std::vector<std::uint8_t>>;
using Key = std::array<std::uint8_t, 16>;

/// Hands out images over TCP to those who show a key, each key once. Four threads serve: who connects and says nothing,
/// or takes nothing, holds one of them for some seconds. Threads: any may issue keys.
class Counter {
 public:
  /// Ends the program if it cannot listen on loopback.
  Counter();
  /// Transfers end after the piece that is under way: within five seconds.
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  corbel::ipc::InetAddress address() const { return address_; }
  /// A key for one transfer of the image. The 64 youngest hold.
  Key issue(Image image);

 private:
  struct Issued {
    Key key;
    Image image;
  };

  void serve();
  void send(corbel::ipc::TcpStream& stream, corbel::base::ConstByteSpan pixels) const;
  /// The image of a key that is not used up; null if there is none.
  Image redeem(const Key& key);

  corbel::ipc::TcpAcceptor acceptor_;
  corbel::ipc::InetAddress address_;
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::deque<Issued> issued_;
  std::vector<std::thread> threads_;
};

}  // namespace teleradiology
