// SPDX-License-Identifier: Apache-2.0
// The flow stack: an interceptor whose starting point returned gets exactly one ending point, the last one first.
#include "corbel/interceptors/interceptors.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/interceptors/client_info.hpp"
#include "corbel/interceptors/raised.hpp"
#include "corbel/interceptors/sees_threads.hpp"
#include "corbel/interceptors/server_info.hpp"
#include "corbel/orb/core.hpp"

namespace corbel::interceptors {

using CORBA::CompletionStatus;
using orb::Outcome;

namespace {

template <class Ref>
void add_to(std::vector<Ref>& all, Ref interceptor) {
  if (interceptor == nullptr) throw CORBA::BAD_PARAM();
  const std::string name = interceptor->name();
  const auto same = [&](const Ref& one) { return one->name() == name; };
  if (!name.empty() && std::any_of(all.begin(), all.end(), same)) {
    throw PortableInterceptor::ORBInitInfo::DuplicateName(name);
  }
  all.push_back(std::move(interceptor));
}

/// A failure of this ORB itself ends the request.
template <class Request, class Act>
void guarded(Request& request, const Act& act) noexcept {
  try {
    act();
  } catch (...) {  // no memory
    request.outcome = Outcome::exception;
    request.exception = std::current_exception();
  }
}

template <class Ref>
void destroy(std::vector<Ref>& all) noexcept {
  for (const Ref& one : all) {
    try {
      one->destroy();
    } catch (...) {  // the ORB ends all the same
      base::call_off_thread_end();
    }
  }
}

}  // namespace

void Interceptors::add(ClientRef interceptor, PortableInterceptor::ProcessingMode mode) {
  add_to(clients_, Told<ClientRef>(std::move(interceptor), mode));
  if (const auto* const parts = dynamic_cast<const orb::PartsCalls*>(clients_.back()._shared().get())) {
    parts_calls_ = parts;
  }
}
void Interceptors::add(ServerRef interceptor, PortableInterceptor::ProcessingMode mode) {
  add_to(servers_, Told<ServerRef>(std::move(interceptor), mode));
  if (auto* const sees = dynamic_cast<SeesThreads*>(servers_.back()._shared().get())) see_threads_.push_back(sees);
}

void Interceptors::add(IorRef interceptor) {
  add_to(iors_, std::move(interceptor));
  if (auto* const sees = dynamic_cast<SeesAdapters*>(iors_.back()._shared().get())) see_adapters_.push_back(sees);
}

void Interceptors::add(CORBA::PolicyType type, FactoryRef factory) {
  if (factory == nullptr) throw CORBA::BAD_PARAM();
  if (!factories_.emplace(type, std::move(factory)).second) {
    throw CORBA::BAD_INV_ORDER(corba::minor::kPolicyFactoryThere);
  }
}

FactoryRef Interceptors::factory(CORBA::PolicyType type) const {
  const auto found = factories_.find(type);
  return found == factories_.end() ? nullptr : found->second;
}

bool Interceptors::adapters_have(CORBA::PolicyType type) const noexcept {
  constexpr CORBA::PolicyType kFirst = 16, kLast = 22;  // PortableServer's
  return (type >= kFirst && type <= kLast) || type == BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE || takes_policy(type);
}

void Interceptors::close() noexcept {
  destroy(clients_);
  destroy(servers_);
  destroy(iors_);
}

// --- clients ---

std::shared_ptr<const orb::Branches> Interceptors::branches_of(const ior::Ior& ior) const {
  return parts_calls_ == nullptr ? nullptr : parts_calls_->branches_of(ior);
}

void Interceptors::begin_call(orb::ClientRequest& request) noexcept {
  if (slots_->empty() || request.slots != nullptr) return;
  guarded(request, [&] { request.slots = std::make_shared<const SlotValues>(slots_->of_thread().slots); });
}

void Interceptors::before_send(orb::ClientRequest& request) noexcept {
  guarded(request, [&] { begin(request); });
}

void Interceptors::begin(orb::ClientRequest& request) {
  request.id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  request.flow = 0;
  {
    const InfoOf<ClientInfo> info(*this, request);
    for (const auto& one : clients_) {
      try {
        if (one.of(request)) {
          info->enter(point::kSendRequest);
          one->send_request(info.reference());
        }
        ++request.flow;
      } catch (...) {
        note_raised(request, CompletionStatus::COMPLETED_NO, MayForward::yes);
        break;
      }
    }
  }
  if (request.outcome != Outcome::pending) end(request);
}

void Interceptors::after_reply(orb::ClientRequest& request) noexcept {
  guarded(request, [&] { end(request); });
}

void Interceptors::end(orb::ClientRequest& request) {
  const InfoOf<ClientInfo> info(*this, request);
  while (request.flow > 0) {
    const auto& one = clients_[--request.flow];
    if (!one.of(request)) continue;
    const Ending ending = ending_of(request);
    try {
      switch (request.outcome) {
        case Outcome::reply:
          info->enter(point::kReceiveReply);
          one->receive_reply(info.reference());
          break;
        case Outcome::exception:
          info->enter(point::kReceiveException);
          one->receive_exception(info.reference());
          break;
        default:
          info->enter(point::kReceiveOther);
          one->receive_other(info.reference());
      }
    } catch (...) {
      note_raised(request, ending.completed, ending.may_forward);
    }
  }
}

// --- servers ---

void Interceptors::on_request(orb::ServerRequest& request) noexcept {
  const orb::AtEdge at_edge(core_);
  guarded(request, [&] { begin(request); });
}

void Interceptors::begin(orb::ServerRequest& request) {
  request.id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!slots_->empty()) request.slots = std::make_shared<RequestSlots>();
  auto* slots = static_cast<RequestSlots*>(request.slots.get());
  if (slots != nullptr) slots->enter_thread(*slots_);  // also if the thread is the caller's own
  {
    const InfoOf<ServerInfo> info(*this, request);
    for (const auto& one : servers_) {
      try {
        if (one.of(request)) {
          info->enter(point::kReceiveContexts);
          one->receive_request_service_contexts(info.reference());
        }
        ++request.flow;
      } catch (...) {
        note_raised(request, CompletionStatus::COMPLETED_NO, MayForward::yes);
        break;
      }
    }
  }
  if (slots != nullptr) slots->give_to_thread(*slots_);
  if (request.outcome != Outcome::pending) end(request);
}

