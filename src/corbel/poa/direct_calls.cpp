// SPDX-License-Identifier: Apache-2.0
// Calls of this process that know the way to their object.
#include "corbel/poa/entry.hpp"

#include <new>

#include "corbel/poa/serving.hpp"

namespace corbel::poa {

/// Counts a request as inside, with the ticket that it entered with.
class Entry::Inside {
 public:
  Inside(Entry& entry, std::uint64_t ticket) noexcept : entry_(entry), ticket_(ticket) {}
  ~Inside() {
    if (!entry_.gate_.leave(ticket_)) [[unlikely]]
      entry_.poa_.leave(&entry_.object_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Entry& entry_;
  const std::uint64_t ticket_;
};

bool Entry::serve(std::uint64_t ticket, corba::ServerCall& call) {
  if (!gate_.enter(ticket)) [[unlikely]]
    return false;
  const Inside inside(*this, ticket);
  Poa::answered(call, [&] { poa_.upcall(object_.id, *object_.servant, call); });
  return true;
}

/// With the mutex locked, the POA and its manager active and the object found. Where requests take turns, or a thread
/// waits for their end, each is looked at.
void Poa::show_entry(ActiveObject& object, orb::Place& place) try {
  if (policies_.takes_turns() || waiters_ != 0) return;
  if (entries_ == nullptr) entries_ = base::make_shared<Entries>();
  if (object.entry == nullptr) object.entry = &entries_->all.emplace_back(*this, object);
  Gate& gate = object.entry->gate();
  if (gate.ticket() == 0) gate.open(++entries_->last_ticket);
  place.lead_to(entries_, *object.entry, gate.ticket());
} catch (const std::bad_alloc&) {
  // Calls go the usual way.
}

/// With the mutex locked: from now on requests on the object come here, and those that are inside leave here.
void Poa::close_entry(ActiveObject& object) noexcept {
  if (object.entry == nullptr) return;
  const std::uint32_t inside = object.entry->gate().close();
  object.running += inside;
  running_ += inside;
}

/// The same for all objects.
void Poa::close_entries() noexcept {
  if (entries_ == nullptr) return;
  for (const Entry& entry : entries_->all) close_entry(entry.object());
}

}  // namespace corbel::poa
