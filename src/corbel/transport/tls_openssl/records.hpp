// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "corbel/base/bytes.hpp"

namespace corbel::transport::tls {

/// What has come from below and was not deciphered yet, cut into TLS records. Memory comes with the first octet.
class Records {
 public:
  static constexpr std::size_t kHeader = 5;
  static constexpr std::size_t kLargest = kHeader + 16384 + 2048;  ///< RFC 5246, 6.2.3
  static constexpr std::size_t kRoom = std::size_t{64} << 10;

  /// What this cannot be.
  enum class Fault : std::uint8_t { none, not_tls, too_large };

  /// Where the next octets go: at least what is missing of a record. Call when there is no whole one.
  base::ByteSpan room();
  void add(std::size_t count) noexcept { end_ += count; }
  /// The whole records at the front; empty if there is none.
  base::ConstByteSpan whole() const noexcept;
  bool has_whole() const noexcept { return size_at(begin_) != 0; }
  void take(std::size_t count) noexcept { begin_ += count; }
  /// Half a record, or less, is there.
  bool empty() const noexcept { return begin_ == end_; }
  /// Octets that the first half record lacks, or its header does.
  std::size_t missing() const noexcept;
  /// What is wrong with the record at the front.
  Fault fault() const noexcept;
  base::ConstByteSpan all() const noexcept { return {octets_.get() + begin_, end_ - begin_}; }

 private:
  /// Size of the whole record that begins there; 0 if it is not whole.
  std::size_t size_at(std::size_t place) const noexcept;

  std::unique_ptr<base::Octet[]> octets_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace corbel::transport::tls
