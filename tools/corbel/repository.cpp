// SPDX-License-Identifier: Apache-2.0
#include "repository.hpp"

#include <stdexcept>

#include "command.hpp"
#include "corbel/dynamic/request.hpp"
#include "corbel/ior/ior.hpp"
#include "reflected.hpp"

namespace corbel::tool {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using ModelPtr = std::unique_ptr<idl::model::Model>;

constexpr const char* kRepositoryType = "IDL:omg.org/CORBA/Repository:1.0";

ModelPtr describe(const ObjectRef& definition) {
  const auto asked = IDL::traits<CorbelRepository::InterfaceDef>::unchecked_narrow(definition);
  const std::string name = asked->absolute_name();
  return model_of(asked->describe_interface(), name);
}

/// What the object says of itself: its reference, or else its server. Empty if neither does.
std::string interface_id(const IDL::traits<CORBA::ORB>::ref_type& orb, const ObjectRef& object) {
  if (const auto ior = ior::from_string(orb->object_to_string(object)); ior && !ior->type_id.empty())
    return ior->type_id;
  const auto request = object->_request("_repository_id");
  request->set_return_type(CORBA::_tc_string);
  std::string id;
  try {
    request->invoke();
    request->return_value() >>= id;
  } catch (const CORBA::BAD_OPERATION&) {  // of a server older than this operation
  }
  return id;
}

/// Null, with `why`, if the object has none.
ModelPtr ask_object(const ObjectRef& object, std::string& why) {
  ObjectRef definition;
  try {
    definition = object->_get_interface();
  } catch (const CORBA::TRANSIENT&) {  // as the call itself would end
    throw;
  } catch (const CORBA::COMM_FAILURE&) {
    throw;
  } catch (const CORBA::TIMEOUT&) {
    throw;
  } catch (const CORBA::SystemException&) {  // nil says the same
  }
  if (definition == nullptr) {
    why += ", and no interface repository does";
    return nullptr;
  }
  return describe(definition);
}

}  // namespace

ModelPtr ask_repository(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& repository,
                        const std::string& interface, const ObjectRef& object) {
  const ObjectRef asked = find_object(orb, repository);
  if (asked == nullptr) throw std::runtime_error("the reference of the interface repository is nil");
  if (!asked->_is_a(kRepositoryType)) return describe(asked);
  const std::string wanted = interface.empty() && object != nullptr ? interface_id(orb, object) : interface;
  if (wanted.empty()) throw std::runtime_error("say with --interface which of the repository's it is");
  // A scoped name has two colons, an id begins with one alone.
  const std::size_t colon = wanted.find(':');
  const bool is_name = colon == std::string::npos || wanted.compare(colon, 2, "::") == 0;
  const auto all = IDL::traits<CorbelRepository::Repository>::unchecked_narrow(asked);
  const ObjectRef found =
      is_name ? all->lookup(wanted.starts_with("::") ? wanted : "::" + wanted) : all->lookup_id(wanted);
  if (found == nullptr) throw std::runtime_error("the interface repository does not know '" + wanted + "'");
  return describe(found);
}

Types types_for(const IDL::traits<CORBA::ORB>::ref_type& orb, const ObjectRef& object, const Files& files,
                const std::string& interface, const IDL::traits<DynamicAny::DynAnyFactory>::ref_type& values,
                std::string& why) {
  if (!files.repository.empty()) return Types(files, values, ask_repository(orb, files.repository, interface, object));
  if (!files.idl.empty()) return Types(files, values);
  const Reflected told(orb, object);
  why = told.why();
  Files all = told.files();
  all.comments = files.comments;
  return Types(all, values, all.idl.empty() ? ask_object(object, why) : nullptr);
}

}  // namespace corbel::tool
