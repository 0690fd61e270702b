// SPDX-License-Identifier: Apache-2.0
#include "terminals.hpp"

#include <utility>

namespace field_bus {

using corbel::base::Code;
using corbel::base::Deadline;
using corbel::base::error;
using corbel::base::Result;
using corbel::base::Stage;
using corbel::ipc::UnixAddress;

using Ref = std::shared_ptr<Terminal>;

/// `looked_at` is for after the lock: one of them may be the last reference, and a terminal takes its time to go.
template <class Suits>
Ref Terminals::find(const UnixAddress& bus, Suits suits, std::vector<Ref>& looked_at) {
  std::erase_if(all_, [](const auto& each) { return each.expired(); });
  for (const auto& each : all_) {
    Ref terminal = each.lock();
    if (terminal == nullptr) continue;
    looked_at.push_back(terminal);
    if (terminal->bus() == bus && suits(*terminal)) return terminal;
  }
  return nullptr;
}

template <class Suits>
Result<Ref> Terminals::find_or_attach(const UnixAddress& bus, unsigned address, Suits suits, Deadline deadline) {
  {
    std::vector<Ref> looked_at;
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, deadline, [&] { return !attaching_; })) return error(Stage::connect, Code::timed_out);
    if (Ref found = find(bus, suits, looked_at)) return found;
    attaching_ = true;
  }
  auto attached = Terminal::attach(bus, address, deadline);
  const std::lock_guard lock(mutex_);
  attaching_ = false;
  changed_.notify_all();
  if (attached) all_.push_back(*attached);
  return attached;
}

Result<Ref> Terminals::any_at(const UnixAddress& bus, Deadline deadline) {
  return find_or_attach(
      bus, kAnyAddress, [](const Terminal& terminal) { return !terminal.is_lost(); }, deadline);
}

Result<Ref> Terminals::listening_at(const UnixAddress& bus, unsigned address, std::size_t backlog, Deadline deadline) {
  const auto suits = [&](const Terminal& terminal) { return terminal.address() == address && !terminal.is_over(); };
  auto terminal = find_or_attach(bus, address, suits, deadline);
  if (!terminal) return error(Stage::listen, terminal.error().code, terminal.error().os_error);
  CORBEL_CHECK((*terminal)->listen(backlog));
  return terminal;
}

}  // namespace field_bus
