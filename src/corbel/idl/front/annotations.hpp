// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corbel/idl/front/evaluated.hpp"
#include "corbel/idl/front/source.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

/// What an annotation stands before.
enum class Target : std::uint8_t {
  module_,
  interface_,
  value,
  structure,
  exception,
  union_,
  enumeration,
  bitset,
  bitmask,
  alias,
  member,
  state,
  union_case,
  discriminator,
  enumerator,
  bitfield,
  flag,
  parameter,
  operation,
  attribute,
  element,  ///< of a sequence or map
  other,    ///< constants, natives, boxes, factories, forward declarations
};

/// "a struct", "a parameter": for messages.
std::string_view describe(Target target) noexcept;

struct AnnotationParameter {
  enum class Type : std::uint8_t { number, boolean, text, any, word };
  std::string_view name;
  Type type;
  bool required;
  std::string_view words{};  ///< Type::word: the legal ones, separated by blanks
};

/// An annotation that OMG IDL 4.2 (clause 8.3) or Corbel defines.
struct StandardAnnotation {
  std::string_view name;
  std::uint32_t targets;  ///< one bit per Target
  std::vector<AnnotationParameter> parameters;

  bool may_stand_before(Target target) const noexcept { return (targets >> static_cast<unsigned>(target) & 1U) != 0; }
};

/// Null if there is none of that name.
const StandardAnnotation* find_standard_annotation(std::string_view name);
void append_standard_annotations(std::vector<std::string_view>& names);

/// An annotation in the text. The values are kept as they were evaluated too, since the type they must fit is not known
/// before the declaration that follows.
struct Applied {
  model::Annotation annotation;
  const StandardAnnotation* standard = nullptr;
  std::vector<Evaluated> values;
  std::vector<Span> value_spans;
  Span where;
};

/// Null if no annotation of that name was applied.
const Applied* find(const std::vector<Applied>& applied, std::string_view name) noexcept;
/// Whether a boolean annotation such as @optional is there and not switched off.
bool is_on(const std::vector<Applied>& applied, std::string_view name) noexcept;

}  // namespace corbel::idl::front
