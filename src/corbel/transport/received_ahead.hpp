// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "corbel/ipc/datagram_batch.hpp"
#include "corbel/ipc/stream.hpp"

namespace corbel::transport {

/// Datagrams that came with the system call of the one before. Where they come faster than they are read, one call
/// takes many; where each is waited for, a call for one alone costs less, and so only every so often many are asked
/// for: the seldomer the longer that was in vain. What lies here the socket's handle knows nothing of. For the
/// receiving thread.
template <class Address>
class ReceivedAhead {
 public:
  static constexpr std::size_t kMost = 16;       // datagrams of one system call
  static constexpr unsigned kLongestPause = 16;  // datagrams that come alone before many are asked for
  static constexpr unsigned kAfterLarge = 256;   // that are received where they stay
  static constexpr std::size_t kLarge = 4096;    // octets of a datagram that takes longer to copy than to be asked for

  /// `room`: octets of the largest datagram that is one. `tells_senders`: as of InputBatch.
  explicit ReceivedAhead(std::size_t room, bool tells_senders) noexcept : room_(room), tells_senders_(tells_senders) {}
  ReceivedAhead(ReceivedAhead&&) noexcept = default;
  ReceivedAhead& operator=(ReceivedAhead&&) = delete;

  bool empty() const noexcept { return left_ == 0; }
  /// Unless empty(): the next datagram, until anything else is called. Error: truncated, if it was none.
  base::Result<base::ConstByteSpan> next() noexcept {
    auto data = batch_->data(batch_->size() - left_--);
    if (!data || data->size() > kLarge) [[unlikely]]
      singles_ = kAfterLarge;
    return data;
  }
  /// The sender of what next() gave.
  Address from() const noexcept { return batch_->from(batch_->size() - left_ - 1); }

  /// If empty(), before a receive: true if it shall be receive(). If not, one datagram is received otherwise, and
  /// missed() called if there was none.
  bool shall_receive() noexcept {
    if (singles_ != 0) [[likely]] {
      if (singles_ == kAfterLarge) [[unlikely]]
        batch_.reset();
      --singles_;
      return false;
    }
    return batch_ != nullptr || make();
  }
  /// Receives what is there, at least one datagram. Errors as of a receive of one.
  base::Result<std::size_t> receive(int descriptor, ipc::RecvFlags flags) noexcept {
    auto count = batch_->receive(descriptor, static_cast<int>(flags));
    left_ = count ? *count : 0;
    pause_ = left_ > 1 ? 0 : std::clamp(2 * pause_, 1U, kLongestPause);
    singles_ = pause_;
    if (!count) missed();
    return count;
  }
  /// Nothing was there: it may be long until something comes, and that is best received alone.
  void missed() noexcept {
    singles_ = std::max(singles_, 1U);
    batch_.reset();
  }

 private:
  [[gnu::cold]] bool make() noexcept try {
    batch_ = std::make_unique<ipc::InputBatch<Address>>(kMost, room_, tells_senders_);
    return true;
  } catch (const std::bad_alloc&) {
    singles_ = kAfterLarge;
    return false;
  }

  const std::size_t room_;
  const bool tells_senders_;
  std::size_t left_ = 0;  // of the batch's last ones
  unsigned singles_ = 1;
  unsigned pause_ = 1;
  std::unique_ptr<ipc::InputBatch<Address>> batch_;
};

}  // namespace corbel::transport
