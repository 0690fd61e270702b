// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <corbel/corbel.hpp>

/// Servers that tell their interfaces, so that `corbel call` and `corbel describe` need no IDL files. In CMakeLists.txt
///
///   corbel_idl_reflect(my_server plant.idl)      # compiles the text in, with what it includes
///
/// and after ORB_init
///
///   corbel::reflection::serve(orb);
///
/// Every client that can connect can then read the IDL. Servers without these two lines tell nothing.
namespace corbel::reflection {

/// One IDL file. Views of static storage.
struct File {
  std::string_view path;  ///< as #include says it
  std::string_view text;
  bool is_root = false;  ///< was given; else it is included by one that was
};

/// For generated code: adds a file for all ORBs; one with a path that is there already is left out. Not thread-safe:
/// before main, or before serve().
bool add(const File& file);

/// Registers an object with what was added as the initial reference "CorbelReflection" of the ORB, so that
/// corbaloc::host:port/CorbelReflection of this server leads to it, and activates the root POA's manager no more than
/// it is. Throws CORBA exceptions: ORB::InvalidName the second time.
void serve(const IDL::traits<CORBA::ORB>::ref_type& orb);

}  // namespace corbel::reflection
