// SPDX-License-Identifier: Apache-2.0
// Policies of calls as the command line has them.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "caller.hpp"
#include "corbel/corba/messaging_policies.hpp"

namespace corbel::tool {
namespace {

using PolicyRef = IDL::traits<CORBA::Policy>::ref_type;

template <class P>
PolicyRef timeout(const std::string& value) {
  constexpr TimeBase::TimeT kPerMillisecond = 10'000;  // of 100 ns
  constexpr unsigned long kMost = 86'400'000;
  unsigned long milliseconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
  if (error != std::errc() || end != value.data() + value.size() || milliseconds == 0 || milliseconds > kMost)
    return nullptr;
  return CORBA::make_reference<P>(milliseconds * kPerMillisecond);
}

struct Word {
  std::string_view name;
  short value;
};

/// The policy of the word; nil if it is none of them.
template <class P>
PolicyRef by_word(const std::string& value, std::initializer_list<Word> words) {
  const auto* const found =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.name == value; });
  return found == words.end() ? nullptr : PolicyRef(CORBA::make_reference<P>(found->value));
}

PolicyRef sync_scope(const std::string& value) {
  return by_word<Messaging::SyncScopePolicy>(value, {{"SYNC_NONE", Messaging::SYNC_NONE},
                                                     {"SYNC_WITH_TRANSPORT", Messaging::SYNC_WITH_TRANSPORT},
                                                     {"SYNC_WITH_SERVER", Messaging::SYNC_WITH_SERVER},
                                                     {"SYNC_WITH_TARGET", Messaging::SYNC_WITH_TARGET}});
}

PolicyRef rebind(const std::string& value) {
  return by_word<Messaging::RebindPolicy>(value, {{"TRANSPARENT", Messaging::TRANSPARENT},
                                                  {"NO_REBIND", Messaging::NO_REBIND},
                                                  {"NO_RECONNECT", Messaging::NO_RECONNECT}});
}

struct Kind {
  std::string_view name;
  PolicyRef (*make)(const std::string& value);
  std::string_view values;
};

constexpr std::string_view kMilliseconds = "milliseconds from 1 to 86400000";
constexpr Kind kKinds[] = {
    {"RelativeRoundtripTimeout", &timeout<Messaging::RelativeRoundtripTimeoutPolicy>, kMilliseconds},
    {"RelativeRequestTimeout", &timeout<Messaging::RelativeRequestTimeoutPolicy>, kMilliseconds},
    {"ConnectionTimeout", &timeout<corbel::ConnectionTimeoutPolicy>, kMilliseconds},
    {"SyncScope", &sync_scope, "SYNC_NONE, SYNC_WITH_TRANSPORT, SYNC_WITH_SERVER or SYNC_WITH_TARGET"},
    {"Rebind", &rebind, "TRANSPARENT, NO_REBIND or NO_RECONNECT"}};

PolicyRef make_policy(const std::string& text) {
  const std::size_t name_ends = std::min(text.find('='), text.size());
  const std::string_view name = std::string_view(text).substr(0, name_ends);
  const auto* const kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& one) { return one.name == name; });
  if (kind == std::end(kKinds)) {
    std::string known;
    for (const Kind& one : kKinds) known.append(known.empty() ? "" : ", ").append(one.name);
    throw std::runtime_error("--policy " + text + ": write NAME=VALUE, with one of " + known);
  }
  const std::string value = name_ends == text.size() ? std::string() : text.substr(name_ends + 1);
  if (auto policy = kind->make(value); policy != nullptr) return policy;
  throw std::runtime_error("--policy " + text + ": " + std::string(name) + " is " + std::string(kind->values));
}

}  // namespace

IDL::traits<CORBA::Object>::ref_type with_policies(const IDL::traits<CORBA::Object>::ref_type& object,
                                                   const std::vector<std::string>& policies) {
  if (object == nullptr || policies.empty()) return object;
  CORBA::PolicyList list;
  for (const std::string& policy : policies) list.push_back(make_policy(policy));
  return object->_set_policy_overrides(list, CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace corbel::tool
