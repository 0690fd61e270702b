// SPDX-License-Identifier: Apache-2.0
// Which keys there are in etcd, and what they hold.
//
//   PREFIX/format, PREFIX/identity      text
//   PREFIX/current                      the generation that counts, 16 digits. An import that is too large for one
//                                       transaction is written as another generation, and then that is made to count
//   PREFIX/s/NAME                       a setting
//   PREFIX/m/ID                         a process that serves: when it ends, a newline, its addresses
//   PREFIX/g/GENERATION/...             the names, and there
//     t                                 contexts, bindings: put by every change, so that they go one after the other
//     c CONTEXT                         bindings in it, second in which it was made
//     b CONTEXT NAME                    a binding: see pack
//     e MILLISECOND CONTEXT NAME        empty: that binding ends then
//
// Numbers in keys are 16 digits, in values decimal. NAME is the id, each octet 0 of it followed by 255, then the octets
// 0 and 1, then the kind: in the order of the octets these are in the order of names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store.hpp"

namespace corbel::naming {

struct EtcdBinding {
  Bound bound{};
  std::int64_t lease = 0;  ///< 0: none
  std::int64_t ends = 0;   ///< milliseconds since 1970; 0: never
  bool has_ended(std::int64_t now) const noexcept { return ends != 0 && ends <= now; }
};

struct EtcdContext {
  std::int64_t bindings = 0;
  std::int64_t made = 0;
};

struct EtcdTotals {
  std::int64_t contexts = 0;
  std::int64_t bindings = 0;
};

// Keys within a generation.

inline constexpr const char* kEtcdTotals = "t";
std::string context_key(ContextId context);
std::string binding_key(ContextId context, const CosNaming::NameComponent& name);
/// What all keys of its bindings begin with.
std::string bindings_of(ContextId context);
std::string end_key(std::int64_t ends, std::string_view binding_key);

// And what they say; nothing if they are no such keys.

std::optional<ContextId> context_of(std::string_view key);
struct EtcdPlace {
  ContextId context = 0;
  CosNaming::NameComponent name;
};
std::optional<EtcdPlace> place_of(std::string_view binding_key);
/// The key of the binding that ends.
std::optional<std::string> ending_of(std::string_view end_key);

// Values.

std::string pack(const EtcdBinding& binding);
std::string pack(const EtcdContext& context);
std::string pack(const EtcdTotals& totals);
std::optional<EtcdBinding> binding_from(std::string_view value);
std::optional<EtcdContext> context_from(std::string_view value);
std::optional<EtcdTotals> totals_from(std::string_view value);

/// Milliseconds since 1970 by this machine's clock.
std::int64_t etcd_now();

}  // namespace corbel::naming
