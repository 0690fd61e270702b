// SPDX-License-Identifier: Apache-2.0
#include "iterators.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <string>

namespace corbel::naming {
namespace {

void append(const std::vector<Listed>& found, CosNaming::BindingList& bindings) {
  for (const auto& each : found) bindings.emplace_back(CosNaming::Name{each.name}, each.type);
}

/// Ids are not to be guessed: an iterator is for the client that asked for it.
std::uint64_t random_id() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source();
}

}  // namespace

IDL::traits<CosNaming::BindingIterator>::ref_type Iterators::begin(ContextId context, std::size_t count,
                                                                   CosNaming::BindingList& bindings) {
  const auto [found, more] = store_.list(context, std::nullopt, std::min(count, limits_.list), limits_.list_octets);
  append(found, bindings);
  if (!more) return nullptr;
  const auto state = std::make_shared<State>();
  state->context = context;
  if (!found.empty()) state->after = found.back().name;
  const Id id = random_id();
  add(id, state);
  return IDL::traits<CosNaming::BindingIterator>::unchecked_narrow(poa_->create_reference_with_id(
      PortableServer::string_to_ObjectId(std::to_string(id)), std::string(CosNaming::BindingIterator::_interface_id)));
}

bool Iterators::next(std::size_t count, CosNaming::BindingList& bindings) {
  const StatePtr state = use(current_id());
  const std::lock_guard lock(state->mutex);
  const auto found =
      store_.list(state->context, state->after, std::min(count, limits_.list), limits_.list_octets).bindings;
  if (found.empty()) return false;
  state->after = found.back().name;
  append(found, bindings);
  return true;
}

void Iterators::destroy() {
  const Id id = current_id();
  use(id);
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(id);
  if (found == table_.end()) return;  // another thread was faster
  by_use_.erase(found->second.place);
  table_.erase(found);
}

bool Iterators::alive() {
  const std::lock_guard lock(mutex_);
  expire(Clock::now());
  return table_.contains(current_id());
}

Iterators::Id Iterators::current_id() {
  const auto octets = current_->get_object_id();
  const char* const begin = reinterpret_cast<const char*>(octets.data());
  Id id = 0;
  std::from_chars(begin, begin + octets.size(), id);
  return id;
}

Iterators::StatePtr Iterators::use(Id id) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  expire(now);
  const auto found = table_.find(id);
  if (found == table_.end()) {
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the iterator was destroyed, or unused for too long");
  }
  found->second.state->used = now;
  by_use_.splice(by_use_.end(), by_use_, found->second.place);
  return found->second.state;
}

void Iterators::add(Id id, StatePtr state) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  expire(now);
  while (!table_.empty() && table_.size() >= limits_.iterators) {
    table_.erase(by_use_.front());
    by_use_.pop_front();
  }
  state->used = now;
  std::list<Id> place{id};  // first: without memory it is in neither of the two
  table_[id] = {std::move(state), place.begin()};
  by_use_.splice(by_use_.end(), place);
}

void Iterators::expire(Clock::time_point now) {
  while (!by_use_.empty()) {
    const auto found = table_.find(by_use_.front());
    if (now - found->second.state->used < limits_.iterator_idle) return;
    table_.erase(found);
    by_use_.pop_front();
  }
}

bool BindingIteratorServant::next_one(CosNaming::Binding& b) {
  CosNaming::BindingList found;
  if (!iterators_.next(1, found)) return false;
  b = std::move(found.front());
  return true;
}

bool BindingIteratorServant::next_n(std::uint32_t how_many, CosNaming::BindingList& bl) {
  if (how_many == 0) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "next_n(0)");
  return iterators_.next(how_many, bl);
}

}  // namespace corbel::naming
