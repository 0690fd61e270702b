// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../constants_text.hpp"
#include "interop.hh"

namespace interop {

/// The constants of interop.idl, as omniORB mapped them.
inline std::string constants_text() {
  using namespace Interop;
  return render_constants(kYes, kChar, kOctet, kShort, kUShort, kLong, kULong, kLongLong, kULongLong, kFloat, kDouble,
                          kWChar, kText, kWide, kBound, static_cast<unsigned>(kColour));
}

}  // namespace interop
