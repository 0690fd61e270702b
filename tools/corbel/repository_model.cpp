// SPDX-License-Identifier: Apache-2.0
// A model of what an interface repository describes.
#include <algorithm>

#include "repository.hpp"
#include "repository_types.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

class Maker {
 public:
  Maker(const CorbelRepository::FullInterfaceDescription& told, std::string_view absolute_name)
      : told_(told), types_(told.id(), absolute_name), main_(types_.interface(told.id(), told.name())) {}
  std::unique_ptr<model::Model> make();

 private:
  model::Interface* owner(const std::string& id);
  void add(const CorbelRepository::OperationDescription& told);
  void add(const CorbelRepository::AttributeDescription& told);

  const CorbelRepository::FullInterfaceDescription& told_;
  ToldTypes types_;
  model::Interface* const main_;
};

/// The interface that declares an operation or attribute; the descriptions have the inherited ones, too.
model::Interface* Maker::owner(const std::string& id) {
  if (id.empty() || id == main_->repository_id) return main_;
  model::Interface* const base = types_.interface(id);
  base->defined = true;
  base->in_main_file = false;
  if (std::find(main_->ancestors.begin(), main_->ancestors.end(), base) == main_->ancestors.end())
    main_->ancestors.push_back(base);
  return base;
}

std::unique_ptr<model::Model> Maker::make() {
  main_->defined = true;
  main_->is_abstract = told_.type() != nullptr && told_.type()->kind() == CORBA::TCKind::tk_abstract_interface;
  for (const std::string& id : told_.base_interfaces()) {
    if (id.find(':') == std::string::npos) continue;  // JacORB 3.9 has the names of its classes there
    if (const auto* base = owner(id); base != main_) main_->bases.push_back(base);
  }
  for (const auto& one : told_.operations()) add(one);
  for (const auto& one : told_.attributes()) add(one);
  if (main_->bases.empty()) main_->bases = main_->ancestors;
  return types_.finish();
}

void Maker::add(const CorbelRepository::OperationDescription& told) {
  model::Interface* const scope = owner(told.defined_in());
  auto* const made = types_.make<model::Operation>();
  made->name = checked_name(told.name());
  made->scope = scope;
  made->repository_id = told.id();
  made->oneway = told.mode() == CorbelRepository::OperationMode::OP_ONEWAY;
  made->result = types_.type(told.result());
  for (const auto& parameter : told.parameters()) {
    using CorbelRepository::ParameterMode;
    types_.count();
    const auto direction = parameter.mode() == ParameterMode::PARAM_IN    ? model::Direction::in
                           : parameter.mode() == ParameterMode::PARAM_OUT ? model::Direction::out
                                                                          : model::Direction::inout;
    made->parameters.push_back({.direction = direction,
                                .name = checked_name(parameter.name()),
                                .type = types_.type(parameter.type()),
                                .where = {}});
  }
  for (const auto& raised : told.exceptions()) made->raises.push_back(types_.exception(raised.type()));
  scope->contents.push_back(made);
}

/// What it raises is not in the description.
void Maker::add(const CorbelRepository::AttributeDescription& told) {
  model::Interface* const scope = owner(told.defined_in());
  auto* const made = types_.make<model::Attribute>();
  made->name = checked_name(told.name());
  made->scope = scope;
  made->repository_id = told.id();
  made->readonly = told.mode() == CorbelRepository::AttributeMode::ATTR_READONLY;
  made->type = types_.type(told.type());
  scope->contents.push_back(made);
}

}  // namespace

std::unique_ptr<model::Model> model_of(const CorbelRepository::FullInterfaceDescription& told,
                                       std::string_view absolute_name) {
  return Maker(told, absolute_name).make();
}

}  // namespace corbel::tool
