// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/faulty/faulty.hpp"

namespace corbel::transport::faulty {

void Plan::set(Side side, const Script& script) {
  const std::lock_guard lock(mutex_);
  at(side).script = script;
}

Script Plan::script(Side side) const {
  const std::lock_guard lock(mutex_);
  return at(side).script;
}

void Plan::refuse_connects(unsigned count) {
  const std::lock_guard lock(mutex_);
  at(Side::connecting).refusals = count;
}

void Plan::fail_accepts(unsigned count) {
  const std::lock_guard lock(mutex_);
  at(Side::accepting).refusals = count;
}

std::uint64_t Plan::sent(Side side) const {
  const std::lock_guard lock(mutex_);
  return at(side).sent;
}

std::uint64_t Plan::received(Side side) const {
  const std::lock_guard lock(mutex_);
  return at(side).received;
}

unsigned Plan::conversations(Side side) const {
  const std::lock_guard lock(mutex_);
  return at(side).conversations;
}

bool Plan::take_refusal(Side side) {
  const std::lock_guard lock(mutex_);
  if (at(side).refusals == 0) return false;
  --at(side).refusals;
  return true;
}

void Plan::count(Side side, std::uint64_t sent, std::uint64_t received) {
  const std::lock_guard lock(mutex_);
  at(side).sent += sent;
  at(side).received += received;
}

void Plan::count_conversation(Side side) {
  const std::lock_guard lock(mutex_);
  ++at(side).conversations;
}

}  // namespace corbel::transport::faulty
