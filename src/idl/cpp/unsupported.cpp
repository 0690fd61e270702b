// SPDX-License-Identifier: Apache-2.0
#include "idl/cpp/unsupported.hpp"

#include <set>

namespace corbel::idl::cpp {
namespace {

using model::as;
using model::DeclarationKind;
using model::TypeKind;

std::string_view missing(const model::Type& type) {
  switch (type.kind) {
    case TypeKind::value_base:
      return "'ValueBase'";
    case TypeKind::value:
      return "valuetypes";
    case TypeKind::value_box:
      return "boxed valuetypes";
    default:
      return {};
  }
}

std::string_view missing(const model::Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::value:
      return "valuetypes";
    case DeclarationKind::value_box:
      return "boxed valuetypes";
    case DeclarationKind::interface_:
      return as<model::Interface>(&declaration)->is_abstract ? "abstract interfaces" : "";
    default:
      return {};
  }
}

class Search {
 public:
  void visit(const model::Contents& contents) {
    for (const auto* declaration : contents) {
      if (declaration->in_main_file && declaration->kind != DeclarationKind::annotation) visit(*declaration);
      if (const auto* inner = contents_of(*declaration)) visit(*inner);
    }
  }
  std::vector<Unsupported> take() { return std::move(found_); }

 private:
  void visit(const model::Declaration& declaration) {
    add(missing(declaration), declaration.where);
    for_each_type(declaration, [&](const model::Type& type) { visit(type, declaration.where); });
  }
  void visit(const model::Type& type, model::Location where) {
    const model::Type& real = resolve(type);
    add(missing(real), where);
    if (real.key != nullptr) visit(*real.key, where);
    if (real.element != nullptr) visit(*real.element, where);
  }
  void add(std::string_view construct, model::Location where) {
    if (!construct.empty() && said_.insert(construct).second) found_.push_back({where, std::string(construct)});
  }

  std::set<std::string_view> said_;
  std::vector<Unsupported> found_;
};

}  // namespace

std::vector<Unsupported> unsupported(const model::Model& model) {
  Search search;
  search.visit(model.contents);
  return search.take();
}

}  // namespace corbel::idl::cpp
