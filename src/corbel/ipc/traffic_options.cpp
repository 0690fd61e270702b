// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/traffic_options.hpp"

#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/socket_options.hpp"

namespace corbel::ipc {
namespace {

using base::Stage;

template <class Option>
base::Status set(int descriptor, const Option& option, typename Option::Value value) noexcept {
  const auto native = detail::OptionCodec<typename Option::Value>::encode(value);
  if (::setsockopt(descriptor, option.level, option.name, &native, sizeof native) == 0) return {};
  return last_failure(Stage::configure);
}

}  // namespace

base::Status set_traffic(int descriptor, const TrafficOptions& options) noexcept {
  if (options == TrafficOptions()) return {};
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return last_failure(Stage::configure);
  const bool v6 = family == AF_INET6;
  if (options.dscp != 0) {
    const int octet = options.dscp << 2;  // the two bits below are ECN's
    CORBEL_CHECK(set(descriptor, option::type_of_service, octet));
    if (v6) CORBEL_CHECK(set(descriptor, option::traffic_class, octet));
  }
  // Behind the code point: with that, Linux sets a priority of its own.
  if (options.priority != 0) CORBEL_CHECK(set(descriptor, option::priority, options.priority));
  if (options.time_to_live >= 0) {
    CORBEL_CHECK(set(descriptor, option::time_to_live, options.time_to_live));
    if (v6) CORBEL_CHECK(set(descriptor, option::hop_limit, options.time_to_live));
  }
  if (options.pacing_rate != 0) CORBEL_CHECK(set(descriptor, option::pacing_rate, options.pacing_rate));
  return {};
}

}  // namespace corbel::ipc
