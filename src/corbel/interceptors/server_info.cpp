// SPDX-License-Identifier: Apache-2.0
#include "corbel/interceptors/server_info.hpp"

#include <utility>

#include "corbel/corba/policy_lists.hpp"

namespace corbel::interceptors {

void RequestSlots::enter_thread(const SlotArea& area) {
  OfThread& thread = area.of_thread();
  of_thread_ = std::exchange(thread.slots, {});
  outer_ = std::exchange(thread.request, this);
}

void RequestSlots::give_to_thread(const SlotArea& area) {
  area.of_thread().slots = values_;
}

void RequestSlots::take_from_thread(const SlotArea& area) {
  const OfThread* const thread = area.find_thread();
  if (thread != nullptr && thread->request == this) values_ = thread->slots;
}

void RequestSlots::leave_thread(const SlotArea& area) noexcept {
  OfThread* const thread = area.find_thread();
  if (thread == nullptr || thread->request != this) return;
  thread->slots = std::move(of_thread_);
  thread->request = outer_;
}

SlotValues& ServerInfo::slots() {
  auto* slots = static_cast<RequestSlots*>(at(ServerPoints::kAll).slots.get());
  if (slots == nullptr) throw PortableInterceptor::InvalidSlot();
  return slots->values();
}

const orb::ServedObject& ServerInfo::object(unsigned points) const {
  const orb::ServerRequest& request = at(points);
  if (!request.located) throw CORBA::NO_RESOURCES(corba::minor::kNotInThisMapping, kNo, "the servant was not found");
  return request.object;
}

std::optional<std::uint64_t> ServerInfo::request_octets() {
  return at(ServerPoints::kAll).octets;
}

base::Deadline ServerInfo::begin_wait() {
  orb::Waits* const waits = at(point::kReceiveRequest).waits;
  if (waits == nullptr) return base::Deadline::none();
  const base::Deadline until = waits->begin_wait();
  waits_ = waits;
  return until;
}

PortableInterceptor::ServerId ServerInfo::server_id() {
  (void)at(ServerPoints::kLater);
  return all_.core().options().server_id;
}

PortableInterceptor::ORBId ServerInfo::orb_id() {
  (void)at(ServerPoints::kLater);
  return all_.core().options().id;
}

CORBA::RepositoryId ServerInfo::target_most_derived_interface() {
  (void)object(point::kReceiveRequest);
  return all_.core().adapter()->served_interface();
}

bool ServerInfo::target_is_a(const CORBA::RepositoryId& id) {
  (void)object(point::kReceiveRequest);
  return all_.core().adapter()->served_is_a(id);
}

IDL::traits<CORBA::Policy>::ref_type ServerInfo::get_server_policy(CORBA::PolicyType type) {
  orb::ServerRequest& request = at(ServerPoints::kAll);
  if (!all_.adapters_have(type)) throw CORBA::INV_POLICY(corba::minor::kInvalidPolicyType, kNo);
  orb::ObjectAdapter* const adapter = all_.core().adapter();
  if (adapter == nullptr) return nullptr;
  if (request.object.policies == nullptr) request.object.policies = adapter->policies_at(request.object_key);
  return corba::policy_of(adapter->served_policy(request.object, type));
}

}  // namespace corbel::interceptors
