// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/failure.hpp"

#include <utility>

namespace corbel::corba {
namespace {

constexpr std::string_view kPrefix = "IDL:omg.org/CORBA/";
constexpr std::string_view kVersion = ":1.0";

}  // namespace

bool SystemFailure::is(std::string_view name) const noexcept {
  const std::string_view text = id;
  return text.size() == kPrefix.size() + name.size() + kVersion.size() && text.starts_with(kPrefix) &&
         text.ends_with(kVersion) && text.substr(kPrefix.size(), name.size()) == name;
}

SystemFailure system_failure(std::string_view name, std::uint32_t minor, Completed completed, std::string detail) {
  return {std::string(kPrefix).append(name).append(kVersion), minor, completed, std::move(detail)};
}

SystemFailure failure_of(const SystemExceptionCore& exception) {
  return {exception._rep_id(), exception.minor(), exception._completed(), exception.detail()};
}

void raise(std::string_view name, std::uint32_t minor, Completed completed, std::string detail) {
  raise(system_failure(name, minor, completed, std::move(detail)));
}

}  // namespace corbel::corba
