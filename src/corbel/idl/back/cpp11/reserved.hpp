// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Identifiers that IDL allows and C++, or the headers that generated code includes, have taken already.
namespace corbel::idl::back::cpp11 {

/// Keywords and macros: nothing at all can be called like that.
bool is_reserved(std::string_view identifier);
/// Types, variables and functions of the global namespace, where IDL outside any module is mapped to.
bool is_global(std::string_view identifier);
/// Modules that the library has, too: those with OMG's prefix are extended, others are not the same.
bool is_library_module(std::string_view identifier);
/// Namespaces whose names generated code writes: "std", "corbel", "IDL", "CORBA", "PortableServer".
bool is_namespace(std::string_view identifier);
/// What generated code itself declares in each scope: "POA", "obv", "swap".
bool is_generated(std::string_view identifier);

}  // namespace corbel::idl::back::cpp11
