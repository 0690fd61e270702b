// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corbel/builtins/builtins.hpp"

namespace corbel::test {

using Transports = std::vector<std::shared_ptr<const transport::Factory>>;

/// Those that ship; `wrap` is given each and returns what to use instead.
template <class Wrap>
Transports shipped_transports(Wrap wrap) {
  Transports all = builtins::components().transports;
  for (auto& each : all) each = wrap(std::move(each));
  return all;
}
inline Transports shipped_transports() {
  return builtins::components().transports;
}

/// Who talks over it: two processes, or threads of one at least.
enum class Between : std::uint8_t { threads, processes };

/// Where a server can listen over each transport that ships and carries every call, with nothing prepared:
/// "tcp://127.0.0.1:0", "unix://". One that is new is among them, and tried by all who ask, without an edit.
inline std::vector<std::string> endpoints(Between between = Between::threads) {
  std::vector<std::string> all;
  for (const auto& each : builtins::components().transports) {
    const std::string scheme(each->scheme());
    const transport::Traits traits = each->traits();
    const bool carries_every_call = traits.group_profile == 0 && traits.connected && traits.reliable && traits.ordered;
    const bool needs_certificates = scheme == "tls";
    const bool stays_inside = scheme == "inproc";
    if (!carries_every_call || needs_certificates || (stays_inside && between == Between::processes)) continue;
    // Of the network, and then of this host alone; or a name that it chooses itself.
    const auto chosen = each->parse("");
    const bool of_network = !chosen || (*chosen)->reach() == transport::Reach::anybody;
    const std::string address = of_network ? "127.0.0.1:0" : "";
    if (!each->parse(address)) throw std::logic_error("where can tests listen over '" + scheme + "'?");
    all.push_back(scheme + "://" + address);
  }
  return all;
}

/// The same, and more of them.
inline std::vector<std::string> endpoints_and(std::vector<std::string> more) {
  std::vector<std::string> all = endpoints();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace corbel::test
