// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/slots.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace corbel::transport::shm {
namespace {

using base::Code;
using base::Stage;

constexpr std::size_t kHeader = 4096;
static_assert(sizeof(SharedSlots) <= kHeader);

SharedSlots& shared_in(const ipc::SharedMemory& memory) noexcept {
  return *reinterpret_cast<SharedSlots*>(memory.bytes().data());
}

}  // namespace

Slots::Slots(ipc::SharedMemory memory) noexcept
    : memory_(std::move(memory)),
      shared_(shared_in(memory_)),
      area_(memory_.bytes().subspan(kHeader)),
      step_(area_.size() / kSteps) {}

base::Result<base::IntrusivePtr<Slots>> Slots::create(std::size_t octets) noexcept {
  CORBEL_TRY(auto memory, ipc::SharedMemory::create(kHeader + octets));
  base::IntrusivePtr<Slots> slots(new (std::nothrow) Slots(std::move(memory)));
  if (slots == nullptr) return base::error(Stage::configure, Code::out_of_resources);
  return slots;
}

LentMemory Slots::take(std::size_t octets) noexcept {
  if (octets == 0 || octets > area_.size()) return {};
  const std::size_t steps = (octets - 1) / step_ + 1;
  const std::lock_guard lock(mutex_);
  reclaim();
  std::size_t free = 0;  // steps before `end`
  for (std::size_t end = 1; end <= kSteps; ++end) {
    free = used_.test(end - 1) ? 0 : free + 1;
    if (free < steps) continue;
    const std::size_t slot = end - steps;
    for (std::size_t each = slot; each < end; ++each) used_.set(each);
    slots_[slot].steps = static_cast<std::uint32_t>(steps);
    slots_[slot].had = true;
    return {base::IntrusivePtr<Owner>(this), static_cast<std::uint32_t>(slot), area_.subspan(slot * step_, octets)};
  }
  return {};
}

/// Frees what neither side has any more.
void Slots::reclaim() noexcept {
  for (std::size_t at = 0; at < kSteps; ++at) {
    Slot& slot = slots_[at];
    if (slot.steps == 0 || slot.had || shared_.given_back[at].load(std::memory_order_acquire) != slot.sent) continue;
    for (std::size_t each = at; each < at + slot.steps; ++each) used_.reset(each);
    slot.steps = 0;
  }
}

void Slots::give_back(std::uint32_t slot) noexcept {
  const std::lock_guard lock(mutex_);
  slots_[slot].had = false;
}

bool Slots::send(const void* data, std::size_t size, std::uint32_t position) noexcept {
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(area_.data());
  if (size == 0 || begin >= area_.size() || size > area_.size() - begin) return false;
  if (sent_ - shared_.seen.load(std::memory_order_acquire) >= SharedSlots::kPieces) return false;
  {
    const std::lock_guard lock(mutex_);
    std::size_t at = begin / step_;
    while (at != 0 && slots_[at].steps == 0) --at;
    Slot& slot = slots_[at];
    if (!slot.had || begin + size > (at + slot.steps) * step_) return false;
    ++slot.sent;
    SharedSlots::Piece& piece = shared_.pieces[sent_ % SharedSlots::kPieces];
    piece.position.store(position, std::memory_order_relaxed);
    piece.slot.store(static_cast<std::uint32_t>(at), std::memory_order_relaxed);
    piece.begin.store(static_cast<std::uint32_t>(begin), std::memory_order_relaxed);
    piece.size.store(static_cast<std::uint32_t>(size), std::memory_order_relaxed);
  }
  shared_.sent.store(++sent_, std::memory_order_seq_cst);
  return true;
}

PeerSlots::PeerSlots(ipc::SharedMemory memory) noexcept
    : memory_(std::move(memory)),
      shared_(shared_in(memory_)),
      area_(memory_.bytes().subspan(kHeader)),
      generation_(base::process_generation()) {}

base::Result<base::IntrusivePtr<PeerSlots>> PeerSlots::attach(ipc::Handle handle, std::size_t most) noexcept {
  auto memory = ipc::SharedMemory::attach(std::move(handle), kHeader + most);
  if (!memory && memory.error().code == Code::out_of_resources)
    return base::error(Stage::receive, Code::out_of_resources, memory.error().os_error);
  if (!memory || memory->size() < kHeader + kLeastLent || (memory->size() - kHeader) % kLeastLent != 0)
    return base::error(Stage::receive, Code::malformed);
  memory->close_handle();
  base::IntrusivePtr<PeerSlots> slots(new (std::nothrow) PeerSlots(*std::move(memory)));
  if (slots == nullptr) return base::error(Stage::receive, Code::out_of_resources);
  return slots;
}

base::Result<std::optional<std::uint32_t>> PeerSlots::ahead(std::uint32_t position) noexcept {
  if (!next_) {
    const std::uint32_t unseen = shared_.sent.load(std::memory_order_seq_cst) - seen_;
    if (unseen == 0) return std::optional<std::uint32_t>();
    const SharedSlots::Piece& shared = shared_.pieces[seen_ % SharedSlots::kPieces];
    const Piece piece{shared.position.load(std::memory_order_relaxed), shared.slot.load(std::memory_order_relaxed),
                      shared.begin.load(std::memory_order_relaxed), shared.size.load(std::memory_order_relaxed)};
    if (unseen > SharedSlots::kPieces || piece.slot >= kSteps || piece.size == 0 || piece.begin >= area_.size() ||
        piece.size > area_.size() - piece.begin) {
      return base::error(Stage::receive, Code::malformed);
    }
    next_ = piece;
    copied_ = 0;
    shared_.seen.store(++seen_, std::memory_order_release);
  }
  return std::optional<std::uint32_t>(next_->position - position);
}

std::size_t PeerSlots::copy(base::ByteSpan room) noexcept {
  const std::size_t count = std::min(room.size(), left());
  std::memcpy(room.data(), area_.data() + next_->begin + copied_, count);
  copied_ += count;
  if (left() == 0) (void)take();
  return count;
}

LentMemory PeerSlots::take() noexcept {
  const Piece piece = *std::exchange(next_, std::nullopt);
  return {base::IntrusivePtr<Owner>(this), piece.slot, area_.subspan(piece.begin, piece.size)};
}

/// In the child of fork() nobody looks at it, and the parent may.
void PeerSlots::give_back(std::uint32_t slot) noexcept {
  if (generation_ == base::process_generation()) shared_.given_back[slot].fetch_add(1, std::memory_order_release);
}

}  // namespace corbel::transport::shm
