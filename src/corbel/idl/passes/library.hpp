// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "corbel/idl/model/model.hpp"

/// IDL that the library implements itself, such as object adapters and Codecs, and module CORBA as orb.idl has it. Such
/// a declaration has one definition, the library's, whichever IDL declares it (docs/adr/0010).
namespace corbel::idl::passes {

/// What is defined together.
enum class LibraryPart : std::uint8_t {
  corba,          ///< of module CORBA what needs neither Anys nor TypeCodes
  corba_dynamic,  ///< the rest of it
  portable_server,
  dynamic_any,
  iop,  ///< references, contexts and code sets, and Codecs
  asynchronous,
  polling,
  messaging,  ///< times, and the policies that calls obey
  real_time,
};

/// The part of the library that defines the declaration; none if generated code does.
std::optional<LibraryPart> library_part(const model::Declaration& declaration);

/// The library's declarations no longer count as the main file's own. What derives from policies, and from other
/// objects that are local in the library, is local, whatever the IDL says.
void leave_to_library(model::Model& model);

}  // namespace corbel::idl::passes
