// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/object.hpp"

#include <algorithm>
#include <limits>

#include "corbel/corba/local_interface.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/references.hpp"
#include "corbel/ior/identity.hpp"

namespace CORBA {
namespace {

using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::corba::Operation;

constexpr std::string_view kObjectId = "IDL:omg.org/CORBA/Object:1.0";
constexpr std::string_view kLocalObjectId = "IDL:omg.org/CORBA/LocalObject:1.0";

/// FNV-1a.
std::uint32_t add_to_hash(std::uint32_t hash, corbel::base::ConstByteSpan octets) {
  for (const auto octet : octets) hash = (hash ^ octet) * 0x01000193U;
  return hash;
}

std::uint32_t fold(std::uint32_t hash, std::uint32_t maximum) {
  return maximum == std::numeric_limits<std::uint32_t>::max() ? hash : hash % (maximum + 1);
}

}  // namespace

namespace detail {
void throw_nil_reference() {
  throw INV_OBJREF(corbel::corba::minor::kNilReference, CompletionStatus::COMPLETED_NO, "the reference is nil");
}
}  // namespace detail

Object::~Object() = default;

bool Object::_is_a(const std::string& repository_id) {
  if (_static_is_a(repository_id)) return true;
  if (target_ == nullptr) return false;
  if (target_->ior().type_id == repository_id) return true;
  static constexpr Operation kIsA{"_is_a", false, {}, false, corbel::corba::kSignatureOfIsA};
  bool result = false;
  void* const local[] = {&result, const_cast<std::string*>(&repository_id)};
  const auto encode = [&](Encoder& encoder) { encoder.put_plain_string(repository_id); };
  const auto decode = [&](Decoder& decoder) { result = decoder.get<bool>(); };
  target_->invoke({kIsA, encode, decode, local});
  return result;
}

bool Object::_non_existent() {
  if (target_ == nullptr) return false;
  static constexpr Operation kNonExistent{"_non_existent", false, {}, false, corbel::corba::kSignatureOfNonExistent};
  bool result = false;
  void* const local[] = {&result};
  const auto encode = [](Encoder&) {};
  const auto decode = [&](Decoder& decoder) { result = decoder.get<bool>(); };
  try {
    target_->invoke({kNonExistent, encode, decode, local});
  } catch (const OBJECT_NOT_EXIST&) {
    // It may be the ORB that is gone: of the object that says nothing.
    if (static_cast<corbel::corba::OrbContext&>(target_->context()).is_destroyed()) throw;
    return true;
  }
  return result;
}

std::string Object::_repository_id() {
  if (target_ == nullptr) return std::string(kObjectId);
  static constexpr Operation kRepositoryId{"_repository_id", false, {}, false, corbel::corba::kSignatureOfRepositoryId};
  std::string result;
  void* const local[] = {&result};
  const auto encode = [](Encoder&) {};
  const auto decode = [&](Decoder& decoder) { result = decoder.get_plain_string(); };
  target_->invoke({kRepositoryId, encode, decode, local});
  return result;
}

bool Object::_is_equivalent(const object_reference<Object>& other) {
  if (other == nullptr) return false;
  if (other._shared().get() == this) return true;
  const auto& theirs = other->_target();
  if (target_ == nullptr || theirs == nullptr) return false;
  return target_ == theirs ||
         std::ranges::equal(target_->ior().profiles, theirs->ior().profiles, corbel::ior::lead_to_same);
}

std::uint32_t Object::_hash(std::uint32_t maximum) {
  std::uint32_t hash = 0x811c9dc5U;
  if (target_ == nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    return fold(add_to_hash(hash, {reinterpret_cast<const corbel::base::Octet*>(&address), sizeof address}), maximum);
  }
  for (const auto& profile : target_->ior().profiles) {
    // Equivalent references have the same hash.
    if (const auto identity = corbel::ior::iiop_identity(profile)) {
      hash = add_to_hash(hash, corbel::base::as_bytes(identity->host + ':' + std::to_string(identity->port)));
      hash = add_to_hash(hash, identity->object_key);
    } else {
      hash = add_to_hash(hash, profile.data);
    }
  }
  return fold(hash, maximum);
}

object_reference<Object> Object::_get_component() {
  if (target_ == nullptr) throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
  static constexpr Operation kComponent{"_component"};
  object_reference<Object> result;
  const auto encode = [](Encoder&) {};
  const auto decode = [&](Decoder& decoder) { result = corbel::corba::decode_reference(decoder); };
  target_->invoke({kComponent, encode, decode, nullptr});
  return result;
}

object_reference<Object> Object::_get_interface() {
  if (target_ == nullptr) throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
  static constexpr Operation kInterface{"_interface"};
  object_reference<Object> result;
  const auto encode = [](Encoder&) {};
  const auto decode = [&](Decoder& decoder) { result = corbel::corba::decode_reference(decoder); };
  target_->invoke({kInterface, encode, decode, nullptr});
  return result;
}

object_reference<ORB> Object::_get_orb() {
  if (target_ == nullptr) throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
  return static_cast<corbel::corba::OrbContext&>(target_->context()).orb();
}

bool Object::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == kObjectId;
}

bool LocalObject::_is_a(const std::string& repository_id) {
  return repository_id == kLocalObjectId || _static_is_a(repository_id) ||
         corbel::corba::LocalInterface::is_a(*this, repository_id);
}

object_reference<LocalObject> LocalObject::_this() {
  return object_reference<LocalObject>(shared_from(this));
}

std::string LocalObject::_repository_id() {
  return std::string(kLocalObjectId);
}

object_reference<Object> LocalObject::_get_interface() {
  throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
}

object_reference<Object> LocalObject::_get_component() {
  throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
}

object_reference<ORB> LocalObject::_get_orb() {
  throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
}

}  // namespace CORBA

namespace corbel::corba {

const cdr::Limits& OrbContext::limits() const noexcept {
  static constexpr cdr::Limits kUsual;
  return kUsual;
}

base::SharedPtr<OrbContext> OrbContext::hold() {
  return {orb()._shared(), this};
}

void encode_reference(cdr::Encoder& encoder, const CORBA::Object* object) {
  if (object == nullptr) {
    ior::encode(encoder, ior::Ior{});
  } else if (object->_target() != nullptr) {
    ior::encode(encoder, object->_target()->ior());
    encoder.note_context(&object->_target()->context());
  } else {
    encoder.fail(base::Code::bad_argument);
  }
}

namespace {

/// What the ORB keeps of a reference beside its octets.
constexpr std::size_t kReferenceMemory = 600;

}  // namespace

CORBA::object_reference<CORBA::Object> decode_reference(cdr::Decoder& decoder) {
  auto* const orb = static_cast<OrbContext*>(decoder.context());
  ior::Ior ior;
  ior::decode(decoder, ior, orb == nullptr ? cdr::Limits() : orb->limits());
  if (!decoder.ok() || ior.is_nil()) return nullptr;
  std::size_t memory = kReferenceMemory;
  for (const auto& profile : ior.profiles) memory += profile.data.size();
  if (!decoder.charge(memory)) return nullptr;
  if (orb == nullptr) {
    decoder.fail(base::Code::unsupported);
    return nullptr;
  }
  return orb->make_object(std::move(ior));
}

}  // namespace corbel::corba
