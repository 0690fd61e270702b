// SPDX-License-Identifier: Apache-2.0
// Exceptions that are put into Anys by a reference to one of their bases.
#include <exception>
#include <string>
#include <utility>

#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/corba_types.hpp"
#include "corbel/dynamic/iop_types.hpp"
#include "corbel/dynamic/known_type.hpp"
#include "corbel/dynamic/portable_server_types.hpp"
#include "corbel/dynamic/type_arena.hpp"

namespace corbel::dynamic {
namespace {

// Exceptions with members that the library defines by hand.
const KnownType kPolicyError(TypeOf<CORBA::PolicyError>::code);
const KnownType kInvalidPolicies(TypeOf<CORBA::InvalidPolicies>::code);
const KnownType kBadFixedValue(TypeOf<CORBA::BadFixedValue>::code);
const KnownType kInvalidPolicy(TypeOf<PortableServer::POA::InvalidPolicy>::code);
const KnownType kForwardRequest(TypeOf<PortableServer::ForwardRequest>::code);
const KnownType kUnsupportedCodeset(TypeOf<IOP::CodecFactory::UnsupportedCodeset>::code);

/// An exception whose C++ type is known to itself alone.
class ThrownValue final : public AnyValue {
 public:
  explicit ThrownValue(const CORBA::UserException& exception) {
    try {
      exception._raise();
    } catch (const CORBA::UserException& copy) {
      kept_ = std::current_exception();
      copy_ = &copy;
    }
  }
  void encode(cdr::Encoder& encoder, const CORBA::TypeCode&) const override { copy_->_encode(encoder); }
  const void* object(const std::type_info& wanted) const noexcept override {
    return wanted == typeid(*copy_) ? dynamic_cast<const void*>(copy_) : nullptr;
  }
  cdr::Context* context() const noexcept override { return nullptr; }

 private:
  std::exception_ptr kept_;  // keeps copy_ alive
  const CORBA::UserException* copy_ = nullptr;
};

/// A TypeCode of nothing but its names, if the exception has no members.
CORBA::typecode_reference memberless(const CORBA::UserException& exception) {
  cdr::Encoder whole(cdr::Format{}, 64);
  cdr::Encoder id(cdr::Format{}, 64);
  exception._encode(whole);
  id.put_plain_string(exception._rep_id());
  if (!whole.ok() || whole.to_bytes() != id.to_bytes()) {
    throw CORBA::BAD_TYPECODE(0, CORBA::CompletionStatus::COMPLETED_NO,
                              std::string("there is no TypeCode of ") + exception._rep_id());
  }
  const auto arena = base::make_shared<TypeArena>();
  return reference_to(arena, arena->add({.kind = CORBA::TCKind::tk_except,
                                         .id = arena->keep(exception._rep_id()),
                                         .name = arena->keep(exception._name()),
                                         .arena = arena.get()}));
}

}  // namespace

}  // namespace corbel::dynamic

namespace CORBA {
namespace {

/// False if it is none of them. The first is there for the comma behind it.
template <class, class... All>
bool insert_one_of(Any& any, const Exception& exception) {
  const auto insert = [&any](const auto* found) {
    if (found != nullptr) any <<= *found;
    return found != nullptr;
  };
  return (insert(dynamic_cast<const All*>(&exception)) || ...);
}

}  // namespace

void operator<<=(Any& any, const Exception& exception) {
  const auto* user = dynamic_cast<const UserException*>(&exception);
  if (user == nullptr) {
#define CORBEL_AND(NAME) , NAME
    if (insert_one_of<void CORBEL_SYSTEM_EXCEPTIONS(CORBEL_AND)>(any, exception)) return;
#undef CORBEL_AND
    throw BAD_PARAM();
  }
  auto type = corbel::dynamic::KnownType::find(user->_rep_id());
  if (type == nullptr) type = corbel::dynamic::memberless(*user);
  any = Any(std::move(type), corbel::base::make_shared<corbel::dynamic::ThrownValue>(*user));
}

}  // namespace CORBA
