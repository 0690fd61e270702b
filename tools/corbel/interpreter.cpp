// SPDX-License-Identifier: Apache-2.0
// What bodies mean by IDL.
#include "corbel/corba/object.hpp"
#include "messages.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

constexpr const char* kResult = "result";

/// What every object has, which no IDL declares: the argument's type and the result's.
struct BuiltIn {
  const char* name;
  const CORBA::typecode_reference& result;
  bool takes_id;
};
const BuiltIn* built_in(std::string_view operation) {
  static const BuiltIn kAll[] = {
      {"_is_a", CORBA::_tc_boolean, true},          {"_non_existent", CORBA::_tc_boolean, false},
      {"_not_existent", CORBA::_tc_boolean, false}, {"_interface", CORBA::_tc_Object, false},
      {"_repository_id", CORBA::_tc_string, false}, {"_component", CORBA::_tc_Object, false}};
  for (const BuiltIn& one : kAll)
    if (operation == one.name) return &one;
  return nullptr;
}

}  // namespace

Interpreter::Interpreter(const Files& files)
    : orb_(make_orb({})),
      factory_(IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb_->resolve_initial_references("DynAnyFactory"))),
      types_(files, factory_),
      json_(orb_, factory_, types_, JsonValues::Paths::refused),
      object_(orb_->string_to_object("corbaloc::127.0.0.1:1/unused")),  // never called
      context_(&object_->_target()->context()) {}

Interpreter::~Interpreter() {
  try {
    object_.reset();
    orb_->destroy();
  } catch (const CORBA::Exception&) {  // nothing is left to be done about it
  }
}

/// All that an operation of that name can be; the same one, inherited, only once.
std::vector<Interpreter::Meaning> Interpreter::meanings(const std::string& operation) const {
  std::vector<Meaning> found;
  const bool gets = operation.starts_with("_get_");
  const bool sets = operation.starts_with("_set_");
  const std::string name = gets || sets ? operation.substr(5) : operation;
  for (const model::Interface* one : types_.interfaces()) {
    for (const model::Declaration* declaration : one->contents) {
      if (declaration->name != name) continue;
      const auto* callable = model::as<model::Operation>(declaration);
      const auto* attribute = model::as<model::Attribute>(declaration);
      if (gets || sets ? attribute == nullptr || (sets && attribute->readonly) : callable == nullptr) continue;
      found.push_back({one, {gets || sets ? nullptr : callable, gets || sets ? attribute : nullptr}, sets, {}});
    }
  }
  if (found.empty() && built_in(operation) != nullptr) found.push_back({nullptr, {}, false, operation});
  return found;
}

/// What the body of a request holds in order, or that of a reply.
std::vector<Interpreter::Parameter> Interpreter::parameters(const Meaning& meaning, bool answer) {
  std::vector<Parameter> all;
  const auto add_result = [&](const CORBA::typecode_reference& type) {
    if (type->kind() != CORBA::TCKind::tk_void) all.emplace_back(kResult, type);
  };
  if (!meaning.builtin.empty()) {
    const BuiltIn* const known = built_in(meaning.builtin);
    if (answer) add_result(known->result);
    if (!answer && known->takes_id) all.emplace_back("id", CORBA::_tc_string);
  } else if (meaning.callable.attribute != nullptr) {
    const CORBA::typecode_reference type = types_.type_code(*meaning.callable.attribute->type);
    if (answer && !meaning.sets) add_result(type);
    if (!answer && meaning.sets) all.emplace_back("value", type);
  } else {
    const model::Operation& operation = *meaning.callable.operation;
    if (answer) add_result(types_.type_code(*operation.result));
    for (const auto& parameter : operation.parameters) {
      const auto not_here = answer ? model::Direction::in : model::Direction::out;
      if (parameter.direction != not_here) all.emplace_back(parameter.name, types_.type_code(*parameter.type));
    }
  }
  return all;
}

