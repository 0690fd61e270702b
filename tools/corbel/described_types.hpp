// SPDX-License-Identifier: Apache-2.0
// The types that interfaces use, as `corbel describe` shows them.
#pragma once

#include <ostream>
#include <string_view>
#include <vector>

#include "comments.hpp"
#include "json_values.hpp"

namespace corbel::tool {

/// The types of operations, attributes and exceptions of an interface and of those it inherits, and what these are made
/// of. Each once, in the order in which they are met; no interfaces.
std::vector<const idl::model::Declaration*> types_used(const idl::model::Interface& interface);

/// As IDL has it, under its scoped name.
void print_type(std::ostream& out, const idl::model::Declaration& type, const Comments& comments);
Json type_json(const idl::model::Declaration& type, const Comments& comments);

/// Lines that begin with "//"; none if the comment is empty.
void print_comment(std::ostream& out, const std::string& comment, std::string_view indent);
/// As "comment", unless it is empty.
void add_comment(Json& json, const std::string& comment);

}  // namespace corbel::tool
