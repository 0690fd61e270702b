// SPDX-License-Identifier: Apache-2.0
// Calls of this process, and requests of threads, that know the way to their object.
#include "corbel/poa/entry.hpp"

#include <algorithm>
#include <new>

#include "corbel/poa/serving.hpp"

namespace corbel::poa {
namespace {

/// Entries that objects have because requests from outside come to them, in one POA: 128 octets each.
constexpr std::size_t kMostForRequests = 1024;

}  // namespace

/// A request that is inside, with the ticket that it entered with.
class Entry::Inside {
 public:
  Inside(Entry& entry, std::uint64_t ticket) noexcept
      : entry_(entry), ticket_(ticket), pass_(entry.gate_.enter(ticket)) {}
  ~Inside() {
    if (pass_ ? !entry_.gate_.leave(ticket_, pass_) : pass_.was_counted()) [[unlikely]]
      entry_.poa_.leave(&entry_.object_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const noexcept { return static_cast<bool>(pass_); }

 private:
  Entry& entry_;
  const std::uint64_t ticket_;
  const Gate::Pass pass_;
};

bool Entry::serve(std::uint64_t ticket, corba::ServerCall& call) {
  const Inside inside(*this, ticket);
  if (!inside) [[unlikely]]
    return false;
  Poa::answered(call, [&] { poa_.upcall(object_.id, *object_.servant, call); });
  return true;
}

/// With the mutex locked, the POA and its manager active and the object found. Where requests take turns, or a thread
/// waits for their end, each is looked at.
void Poa::show_entry(ActiveObject& object, orb::Place& place) try {
  if (policies_.takes_turns() || waiters_ != 0) return;
  if (policies_.callers != nullptr && place.whom() == orb::Place::For::requests) return;  // each has its caller
  if (entries_ == nullptr) entries_ = base::make_shared<Entries>();
  if (object.entry == nullptr && place.whom() == orb::Place::For::requests && entries_->all.size() >= kMostForRequests)
    return;
  if (object.entry == nullptr) object.entry = &entries_->all.emplace_back(*this, object);
  Gate& gate = object.entry->gate();
  if (gate.ticket() == 0) gate.open(++entries_->last_ticket);
  place.lead_to(entries_, *object.entry, gate.ticket());
} catch (const std::bad_alloc&) {
  // Calls go the usual way.
}

/// With the mutex locked: from now on requests on the object come here, and those that are inside leave here.
void Poa::close_entry(ActiveObject& object) noexcept {
  if (close_gate(object)) {
    orb::Presences::take_over([&](const void* place) {
      const bool inside = place == &object.entry->gate();
      if (inside) count_in(object, 1);
      return inside;
    });
  }
}

/// The same for all objects.
void Poa::close_entries() noexcept {
  if (entries_ == nullptr) return;
  bool closed = false;
  for (const Entry& entry : entries_->all) closed = close_gate(entry.object()) || closed;
  if (!closed) return;
  orb::Presences::take_over([&](const void* place) {
    // Nobody is inside of objects that are not active: their entries were closed before. Whoever is about to find that
    // out does not count, since the object may be another one by then.
    const auto found = std::ranges::find_if(entries_->all, [&](Entry& entry) {
      return place == &entry.gate() && entry.object().state == ActiveObject::State::active;
    });
    if (found == entries_->all.end()) return false;
    count_in(found->object(), 1);
    return true;
  });
}

/// True if it was open: those who have noted that they are inside are still to be counted.
bool Poa::close_gate(ActiveObject& object) noexcept {
  if (object.entry == nullptr || object.entry->gate().ticket() == 0) return false;
  count_in(object, object.entry->gate().close());
  return true;
}

void Poa::count_in(ActiveObject& object, std::uint32_t inside) noexcept {
  object.running += inside;
  running_ += inside;
}

}  // namespace corbel::poa
