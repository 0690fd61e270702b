// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/idl/back/cpp11/names.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::cpp11 {

/// The C++ type that an IDL type maps to.
std::string spell(const model::Type& type, const Names& names);
/// Passed by value: basic types, enums, references. The others go by const reference.
bool is_by_value(const model::Type& type);
/// Mapped to a reference type: interfaces, values, Object, TypeCode.
bool is_reference(const model::Type& type);
/// CORBA::AbstractBase, which our rendering of the ORB's IDL declares as native.
bool is_abstract_base(const model::Type& type);
/// The type of an `in` parameter.
std::string in_parameter(const model::Type& type, const Names& names);
/// The type of a parameter.
std::string parameter(const model::Parameter& p, const Names& names);

/// "std::span<const std::int32_t>" for an `in` parameter with @view that can be one; else empty.
std::string view_type(const model::Parameter& p, const Names& names);

/// A C++ expression for a constant value of the type.
std::string literal(const model::Value& value, const model::Type& type, const Names& names);
/// A C++ string literal with the escapes that any text needs.
std::string quote(const std::string& text);

}  // namespace corbel::idl::back::cpp11
