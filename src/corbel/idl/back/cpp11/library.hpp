// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "corbel/idl/model/model.hpp"

/// Where the library defines what IDL declares that it implements itself.
namespace corbel::idl::back::cpp11 {

/// The library's header that defines what the declaration maps to; empty if generated code does.
std::string_view library_header(const model::Declaration& declaration);
/// A native type that servants and abstract interfaces are referred to by.
bool is_library_reference(const model::Declaration& native);

/// The headers of the library that the C++ of the main file includes: of what it uses, or itself declares.
std::set<std::string> library_headers(const model::Model& model);

/// What a `*_any.hpp` includes besides, if its `.hpp` includes those headers of the library.
std::set<std::string> any_headers(const std::set<std::string>& library_headers);

}  // namespace corbel::idl::back::cpp11
