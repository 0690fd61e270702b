// SPDX-License-Identifier: Apache-2.0
// What repository_model.cpp is made of: types as TypeCodes of strangers tell them, as if IDL had declared them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/dynamic/type_code.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::tool {

/// Throws std::runtime_error: "the interface repository tells ...".
[[noreturn]] void refuse_told(const std::string& what);
/// Refuses what is no identifier of IDL; it could also speak to a terminal.
const std::string& checked_name(const std::string& name);

/// Makes a model. TypeCodes have no scopes: these are read from repository ids. Everything throws std::runtime_error
/// for what no IDL declares, and for more than is read.
class ToldTypes {
 public:
  /// The repository id and the absolute name ("::M::I") of an interface, which tell where the prefix of ids ends.
  ToldTypes(const std::string& id, std::string_view absolute_name);

  /// One more type, member or whatever has a name.
  void count();
  template <class T>
  T* make() {
    count();
    return model_->make<T>();
  }
  /// The interface with this id, which is declared now if it is new. Without a name it has that of its id.
  idl::model::Interface* interface(const std::string& id, const std::string& name = "");
  const idl::model::Exception* exception(const CORBA::typecode_reference& code);
  const idl::model::Type* type(const CORBA::typecode_reference& code);
  /// The model, when everything is in it.
  std::unique_ptr<idl::model::Model> finish();

 private:
  using TypeCode = CORBA::TypeCode;

  const idl::model::Declaration* scope_of(const std::string& id);
  template <class T>
  T* declare(const std::string& id, const std::string& name);
  template <class T>
  T* known(const std::string& id) const;
  const idl::model::Type* type(const TypeCode& code);
  const idl::model::Type* declared(const TypeCode& code);
  template <class T>
  const idl::model::Type* once(idl::model::TypeKind kind, const TypeCode& code);
  void fill(idl::model::Interface& made, const TypeCode& code);
  void fill(idl::model::Struct& made, const TypeCode& code);
  void fill(idl::model::Union& made, const TypeCode& code);
  void fill(idl::model::Enum& made, const TypeCode& code);
  void fill(idl::model::Alias& made, const TypeCode& code) { made.aliased = type(*code._node().content); }
  void fill(idl::model::ValueBox& made, const TypeCode& code) { made.boxed = type(*code._node().content); }
  void fill(idl::model::ValueType& made, const TypeCode& code);
  void fill(idl::model::Native&, const TypeCode&) {}
  int height(const idl::model::Declaration& declaration, int above);

  std::unique_ptr<idl::model::Model> model_ = std::make_unique<idl::model::Model>();
  bool knows_prefix_ = false;
  std::vector<std::string> prefix_;                           ///< of repository ids
  std::map<std::string, idl::model::Declaration*> declared_;  ///< by repository id
  std::map<std::string, const idl::model::Module*> modules_;  ///< by scoped name
  std::map<const idl::model::Declaration*, int> heights_;
  std::size_t parts_ = 0;
  int depth_ = 0;
};

}  // namespace corbel::tool
