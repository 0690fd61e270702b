// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/current_exception.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

#include "corbel/base/thread_end.hpp"

namespace corbel::orb {

std::string current_exception_type() {
  // Of what C++ did not throw there is none to look for.
  const std::type_info* type = base::handles_thread_end() ? nullptr : abi::__cxa_current_exception_type();
  if (type == nullptr) return "unknown";
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr),
                                                         &std::free);
  return name != nullptr ? name.get() : type->name();
}

std::string what_was_thrown() {
  if (base::handles_thread_end()) return base::ThreadEnded().what();
  try {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return current_exception_type();
  }
}

}  // namespace corbel::orb
