// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "corbel/messaging/protocol.hpp"

/// What a server says about an exception besides its kind: the service context ExceptionDetailMessage, a wstring as of
/// GIOP 1.2 in an encapsulation (CORBA 3.3 part 2, 9.7). Other ORBs send and show it, too.
namespace corbel::orb {

inline constexpr std::uint32_t kExceptionDetailContext = 14;

/// The context's data for a text, which is shortened and made printable.
base::Bytes encode_exception_detail(std::string_view text);
/// What the peer says, printable and short; empty if it says nothing that can be read.
std::string exception_detail(const messaging::ServiceContextView& contexts);

}  // namespace corbel::orb
