// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Owns TypeCodes that refer to each other, and the texts and lists they refer to, in a few blocks of memory. Filled by
/// one thread, then immutable.
class TypeArena : public base::SharedFromThis {
 public:
  TypeArena() noexcept = default;
  ~TypeArena();
  TypeArena(const TypeArena&) = delete;
  TypeArena& operator=(const TypeArena&) = delete;

  /// An empty TypeCode to be filled in by set(); the address stays.
  const CORBA::TypeCode* reserve();
  /// Gives a reserved TypeCode its content; sorts the labels of a union.
  void set(const CORBA::TypeCode* code, TypeNode node);
  const CORBA::TypeCode* add(const TypeNode& node) {
    const CORBA::TypeCode* code = reserve();
    set(code, node);
    return code;
  }
  std::string_view keep(std::string_view text);
  std::span<const TypeMember> keep(const std::vector<TypeMember>& members);
  /// What TypeCodes in here point into.
  void keep_alive(CORBA::typecode_reference other) { others_.push_back(std::move(other)); }
  /// Octets of memory that all this takes.
  std::size_t memory() const noexcept { return memory_; }

 private:
  static constexpr std::size_t kFirstBlock = sizeof(CORBA::TypeCode);
  struct alignas(std::max_align_t) Block {
    Block* next;
  };
  void* allocate(std::size_t size);
  std::span<const LabelIndex> sort_labels(const TypeNode& node);

  Block* blocks_ = nullptr;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t next_block_ = kFirstBlock;
  std::size_t memory_ = 0;
  std::vector<CORBA::typecode_reference> others_;
};

/// A reference to a code of the arena.
inline CORBA::typecode_reference reference_to(const base::SharedPtr<TypeArena>& arena, const CORBA::TypeCode* code) {
  return CORBA::typecode_reference(base::SharedPtr<CORBA::TypeCode>(arena, const_cast<CORBA::TypeCode*>(code)));
}

/// Which parameters a kind has.
struct KindTraits {
  bool id_and_name = false;
  bool members = false;
  bool content = false;
  bool length = false;
};
KindTraits traits_of(CORBA::TCKind kind) noexcept;
/// The kind may stand on the wire.
inline bool is_known(CORBA::TCKind kind) noexcept {
  return kind <= CORBA::TCKind::tk_event;
}
/// Whether values of the kind have state that they share by references: those of eventtypes have it, too.
constexpr bool is_stateful(CORBA::TCKind kind) noexcept {
  return kind == CORBA::TCKind::tk_value || kind == CORBA::TCKind::tk_event;
}

}  // namespace corbel::dynamic
