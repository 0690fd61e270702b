// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

/// Scoped names by repository id.
using TypeNames = std::map<std::string, std::string, std::less<>>;
/// "sequence<M::S>", "long": as IDL writes it, so many sequences deep. What `names` does not have is called as its
/// repository id says, prefix and all.
std::string type_name(const CORBA::TypeCode& type, const TypeNames* names = nullptr, int depth = 64);
/// "M::S" of "IDL:M/S:1.0"; empty if it is no such id.
std::string name_in_id(const std::string& id);

}  // namespace corbel::tool
