// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/built_in_operations.hpp"

#include <string>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/poa/poa_impl.hpp"

namespace corbel::poa {

std::string interface_of(const Upcall& upcall) {
  return upcall.servant()._interface_in(upcall.id(), upcall.poa());
}

namespace {

template <class T, class Encode>
void answer(corba::ServerCall& call, T result, Encode encode) {
  if (void* const* local = call.local_arguments()) {
    *static_cast<T*>(local[0]) = std::move(result);
  } else {
    call.reply([&](cdr::Encoder& encoder) { encode(encoder, result); });
  }
}

void put_bool(cdr::Encoder& encoder, bool value) {
  encoder.put(value);
}
void put_text(cdr::Encoder& encoder, const std::string& value) {
  encoder.put_plain_string(value);
}

/// Stubs have no way around the octets for these.
void answer(corba::ServerCall& call, const ior::Ior& reference) {
  call.use_octets();
  call.reply([&](cdr::Encoder& encoder) { ior::encode(encoder, reference); });
}

bool is_a(const Upcall& upcall, const std::string& id) {
  return upcall.servant()._is_a(id) || interface_of(upcall) == id;
}

bool is_a(const Upcall& upcall, corba::ServerCall& call) {
  if (void* const* local = call.local_arguments()) return is_a(upcall, *static_cast<const std::string*>(local[1]));
  const std::string id(call.arguments().get_plain_string());
  call.check_arguments();
  return is_a(upcall, id);
}

}  // namespace

bool serve_underscored(const Upcall& upcall, corba::ServerCall& call) {
  const std::string_view operation = call.operation();
  if (operation == "_is_a") {
    call.match(corba::kSignatureOfIsA);
    answer(call, is_a(upcall, call), put_bool);
  } else if (operation == "_non_existent" || operation == "_not_existent") {
    call.match(corba::kSignatureOfNonExistent);
    answer(call, upcall.servant()._non_existent(), put_bool);
  } else if (operation == "_repository_id") {
    call.match(corba::kSignatureOfRepositoryId);
    answer(call, interface_of(upcall), put_text);
  } else if (operation == "_component") {
    answer(call, upcall.servant()._component_reference());
  } else if (operation == "_interface") {
    answer(call, upcall.servant()._interface_reference());
  } else if (operation == "_domain_managers") {
    corba::raise("NO_IMPLEMENT", corba::minor::kOperationNotProvided, kNo, std::string(operation));
  } else {
    return false;
  }
  return true;
}

}  // namespace corbel::poa
