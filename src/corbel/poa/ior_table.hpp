// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "corbel/corba/local_traits.hpp"

namespace IORTable {
class Locator;
class Table;
}  // namespace IORTable

template <>
struct IDL::traits<IORTable::Locator> : corbel::corba::LocalTraits<IORTable::Locator> {};
template <>
struct IDL::traits<IORTable::Table> : corbel::corba::LocalTraits<IORTable::Table> {};

/// Where clients find what they ask for by a plain name, `corbaloc::host:port/Name`: beyond the standard, as TAO has
/// it. A key is the name's octets, with no %hh in it. What it leads to is text that string_to_object takes, read anew
/// for each request: the client is told to ask there. Names that ORB::register_initial_reference was given come first.
namespace IORTable {

class CORBEL_API AlreadyBound final : public corbel::corba::MemberlessException<AlreadyBound> {
 public:
  static constexpr const char* _id = "IDL:IORTable/AlreadyBound:1.0";
  static constexpr const char* _label = "AlreadyBound";
};

class CORBEL_API NotFound final : public corbel::corba::MemberlessException<NotFound> {
 public:
  static constexpr const char* _id = "IDL:IORTable/NotFound:1.0";
  static constexpr const char* _label = "NotFound";
};

/// What an application implements to be asked for keys that are in no table.
class CORBEL_API Locator : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:IORTable/Locator:1.0";

  /// Where the key leads; throws NotFound if nowhere: OBJECT_NOT_EXIST for the client. Runs on the thread of the
  /// request, which waits for it, several at a time. May change the table and call objects, but not wait for the end of
  /// the ORB. A system exception is the client's, with COMPLETED_NO; anything else is UNKNOWN there.
  virtual std::string locate(const std::string& object_key) = 0;

 protected:
  Locator() noexcept = default;
};

/// `resolve_initial_references("IORTable")`: that of an ORB with object adapters, which listens from then on.
/// Thread-safe. When the ORB has shut down, all operations throw OBJECT_NOT_EXIST.
class CORBEL_API Table : public virtual CORBA::LocalObject {
 public:
  static constexpr std::string_view _interface_id = "IDL:IORTable/Table:1.0";

  /// Throws AlreadyBound. What `ior` says is looked at when somebody asks for the key: if it cannot be read then, the
  /// client gets OBJECT_NOT_EXIST, and the log says why.
  virtual void bind(const std::string& object_key, const std::string& ior) = 0;
  /// The same, in place of what the key led to before, if anything.
  virtual void rebind(const std::string& object_key, const std::string& ior) = 0;
  /// Throws NotFound. The locator is asked from then on.
  virtual void unbind(const std::string& object_key) = 0;
  /// What is bound to the key, else what the locator says. Throws NotFound, and what the locator throws.
  virtual std::string find(const std::string& object_key) = 0;
  /// In place of the one before, which requests that are asking it keep until it has answered. Nil: none.
  virtual void set_locator(IDL::traits<Locator>::ref_type the_locator) = 0;

 protected:
  Table() noexcept = default;
};

}  // namespace IORTable
