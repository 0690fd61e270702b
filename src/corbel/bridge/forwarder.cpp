// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/forwarder.hpp"

#include <new>

#include "corbel/base/log.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/exception_detail.hpp"

namespace corbel::bridge {

using corba::Completed;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::Response;

Forwarder::Forwarder(Settings settings)
    : settings_(std::move(settings)), table_(settings_.references, settings_.reference_octets) {}

void Forwarder::on_request(connection::Connection& client, const messaging::IncomingRequest& request,
                           cdr::Decoder& body) noexcept try {
  try {
    forward(client, request, body);
  } catch (const corba::SystemFailure& failure) {
    refuse(client, request, failure);
  } catch (const std::bad_alloc&) {
    refuse(client, request, corba::system_failure("NO_MEMORY", 0, Completed::maybe, "the bridge has no memory left"));
  } catch (...) {
    refuse(client, request, corba::system_failure("INTERNAL", 0, Completed::maybe, "the bridge failed"));
  }
} catch (...) {  // without memory for an answer
  client.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

void Forwarder::forward(connection::Connection& client, const messaging::IncomingRequest& request, cdr::Decoder& body) {
  Attached* const attached = attached_.load(std::memory_order_acquire);
  const TargetPtr target = attached == nullptr ? nullptr : table_.find(request.object_key);
  if (target == nullptr) {
    throw corba::system_failure("OBJECT_NOT_EXIST", corba::minor::kObjectNotActive, Completed::no,
                                "the bridge knows no object with this key");
  }
  body.set_context(&attached->means.core);
  Exchange(attached->means, client, request, body, *target).run();
}

void Forwarder::refuse(connection::Connection& client, const messaging::IncomingRequest& request,
                       const corba::SystemFailure& failure) {
  counters_.failed.fetch_add(1, std::memory_order_relaxed);
  const Attached* const attached = attached_.load(std::memory_order_acquire);
  if (attached != nullptr) {
    CORBEL_LOG(attached->means.core.log(), server, info, "request not forwarded", {"exception", failure.id},
               {"why", failure.detail}, {"operation", request.operation}, {"peer", client.peer()});
  }
  if (request.response == Response::none) return;
  base::Bytes told;
  // It names addresses behind the bridge.
  const bool tells = attached != nullptr && attached->means.core.request_policies().exception_detail;
  if (tells && client.protocol().offers().service_contexts && !failure.detail.empty()) {
    told = orb::encode_exception_detail(failure.detail);
  }
  const messaging::ServiceContext context{orb::kExceptionDetailContext, told};
  (void)client.reply(request.origin, ReplyStatus::system_exception, {&context, told.empty() ? std::size_t{0} : 1},
                     [&](cdr::Encoder& encoder) {
                       encoder.put_plain_string(failure.id);
                       encoder.put(failure.minor);
                       encoder.put(static_cast<std::uint32_t>(failure.completed));
                     });
}

void Forwarder::on_locate_request(connection::Connection& client,
                                  const messaging::IncomingLocateRequest& request) noexcept try {
  const bool known = table_.find(request.object_key) != nullptr;
  (void)client.reply_locate(request.origin, known ? LocateStatus::object_here : LocateStatus::unknown_object,
                            [](cdr::Encoder&) {});
} catch (...) {  // no memory for the answer
  client.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

Forwarder::Attached& Forwarder::attach(orb::Core& core) {
  const std::lock_guard lock(mutex_);
  if (!attachment_) {
    attachment_.emplace(core, table_, settings_, counters_);
    attached_.store(&*attachment_, std::memory_order_release);
  } else if (&attachment_->means.core != &core) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "this bridge is another ORB's");
  }
  return *attachment_;
}

std::string Forwarder::add(CORBA::ORB& orb, const std::string& reference, const std::string& key) {
  orb::Core& core = orb._core();
  Attached& attached = attach(core);
  const auto object = orb.string_to_object(reference);
  if (object == nullptr) throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "the reference is nil");
  const ior::Ior ior = *ior::from_string(orb.object_to_string(object), core.limits());
  const auto routes = core.routes_elsewhere(ior, {});
  if (!routes || !core.keys_of_ours(ior).empty()) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "the reference leads nowhere, or back to the bridge");
  }
  const base::Bytes& own = routes->front().object_key;
  const std::string name = key.empty() ? std::string(own.begin(), own.end()) : key;
  if (name.size() > core.limits().max_object_key) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "the key is longer than -ORBMaxObjectKey lets clients send; give the object one of its own");
  }
  if (!table_.add(name, ior)) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "another object has this key; give it one of its own");
  }
  const auto octets = base::ConstByteSpan(reinterpret_cast<const base::Octet*>(name.data()), name.size());
  return ior::to_string(attached.proxies.make(ior, octets));
}

Counts Forwarder::counts() const {
  return {counters_.forwarded, counters_.by_types, counters_.failed, table_.size()};
}

}  // namespace corbel::bridge
