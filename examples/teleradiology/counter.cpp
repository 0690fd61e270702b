// SPDX-License-Identifier: Apache-2.0
#include "counter.hpp"

#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

namespace teleradiology {
namespace {

namespace base = corbel::base;
namespace ipc = corbel::ipc;

constexpr std::size_t kMostKeys = 64;
constexpr std::size_t kThreads = 4;
constexpr std::chrono::seconds kToShowKey(2);
constexpr std::size_t kPiece = 1U << 20U;
constexpr std::chrono::seconds kToTakeAPiece(5);

/// The value, or the end of the program.
template <class T>
T need(base::Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << "cannot listen: " << base::to_string(result.error()) << '\n';
  std::exit(1);
}

/// True if both are the same; takes as long wherever they differ.
bool same(const Key& a, const Key& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Counter::Counter()
    : acceptor_(need(ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4()))),
      address_(need(acceptor_.local_address())) {
  for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve(); });
}

Counter::~Counter() {
  ending_ = true;
  acceptor_.shutdown();
  for (std::thread& thread : threads_) thread.join();
}

Key Counter::issue(Image image) {
  Key key{};
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) std::abort();  // 16 octets always come
  const std::lock_guard<std::mutex> guard(mutex_);
  if (issued_.size() == kMostKeys) issued_.pop_front();
  issued_.push_back({key, std::move(image)});
  return key;
}

Image Counter::redeem(const Key& key) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found =
      std::find_if(issued_.begin(), issued_.end(), [&](const Issued& one) { return same(one.key, key); });
  if (found == issued_.end()) return nullptr;
  Image image = std::move(found->image);
  issued_.erase(found);
  return image;
}

void Counter::serve() {
  for (;;) {
    auto stream = acceptor_.accept();
    if (!stream) {
      if (stream.error().code == base::Code::cancelled) return;     // ~Counter
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // no descriptors left, for instance
      continue;
    }
    Key key{};
    if (!stream->recv_n(key, base::Deadline::after(kToShowKey))) continue;
    const Image image = redeem(key);
    if (image == nullptr) continue;  // a stranger, or a key that is used up: closed without a word
    send(*stream, *image);
  }
}

void Counter::send(ipc::TcpStream& stream, base::ConstByteSpan pixels) const {
  while (!pixels.empty() && !ending_) {
    const base::ConstByteSpan piece = pixels.first(std::min(pixels.size(), kPiece));
    if (!stream.send_n(piece, base::Deadline::after(kToTakeAPiece))) return;  // who leaves early, or dawdles, has less
    pixels = pixels.subspan(piece.size());
  }
}

}  // namespace teleradiology
