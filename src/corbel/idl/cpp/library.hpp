// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "corbel/idl/model/model.hpp"

/// IDL whose C++ is in the library: what it implements itself, such as object adapters and Codecs, and module CORBA as
/// orb.idl has it. Such a declaration has one C++ definition, whichever IDL declares it (docs/adr/0010).
namespace corbel::idl::cpp {

/// The library's header that defines what the declaration maps to; empty if generated code does.
std::string_view library_header(const model::Declaration& declaration);
/// Every declaration in the contents, what is inside one after it.
void for_all(const model::Contents& contents, const std::function<void(const model::Declaration&)>& visit);
/// A native type that servants and abstract interfaces are referred to by.
bool is_library_reference(const model::Declaration& native);

/// Prepares a model for generation: nothing of the library's counts as the main file's own, and what derives from
/// policies and other objects that are local in the library is local, whatever the IDL says. Returns the headers of the
/// library that the C++ of the main file includes: of what it uses, or itself declares.
std::set<std::string> leave_to_library(model::Model& model);

/// What a `*_any.hpp` includes besides, if its `.hpp` includes those headers of the library.
std::set<std::string> any_headers(const std::set<std::string>& library_headers);

}  // namespace corbel::idl::cpp
