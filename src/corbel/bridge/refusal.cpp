// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/refusal.hpp"

#include "corbel/base/log.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/exception_detail.hpp"

namespace corbel::bridge {

using messaging::LocateStatus;
using messaging::ReplyStatus;

void refuse(orb::Core* core, Counters& counters, connection::Connection& client, const Asked& asked,
            const corba::SystemFailure& failure) {
  counters.failed.fetch_add(1, std::memory_order_relaxed);
  if (core != nullptr) {
    CORBEL_LOG(core->log(), server, info, "request not forwarded", {"exception", failure.id}, {"why", failure.detail},
               {"operation", asked.operation()}, {"peer", client.peer()});
  }
  if (!asked.wants_reply()) return;
  const auto body = [&](cdr::Encoder& encoder) {
    encoder.put_plain_string(failure.id);
    encoder.put(failure.minor);
    encoder.put(static_cast<std::uint32_t>(failure.completed));
  };
  if (asked.kind() == Asked::Kind::location) {
    if (failure.is("OBJECT_NOT_EXIST")) {
      (void)client.reply_locate(asked.origin(), LocateStatus::unknown_object, [](cdr::Encoder&) {});
    } else {
      (void)client.reply_locate(asked.origin(), LocateStatus::system_exception, body);
    }
    return;
  }
  base::Bytes told;
  // It names addresses behind the bridge.
  const bool tells = core != nullptr && core->request_policies().exception_detail;
  if (tells && client.protocol().offers().service_contexts && !failure.detail.empty()) {
    told = orb::encode_exception_detail(failure.detail);
  }
  const messaging::ServiceContext context{orb::kExceptionDetailContext, told};
  (void)client.reply(asked.origin(), ReplyStatus::system_exception, {&context, told.empty() ? std::size_t{0} : 1},
                     body);
}

}  // namespace corbel::bridge
