// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/forwarder.hpp"

#include <chrono>
#include <new>

#include "corbel/bridge/exchange.hpp"
#include "corbel/bridge/refusal.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::bridge {

using base::Code;
using base::Stage;
using corba::Completed;

namespace {

corba::SystemFailure no_memory() {
  return corba::system_failure("NO_MEMORY", 0, Completed::no, "the bridge has no memory left");
}

constexpr base::Duration kSecond = std::chrono::seconds(1);

/// Once a second as long as the ORB is there: connections to servers that no call uses. A client's call would find out,
/// but may not come.
void see_to_idle_connections(orb::Core& core) noexcept {
  const auto look = [&core]() noexcept {
    try {
      if (!core.cache().rest(kSecond)) return;
    } catch (const std::bad_alloc&) {  // later
    }
    see_to_idle_connections(core);
  };
  try {
    core.completions().reactor().schedule_after(kSecond, look);
  } catch (const std::bad_alloc&) {  // then nobody does
  }
}

[[noreturn]] void refuse_to_add(Stage stage, Code code, const char* why) {
  throw CORBA::BAD_PARAM(corba::vendor_minor(stage, code), CORBA::CompletionStatus::COMPLETED_NO, why);
}

}  // namespace

Forwarder::Forwarder(Settings settings)
    : settings_(std::move(settings)), table_(settings_.references, settings_.reference_octets) {}

template <class... Message>
void Forwarder::forward(connection::Connection& client, base::ConstByteSpan key, const Message&... message) {
  Attached* const attached = attached_.load(std::memory_order_acquire);
  TargetPtr target = attached == nullptr ? nullptr : table_.find(key);
  if (target == nullptr) {
    throw corba::system_failure("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, Completed::no,
                                "the bridge knows no object with this key");
  }
  const base::IntrusivePtr<Exchange> exchange(new Exchange(attached->means, client, std::move(target), message...));
  exchange->begin();
}

/// Of what did not begin.
void Forwarder::refuse(connection::Connection& client, const Asked& asked, const corba::SystemFailure& failure) {
  Attached* const attached = attached_.load(std::memory_order_acquire);
  bridge::refuse(attached == nullptr ? nullptr : &attached->means.core, counters_, client, asked, failure);
}

void Forwarder::on_request(connection::Connection& client, const messaging::IncomingRequest& request,
                           cdr::Decoder& body) noexcept try {
  try {
    if (Attached* const attached = attached_.load(std::memory_order_acquire))
      body.set_context(&attached->means.core.context());
    forward(client, request.object_key, request, body);
  } catch (const corba::SystemFailure& failure) {
    refuse(client, Asked(request, body, false), failure);
  } catch (const std::bad_alloc&) {
    refuse(client, Asked(request, body, false), no_memory());
  }
} catch (...) {  // without memory for an answer
  client.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

void Forwarder::on_locate_request(connection::Connection& client,
                                  const messaging::IncomingLocateRequest& request) noexcept try {
  try {
    forward(client, request.object_key, request);
  } catch (const corba::SystemFailure& failure) {
    refuse(client, Asked(request), failure);
  } catch (const std::bad_alloc&) {
    refuse(client, Asked(request), no_memory());
  }
} catch (...) {
  client.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

void Forwarder::on_cancel(connection::Connection& client, const messaging::Origin& origin) noexcept {
  pending_.cancel(client, origin);
}

void Forwarder::on_end(connection::Connection& client) noexcept {
  pending_.cancel_all(client);
}

Attached& Forwarder::attach(orb::Core& core) {
  const std::lock_guard lock(mutex_);
  if (!attachment_) {
    attachment_.emplace(core, table_, settings_, counters_, pending_);
    attached_.store(&*attachment_, std::memory_order_release);
    see_to_idle_connections(core);
  } else if (&attachment_->means.core != &core) {
    refuse_to_add(Stage::configure, Code::refused, "this bridge is another ORB's");
  }
  return *attachment_;
}

std::string Forwarder::add(CORBA::ORB& orb, const std::string& reference, const std::string& key) {
  orb::Core& core = orb._core();
  Attached& attached = attach(core);
  const auto object = orb.string_to_object(reference);
  if (object == nullptr) refuse_to_add(Stage::resolve, Code::not_found, "the reference is nil");
  const ior::Ior ior = *ior::from_string(orb.object_to_string(object), core.limits());
  const auto routes = core.routes_elsewhere(ior, {});
  if (!routes || !core.keys_of_ours(ior).empty()) {
    refuse_to_add(Stage::resolve, Code::no_profile, "the reference leads nowhere, or back to the bridge");
  }
  const base::Bytes& own = routes->front().object_key;
  const std::string name = key.empty() ? std::string(own.begin(), own.end()) : key;
  if (name.size() > core.limits().max_object_key) {
    refuse_to_add(Stage::configure, Code::key_too_long,
                  "the key is longer than -ORBMaxObjectKey lets clients send; give the object one of its own");
  }
  if (!table_.add(name, ior)) {
    refuse_to_add(Stage::configure, Code::address_in_use, "another object has this key; give it one of its own");
  }
  const auto octets = base::ConstByteSpan(reinterpret_cast<const base::Octet*>(name.data()), name.size());
  return ior::to_string(attached.proxies.make(ior, octets));
}

Counts Forwarder::counts() const {
  return {counters_.forwarded, counters_.by_types, counters_.failed,
          counters_.cancelled, pending_.count(),   table_.size()};
}

}  // namespace corbel::bridge