/// Reads values one after the other; false, with seen.problem, if they are not all there or more is.
bool Interpreter::read(cdr::Decoder body, const std::vector<Parameter>& parameters, Seen& seen) {
  body.set_context(context_);
  seen.values = Json::object();
  seen.problem.clear();
  for (const auto& [name, type] : parameters) {
    std::string why;
    try {
      const CORBA::Any value = dynamic::decode_value(body, type);
      if (body.ok()) seen.values[name] = json_.to_json(value);
    } catch (const std::exception& failure) {
      why = failure.what();
    }
    if (why.empty() && body.ok()) continue;
    seen.problem = "'" + name + "' is no " + types_.name_of(*type) + (why.empty() ? "" : ": " + why.substr(0, 200));
    return false;
  }
  if (body.remaining() == 0) return true;
  seen.problem = std::to_string(body.remaining()) + " octets follow that the IDL does not have";
  return false;
}

Interpreter::Meaning Interpreter::request(const cdr::Decoder& body, Seen& seen) {
  const std::lock_guard lock(mutex_);
  Meaning chosen;
  Json values;
  std::string problem;
  for (const Meaning& meaning : meanings(seen.operation)) {
    Seen trial;
    bool fits = false;
    try {
      fits = read(body, parameters(meaning, false), trial);
    } catch (const std::runtime_error& failure) {  // a type that has no TypeCode
      trial.problem = failure.what();
    }
    if (chosen.known() && !fits) continue;
    chosen = meaning;
    values = std::move(trial.values);
    problem = std::move(trial.problem);
    if (fits) break;
  }
  seen.values = std::move(values);
  seen.problem = std::move(problem);
  if (chosen.interface != nullptr) seen.interface = model::scoped_name(*chosen.interface);
  return chosen;
}

void Interpreter::reply(const Meaning& meaning, messaging::ReplyStatus status, cdr::Decoder body, Seen& seen) {
  using messaging::ReplyStatus;
  const std::lock_guard lock(mutex_);
  try {
    switch (status) {
      case ReplyStatus::no_exception:
        seen.status = "ok";
        if (meaning.known()) read(body, parameters(meaning, true), seen);
        return;
      case ReplyStatus::user_exception:
        seen.status = "exception";
        return read_exception(meaning, body, seen);
      case ReplyStatus::system_exception: {
        seen.status = "system exception";
        const std::string id(body.get_plain_string());
        const auto minor = body.get<std::uint32_t>();
        const auto completed = body.get<std::uint32_t>();
        if (!body.ok() || completed > 2) throw std::runtime_error("this is no system exception");
        constexpr const char* kCompleted[] = {"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"};
        const std::size_t slash = id.rfind('/');
        const std::size_t colon = id.rfind(':');
        seen.exception =
            slash < colon && colon != std::string::npos ? "CORBA::" + id.substr(slash + 1, colon - slash - 1) : id;
        seen.values = {{"minor", minor}, {"completed", kCompleted[completed]}};
        return;
      }
      case ReplyStatus::location_forward:
      case ReplyStatus::location_forward_perm: {
        seen.status = "forward";
        ior::Ior ior;
        ior::decode(body, ior);
        if (!body.ok()) throw std::runtime_error("this is no reference");
        seen.values = {{"reference", ior::to_string(ior)}};
        return;
      }
      default:
        seen.status = "needs addressing mode";
    }
  } catch (const std::exception& failure) {
    seen.problem = failure.what();
  }
}

void Interpreter::read_exception(const Meaning& meaning, cdr::Decoder& body, Seen& seen) {
  const std::string id(body.get_plain_string());
  if (!body.ok()) throw std::runtime_error("this is no exception");
  seen.exception = id;
  std::vector<const model::Exception*> raised;
  if (meaning.callable.operation != nullptr) raised = meaning.callable.operation->raises;
  if (meaning.callable.attribute != nullptr)
    raised = meaning.sets ? meaning.callable.attribute->set_raises : meaning.callable.attribute->get_raises;
  for (const model::Exception* one : raised) {
    if (one->repository_id != id) continue;
    seen.exception = model::scoped_name(*one);
    std::vector<Parameter> members;
    for (const auto* member : model::all_members(*one))
      members.emplace_back(member->name, types_.type_code(*member->type));
    read(body, members, seen);
    return;
  }
  if (meaning.known()) seen.problem = "the IDL does not say that the operation raises it";
}

}  // namespace corbel::tool
