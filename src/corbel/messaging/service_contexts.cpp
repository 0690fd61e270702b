// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "corbel/messaging/message.hpp"

namespace corbel::messaging {

ServiceContext ServiceContextView::next(std::size_t& offset) const noexcept {
  std::uint32_t words[2];
  std::memcpy(words, entries_.data() + offset, sizeof words);
  if (swapped_) {
    words[0] = cdr::byte_swap(words[0]);
    words[1] = cdr::byte_swap(words[1]);
  }
  const ServiceContext context{words[0], entries_.subspan(offset + sizeof words, words[1])};
  offset += sizeof words + ((words[1] + std::size_t{3}) & ~std::size_t{3});
  return context;
}

bool ServiceContextView::find(std::uint32_t id, base::ConstByteSpan& data) const noexcept {
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const ServiceContext context = next(offset);
    if (context.id == id) {
      data = context.data;
      return true;
    }
  }
  return false;
}

void ServiceContextView::for_each(base::FunctionRef<void(const ServiceContext&)> visit) const {
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i < count_; ++i) visit(next(offset));
}

}  // namespace corbel::messaging
