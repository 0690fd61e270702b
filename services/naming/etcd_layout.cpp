// SPDX-License-Identifier: Apache-2.0
#include "etcd_layout.hpp"

#include <charconv>
#include <chrono>

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

constexpr std::size_t kDigits = 16;
constexpr std::string_view kEndOfId("\0\1", 2);

std::string digits(std::int64_t number) {
  return hex(static_cast<std::uint64_t>(number));
}

std::optional<std::int64_t> number_of(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// Takes a decimal number and the octet behind it.
std::optional<std::int64_t> take(std::string_view& text, char behind) {
  const std::size_t at = text.find(behind);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = number_of(text.substr(0, at), 10);
  text.remove_prefix(at + 1);
  return number;
}

std::optional<std::pair<std::int64_t, std::int64_t>> two(std::string_view text) {
  const auto first = take(text, ' ');
  const auto second = first ? number_of(text, 10) : std::nullopt;
  if (!second || *first < 0 || *second < 0) return std::nullopt;
  return std::pair(*first, *second);
}

}  // namespace

std::string context_key(ContextId context) {
  return "c" + digits(context);
}

std::string bindings_of(ContextId context) {
  return "b" + digits(context);
}

std::string binding_key(ContextId context, const NameComponent& name) {
  std::string key = bindings_of(context);
  for (const char each : name.id()) {
    key += each;
    if (each == '\0') key += '\xFF';
  }
  key += kEndOfId;
  return key + name.kind();
}

std::string end_key(std::int64_t ends, std::string_view binding_key) {
  std::string key = "e" + digits(ends);
  key += binding_key.substr(1);
  return key;
}

std::optional<ContextId> context_of(std::string_view key) {
  if (key.size() != kDigits + 1 || key.front() != 'c') return std::nullopt;
  return number_of(key.substr(1), 16);
}

std::optional<EtcdPlace> place_of(std::string_view key) {
  if (key.size() < kDigits + 1 + kEndOfId.size() || key.front() != 'b') return std::nullopt;
  const auto context = number_of(key.substr(1, kDigits), 16);
  if (!context) return std::nullopt;
  EtcdPlace place;
  place.context = *context;
  std::string id;
  for (std::size_t i = kDigits + 1; i < key.size(); ++i) {
    if (key[i] != '\0') {
      id += key[i];
      continue;
    }
    if (++i == key.size()) return std::nullopt;
    if (key[i] == kEndOfId[1]) {
      place.name = NameComponent(std::move(id), std::string(key.substr(i + 1)));
      return place;
    }
    if (key[i] != '\xFF') return std::nullopt;
    id += '\0';
  }
  return std::nullopt;
}

std::optional<std::string> ending_of(std::string_view key) {
  if (key.size() < 2 * kDigits + 1 || key.front() != 'e') return std::nullopt;
  return "b" + std::string(key.substr(kDigits + 1));
}

std::string pack(const EtcdBinding& binding) {
  std::string value(binding.bound.type == BindingType::ncontext ? "c" : "o");
  for (const std::int64_t each : {binding.bound.child, binding.lease, binding.ends}) {
    // Leases are any number of 64 bits.
    value += std::to_string(static_cast<std::uint64_t>(each)) + ' ';
  }
  return value + binding.bound.reference;
}

std::optional<EtcdBinding> binding_from(std::string_view value) {
  if (value.empty() || (value.front() != 'c' && value.front() != 'o')) return std::nullopt;
  EtcdBinding binding;
  binding.bound.type = value.front() == 'c' ? BindingType::ncontext : BindingType::nobject;
  value.remove_prefix(1);
  const auto child = take(value, ' ');
  const auto lease = child ? take(value, ' ') : std::nullopt;
  const auto ends = lease ? take(value, ' ') : std::nullopt;
  if (!ends) return std::nullopt;
  binding.bound.child = *child;
  binding.lease = *lease;
  binding.ends = *ends;
  binding.bound.reference = value;
  return binding;
}

std::string pack(const EtcdContext& context) {
  return std::to_string(context.bindings) + ' ' + std::to_string(context.made);
}

std::optional<EtcdContext> context_from(std::string_view value) {
  const auto found = two(value);
  return found ? std::optional(EtcdContext{found->first, found->second}) : std::nullopt;
}

std::string pack(const EtcdTotals& totals) {
  return std::to_string(totals.contexts) + ' ' + std::to_string(totals.bindings);
}

std::optional<EtcdTotals> totals_from(std::string_view value) {
  const auto found = two(value);
  return found ? std::optional(EtcdTotals{found->first, found->second}) : std::nullopt;
}

std::int64_t etcd_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace corbel::naming
