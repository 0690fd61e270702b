// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/known_type.hpp"

#include <array>
#include <functional>
#include <mutex>

namespace corbel::dynamic {
namespace {

constinit std::mutex g_mutex;  // guards the lists
constinit std::array<KnownType*, 256> g_first{};

KnownType*& list_of(std::string_view id) {
  return g_first[std::hash<std::string_view>{}(id) % g_first.size()];
}

}  // namespace

KnownType::KnownType(const CORBA::TypeCode& code) noexcept : code_(code), next_(nullptr) {
  const std::lock_guard lock(g_mutex);
  // Behind those that are there: one that came later, from a plug-in, may go earlier.
  KnownType** link = &list_of(code._node().id);
  while (*link != nullptr) link = &(*link)->next_;
  *link = this;
}

KnownType::~KnownType() {
  const std::lock_guard lock(g_mutex);
  KnownType** link = &list_of(code_._node().id);
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

CORBA::typecode_reference KnownType::find(std::string_view id) {
  const std::lock_guard lock(g_mutex);
  for (const KnownType* one = list_of(id); one != nullptr; one = one->next_) {
    if (one->code_._node().id == id) return one->code_._reference();
  }
  return nullptr;
}

}  // namespace corbel::dynamic
