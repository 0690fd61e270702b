// SPDX-License-Identifier: Apache-2.0
#include "idl_signatures.hpp"

#include <algorithm>
#include <stdexcept>

#include "corbel/orb/orb.hpp"

namespace corbel::bridge {

namespace model = idl::model;

namespace {

/// What every object has, and no IDL declares.
const Signature* built_in(std::string_view operation) {
  static const std::map<std::string_view, Signature> all = [] {
    std::map<std::string_view, Signature> made;
    made["_is_a"] = {{CORBA::_tc_string}, {CORBA::_tc_boolean}, {}, false, false};
    made["_non_existent"] = made["_not_existent"] = {{}, {CORBA::_tc_boolean}, {}, false, false};
    made["_repository_id"] = {{}, {CORBA::_tc_string}, {}, false, false};
    made["_interface"] = made["_component"] = {{}, {CORBA::_tc_Object}, {}, false, true};
    return made;
  }();
  const auto found = all.find(operation);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

IdlSignatures::IdlSignatures(const tool::Files& files) {
  std::vector<std::string> words{"corbel-bridge"};
  orb_ = CORBA::ORB_init(words, "corbel-bridge-types");
  types_ = std::make_unique<tool::Types>(
      files, IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory")));
  value_types_ = types_->value_types();
  for (const auto& type : value_types_) known_.emplace_back(*type);
  for (const model::Interface* interface : types_->interfaces()) add(*interface);
}

IdlSignatures::~IdlSignatures() {
  try {
    types_.reset();
    orb_->destroy();
  } catch (const CORBA::Exception&) {  // nothing is left to be done about it
  }
}

/// Notes whether there may be references, when all types are there.
std::shared_ptr<const Signature> IdlSignatures::whole(std::shared_ptr<Signature> signature) const {
  const auto refers = [this](const CORBA::typecode_reference& type) { return may_refer(*type, value_types_); };
  signature->request_refers = std::ranges::any_of(signature->request, refers);
  signature->reply_refers =
      std::ranges::any_of(signature->reply, refers) ||
      std::ranges::any_of(signature->exceptions, [&](const auto& one) { return refers(one.second); });
  return signature;
}

void IdlSignatures::add(const model::Interface& interface) {
  if (interface.is_local) return;
  Operations& operations = interfaces_[interface.repository_id];
  for (const model::Interface* one : tool::with_ancestors(interface)) {
    for (const model::Declaration* declaration : one->contents) {
      if (const auto* operation = model::as<model::Operation>(declaration)) add(operations, *operation);
      if (const auto* attribute = model::as<model::Attribute>(declaration)) add(operations, *attribute);
    }
  }
  for (const auto& [name, signature] : operations) {
    const auto [known, is_new] = by_name_.try_emplace(name, signature);
    if (!is_new && known->second != signature) known->second = nullptr;
  }
}

std::shared_ptr<Signature> IdlSignatures::with_exceptions(const std::vector<const model::Exception*>& raises) {
  auto signature = std::make_shared<Signature>();
  for (const model::Exception* exception : raises)
    signature->exceptions[exception->repository_id] = types_->type_code(*exception);
  return signature;
}

void IdlSignatures::add(Operations& operations, const model::Operation& operation) {
  std::shared_ptr<const Signature>& made = made_[&operation];
  if (made == nullptr) {
    auto signature = with_exceptions(operation.raises);
    auto result = types_->type_code(*operation.result);
    if (result->_resolved().kind() != CORBA::TCKind::tk_void) signature->reply.push_back(result);
    for (const model::Parameter& parameter : operation.parameters) {
      const auto type = types_->type_code(*parameter.type);
      if (parameter.direction != model::Direction::out) signature->request.push_back(type);
      if (parameter.direction != model::Direction::in) signature->reply.push_back(type);
    }
    made = whole(std::move(signature));
  }
  operations[operation.name] = made;
}

void IdlSignatures::add(Operations& operations, const model::Attribute& attribute) {
  std::shared_ptr<const Signature>& get = made_[&attribute];
  const auto type = types_->type_code(*attribute.type);
  if (get == nullptr) {
    auto signature = with_exceptions(attribute.get_raises);
    signature->reply.push_back(type);
    get = whole(std::move(signature));
  }
  operations["_get_" + attribute.name] = get;
  if (attribute.readonly) return;
  std::shared_ptr<const Signature>& set = made_[&attribute.set_raises];
  if (set == nullptr) {
    auto signature = with_exceptions(attribute.set_raises);
    signature->request.push_back(type);
    set = whole(std::move(signature));
  }
  operations["_set_" + attribute.name] = set;
}

const Signature* IdlSignatures::find(std::string_view type_id, std::string_view operation) const {
  if (const auto interface = interfaces_.find(type_id); interface != interfaces_.end()) {
    const auto found = interface->second.find(operation);
    if (found != interface->second.end()) return found->second.get();
  }
  if (const Signature* known = built_in(operation)) return known;
  const auto found = by_name_.find(operation);
  return found == by_name_.end() ? nullptr : found->second.get();
}

}  // namespace corbel::bridge
