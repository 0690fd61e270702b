// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/transport_policy.hpp"

#include <algorithm>
#include <utility>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel {
namespace {

/// In an order of their own, so that it does not matter in which one they were given.
policy::TransportOptionsPtr checked(policy::TransportOptions options) {
  const auto name_of = [](const policy::TransportOption& one) -> const std::string& { return one.name; };
  std::ranges::sort(options, {}, name_of);
  const bool twice = std::ranges::adjacent_find(options, {}, name_of) != options.end();
  if (options.empty() || options.front().name.empty() || twice) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "options of transports are pairs of a name and a value, each name once");
  }
  return std::make_shared<const policy::TransportOptions>(std::move(options));
}

}  // namespace

TransportOptionsPolicy::TransportOptionsPolicy(policy::TransportOptions options)
    : options_(checked(std::move(options))) {}

policy::TransportOptions TransportOptionsPolicy::parse(std::string_view text) {
  policy::TransportOptions options;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t end = one.find('=');
    if (end == std::string_view::npos) return {};
    options.push_back({std::string(one.substr(0, end)), std::string(one.substr(end + 1))});
  }
  return options;
}

IDL::traits<CORBA::Policy>::ref_type TransportOptionsPolicy::copy() {
  return CORBA::make_reference<TransportOptionsPolicy>(*options_);
}

bool TransportOptionsPolicy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id);
}

void TransportOptionsPolicy::_override(policy::ClientOverrides& overrides) const noexcept {
  overrides.transport_options = options_;
}

}  // namespace corbel
