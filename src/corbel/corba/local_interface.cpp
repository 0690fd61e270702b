// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/local_interface.hpp"

#include <mutex>

namespace corbel::corba {
namespace {

constinit std::mutex g_mutex;  // guards the list
constinit LocalInterface* g_first = nullptr;

}  // namespace

LocalInterface::LocalInterface(std::string_view id, Test test) noexcept : id_(id), test_(test), next_(nullptr) {
  const std::lock_guard lock(g_mutex);
  next_ = g_first;
  g_first = this;
}

LocalInterface::~LocalInterface() {
  const std::lock_guard lock(g_mutex);
  LocalInterface** link = &g_first;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

bool LocalInterface::is_a(const CORBA::LocalObject& object, std::string_view id) noexcept {
  const std::lock_guard lock(g_mutex);
  for (const LocalInterface* each = g_first; each != nullptr; each = each->next_) {
    if (each->id_ == id && each->test_(object)) return true;
  }
  return false;
}

}  // namespace corbel::corba
