// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corbel/bridge/signature.hpp"
#include "corbel/dynamic/known_type.hpp"
#include "types.hpp"

namespace corbel::bridge {

/// What IDL files tell of operations. Made once; owns all of it.
class IdlSignatures final : public Signatures {
 public:
  /// Throws std::runtime_error if a file is of no use, and of an operation that may carry references if its types have
  /// no TypeCodes.
  explicit IdlSignatures(const tool::Files& files);
  ~IdlSignatures() override;

  /// If no file declares an interface with that id, the operation of that name that the files declare, if it is one.
  const Signature* find(std::string_view type_id, std::string_view operation) const override;

 private:
  using Operations = std::map<std::string, std::shared_ptr<const Signature>, std::less<>>;

  std::shared_ptr<const Signature> whole(std::shared_ptr<Signature> signature) const;
  void add(const idl::model::Interface& interface);
  void add(Operations& operations, const idl::model::Operation& operation);
  void add(Operations& operations, const idl::model::Attribute& attribute);
  std::shared_ptr<Signature> with_exceptions(const std::vector<const idl::model::Exception*>& raises);

  IDL::traits<CORBA::ORB>::ref_type orb_;  // for TypeCodes alone; it calls nobody
  std::unique_ptr<tool::Types> types_;
  std::vector<CORBA::typecode_reference> value_types_;
  std::deque<dynamic::KnownType> known_;  // these, so that they are understood where their bases are expected
  std::map<const void*, std::shared_ptr<const Signature>> made_;
  std::map<std::string, Operations, std::less<>> interfaces_;  // by repository id, with what they inherit
  Operations by_name_;                                         // null: of several interfaces
};

}  // namespace corbel::bridge
