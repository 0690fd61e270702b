// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::cpp11 {

/// How a struct lies in memory so that it equals its CDR form (see corbel::cdr::BulkLayout).
struct BulkLayout {
  std::size_t size = 0;
  std::size_t alignment = 1;                ///< of the most aligned member
  std::size_t first_alignment = 1;          ///< of the first member
  bool has_padding = false;                 ///< here or in a nested struct
  std::vector<std::size_t> offsets;         ///< of each member
  std::vector<std::size_t> padding_before;  ///< octets to fill before each member
};

/// What the wire needs to know of types. Remembers what it has worked out; one per model, not thread-safe.
class Layouts {
 public:
  /// The bulk layout of a struct, if it has one.
  const BulkLayout* bulk(const model::Struct& structure);
  /// The least number of octets that a value takes, wherever it begins.
  std::size_t min_size(const model::Type& type);
  std::size_t min_size(const model::Struct& structure);
  std::size_t min_size(const model::Union& u);
  /// True if all values take the same number of octets and are coded inline: basic types, enums, arrays and small
  /// structs of such.
  bool is_fixed(const model::Type& type);
  bool is_fixed(const model::Struct& structure);
  /// True if a value can contain values of its own type.
  bool is_recursive(const model::Declaration& declaration);
  /// True if values hold object references.
  bool has_reference(const model::Type& type);
  bool has_reference(const model::Declaration& declaration);

  /// True if it holds values, or what may be one.
  bool has_value(const model::Type& type);
  bool has_value(const model::Declaration& declaration);

 private:
  std::map<const model::Declaration*, bool> values_;
  std::map<const model::Declaration*, bool> fixed_;
  std::map<const model::Struct*, std::optional<BulkLayout>> bulk_;
  std::map<const model::Declaration*, std::size_t> min_sizes_;
  std::map<const model::Declaration*, bool> references_;
};

/// Size and alignment of a basic type with the same form in memory and in CDR; 0 for all others.
std::size_t primitive_size(model::TypeKind kind) noexcept;

}  // namespace corbel::idl::back::cpp11
