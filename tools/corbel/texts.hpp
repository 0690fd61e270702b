// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/dynamic/type_code.hpp"

/// Octets, wide characters and types as texts.
namespace corbel::tool {

std::string to_base64(const std::vector<std::uint8_t>& octets);
/// Throws std::runtime_error.
std::vector<std::uint8_t> from_base64(const std::string& text);

/// UTF-8 and back. Throws std::runtime_error for what is not well-formed.
std::string narrow_text(const std::wstring& text);
std::wstring wide_text(const std::string& text);

/// "sequence<M::S>", "long": as IDL writes it, by the names in the TypeCode, so many sequences and arrays deep.
std::string type_name(const CORBA::TypeCode& type, int depth = 64);

}  // namespace corbel::tool
