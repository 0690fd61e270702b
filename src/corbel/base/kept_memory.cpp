// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/kept_memory.hpp"

namespace corbel::base {
namespace {

thread_local constinit KeptMemory* t_first = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local std::size_t t_octets = 0;  // twice for each sequence
thread_local constinit unsigned t_returns = 0;

}  // namespace

KeptMemory::KeptMemory() noexcept : next_(t_first) {
  t_first = this;
}

KeptMemory::~KeptMemory() {
  KeptMemory** link = &t_first;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

void KeptMemory::give_back() noexcept {
  if (t_octets == 0) return;
  for (KeptMemory* each = t_first; each != nullptr; each = each->next_) each->drop();
}

KeptMemory::Returns::Returns() noexcept {
  ++t_returns;
}

KeptMemory::Returns::~Returns() {
  --t_returns;
}

bool KeptMemory::returns() noexcept {
  return t_returns != 0;
}

std::size_t KeptMemory::octets() noexcept {
  return t_octets;
}

bool KeptMemory::reserve(std::size_t octets) noexcept {
  if (octets > kMostOctets - t_octets) return false;
  t_octets += octets;
  return true;
}

void KeptMemory::release(std::size_t octets) noexcept {
  t_octets -= octets;
}

}  // namespace corbel::base
