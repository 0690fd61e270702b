// SPDX-License-Identifier: Apache-2.0
// Types as an interface repository of any ORB tells them (CORBA 3.3 part 1, 14).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "corbel/idl/model/model.hpp"
#include "repository_part.hpp"
#include "types.hpp"

namespace corbel::tool {

/// An interface and the types that it uses, as if IDL had declared them. `absolute_name` is the interface's own
/// ("::M::I"); it tells where the prefix of repository ids ends. What repositories say is not trusted: throws
/// std::runtime_error for what no IDL declares, and for more than is read.
std::unique_ptr<idl::model::Model> model_of(const CorbelRepository::FullInterfaceDescription& told,
                                            std::string_view absolute_name);

/// What the InterfaceDef behind the reference `repository` says, or the Repository: that of `interface` (M::I or a
/// repository id), or if it is empty of the interface of `object`, which may be nil otherwise. Throws
/// std::runtime_error if there is no such interface, and the exceptions of the calls.
std::unique_ptr<idl::model::Model> ask_repository(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                  const std::string& repository, const std::string& interface,
                                                  const IDL::traits<CORBA::Object>::ref_type& object);

/// The types for calls of an object: those of the files and the repository in `files`; if none are named, what the
/// server tells by Corbel::reflection, else by the object's InterfaceDef. `interface` is the one that was asked for, if
/// any. If no interface is found, `why` says what was tried.
Types types_for(const IDL::traits<CORBA::ORB>::ref_type& orb, const IDL::traits<CORBA::Object>::ref_type& object,
                const Files& files, const std::string& interface,
                const IDL::traits<DynamicAny::DynAnyFactory>::ref_type& values, std::string& why);

}  // namespace corbel::tool
