// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"

namespace corbel::test {

/// How a call ended, in short: "done", "TRANSIENT NO 2" with the OMG's minor codes, "Refused".
inline std::string ending_of(const std::function<void()>& run) {
  constexpr const char* kCompleted[] = {" YES", " NO", " MAYBE"};
  try {
    run();
    return "done";
  } catch (const CORBA::SystemException& exception) {
    std::string text = exception._name();
    text += kCompleted[static_cast<int>(exception.completed())];
    if ((exception.minor() & 0xfffff000U) == CORBA::OMGVMCID) text += ' ' + std::to_string(exception.minor() & 0xfff);
    return text;
  } catch (const CORBA::UserException& exception) {
    return exception._name();
  }
}

}  // namespace corbel::test
