// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/records.hpp"

#include <algorithm>

namespace corbel::transport::tls {
namespace {

constexpr base::Octet kFirstKind = 20;  // change_cipher_spec, alert, handshake, application_data
constexpr base::Octet kLastKind = 23;
constexpr base::Octet kMajor = 3;

}  // namespace

base::ByteSpan Records::room() {
  if (octets_ == nullptr) octets_ = std::make_unique_for_overwrite<base::Octet[]>(kRoom + kLargest);
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0) {
    std::copy(octets_.get() + begin_, octets_.get() + end_, octets_.get());
    end_ -= begin_;
    begin_ = 0;
  }
  return {octets_.get() + end_, kRoom + kLargest - end_};
}

std::size_t Records::size_at(std::size_t place) const noexcept {
  if (end_ - place < kHeader) return 0;
  const std::size_t size = kHeader + (std::size_t{octets_[place + 3]} << 8 | octets_[place + 4]);
  return size <= end_ - place ? size : 0;
}

base::ConstByteSpan Records::whole() const noexcept {
  std::size_t end = begin_;
  while (const std::size_t size = size_at(end)) end += size;
  return {octets_.get() + begin_, end - begin_};
}

std::size_t Records::missing() const noexcept {
  const base::ConstByteSpan half = all().subspan(whole().size());
  if (half.size() < kHeader) return kHeader - half.size();
  return kHeader + (std::size_t{half[3]} << 8 | half[4]) - half.size();
}

Records::Fault Records::fault() const noexcept {
  const base::ConstByteSpan octets = all();
  if (!octets.empty() && (octets[0] < kFirstKind || octets[0] > kLastKind)) return Fault::not_tls;
  if (octets.size() > 1 && octets[1] != kMajor) return Fault::not_tls;
  if (octets.size() < kHeader) return Fault::none;
  return kHeader + (std::size_t{octets[3]} << 8 | octets[4]) > kLargest ? Fault::too_large : Fault::none;
}

}  // namespace corbel::transport::tls