void Interceptors::before_upcall(orb::ServerRequest& request) noexcept {
  guarded(request, [&] {
    if (OfThread* const thread = slots_->find_thread(); thread != nullptr && thread->borrowed)
      thread->begun.push_back(request.id);
    const InfoOf<ServerInfo> info(*this, request);
    for (const auto& one : servers_) {
      if (!one.of(request)) continue;
      try {
        info->enter(point::kReceiveRequest);
        one->receive_request(info.reference());
      } catch (...) {
        return note_raised(request, CompletionStatus::COMPLETED_NO, MayForward::yes);
      }
    }
  });
}

void Interceptors::before_reply(orb::ServerRequest& request) noexcept {
  const orb::AtEdge at_edge(core_);
  guarded(request, [&] { end(request); });
}

void Interceptors::end(orb::ServerRequest& request) {
  if (auto* slots = static_cast<RequestSlots*>(request.slots.get())) slots->take_from_thread(*slots_);
  const InfoOf<ServerInfo> info(*this, request);
  while (request.flow > 0) {
    const auto& one = servers_[--request.flow];
    if (!one.of(request)) continue;
    const Ending ending = ending_of(request);
    try {
      switch (request.outcome) {
        case Outcome::reply:
          info->enter(point::kSendReply);
          one->send_reply(info.reference());
          break;
        case Outcome::exception:
          info->enter(point::kSendException);
          one->send_exception(info.reference());
          break;
        default:
          info->enter(point::kSendOther);
          one->send_other(info.reference());
      }
    } catch (...) {
      note_raised(request, ending.completed, ending.may_forward);
    }
  }
}

/// The slots are what they were when the servant was called, whatever it makes of them from now on. Without memory for
/// them there are none.
void Interceptors::defer(orb::ServerRequest& request) noexcept {
  auto* const running = static_cast<RequestSlots*>(request.slots.get());
  if (running == nullptr) return;
  try {
    running->take_from_thread(*slots_);
    auto kept = std::make_shared<RequestSlots>();
    kept->values() = running->values();
    request.slots = std::move(kept);
  } catch (...) {
    request.slots = nullptr;
  }
}

void Interceptors::leave(orb::ServerRequest& request) noexcept {
  if (auto* slots = static_cast<RequestSlots*>(request.slots.get())) slots->leave_thread(*slots_);
  leave(request.id);
}

void Interceptors::leave(std::uint32_t request_id) noexcept {
  if (OfThread* const thread = slots_->find_thread()) std::erase(thread->begun, request_id);
  for (SeesThreads* const each : see_threads_) each->on_left(request_id);
}

// --- a thread that waits, and the one that runs a request for it ---

void* Interceptors::lend() noexcept try { return &slots_->of_thread(); } catch (const std::bad_alloc&) {
  return nullptr;  // the other thread has its own
}

void Interceptors::borrow(void* lent) noexcept {
  auto& waits = *static_cast<OfThread*>(lent);
  OfThread* own = nullptr;
  try {
    own = &slots_->of_thread();
  } catch (const std::bad_alloc&) {
    return;
  }
  if (own == &waits) return;  // it is the same thread after all
  std::swap(*own, waits);
  own->borrowed = true;
}

void Interceptors::give_back(void* lent) noexcept {
  auto& waits = *static_cast<OfThread*>(lent);
  OfThread* const own = slots_->find_thread();
  if (own == nullptr || own == &waits || !own->borrowed) return;
  while (!own->begun.empty()) leave(own->begun.back());
  own->borrowed = false;
  std::swap(*own, waits);
}

}  // namespace corbel::interceptors
