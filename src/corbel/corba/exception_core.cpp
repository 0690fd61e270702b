// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/exception_core.hpp"

#include <atomic>
#include <utility>

namespace corbel::corba {

SystemExceptionCore::SystemExceptionCore(std::uint32_t minor, Completed completed, std::string text)
    : minor_(minor), completed_(completed) {
  if (!text.empty()) detail(std::move(text));
}

const std::string& SystemExceptionCore::detail() const noexcept {
  static const std::string none;
  return detail_ == nullptr ? none : *detail_;
}

void SystemExceptionCore::detail(std::string text) {
  detail_ = base::make_shared<const std::string>(std::move(text));
}

bool SystemExceptionCore::ended_own_call() const noexcept {
  // Of a const bool there is none in every library before C++26.
  return std::atomic_ref(const_cast<bool&>(ended_own_call_)).load(std::memory_order_relaxed);
}

void SystemExceptionCore::ends_own_call() noexcept {
  std::atomic_ref<bool>(ended_own_call_).store(true, std::memory_order_relaxed);
}

}  // namespace corbel::corba
