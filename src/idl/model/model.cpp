// SPDX-License-Identifier: Apache-2.0
#include "idl/model/model.hpp"

#include <array>

namespace corbel::idl::model {

std::string scoped_name(const Declaration& declaration, std::string_view separator) {
  std::vector<const Declaration*> path;
  for (const Declaration* d = &declaration; d != nullptr; d = d->scope) path.push_back(d);
  std::string result;
  for (auto part = path.rbegin(); part != path.rend(); ++part) {
    if (!result.empty()) result += separator;
    result += (*part)->name;
  }
  return result;
}

const Type& resolve(const Type& type) noexcept {
  const Type* current = &type;
  while (current->kind == TypeKind::alias) current = as<Alias>(current->declaration)->aliased;
  return *current;
}

std::string spelling(const Type& type) {
  static constexpr std::array<std::string_view, 16> kNames = {"void",
                                                              "boolean",
                                                              "char",
                                                              "wchar",
                                                              "octet",
                                                              "short",
                                                              "unsigned short",
                                                              "long",
                                                              "unsigned long",
                                                              "long long",
                                                              "unsigned long long",
                                                              "float",
                                                              "double",
                                                              "string",
                                                              "wstring",
                                                              "Object"};
  const auto index = static_cast<std::size_t>(type.kind);
  if (type.declaration != nullptr) return scoped_name(*type.declaration);
  if (type.kind == TypeKind::array) {
    std::string result = spelling(*type.element);
    for (const auto dimension : type.dimensions) result += "[" + std::to_string(dimension) + "]";
    return result;
  }
  const std::string bound = type.bound != 0 ? std::to_string(type.bound) : "";
  if (type.kind == TypeKind::sequence) {
    return "sequence<" + spelling(*type.element) + (bound.empty() ? "" : ", " + bound) + ">";
  }
  return std::string(kNames[index]) + (bound.empty() ? "" : "<" + bound + ">");
}

}  // namespace corbel::idl::model
