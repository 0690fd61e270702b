// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/type_arena.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace corbel::dynamic {
namespace {

constexpr std::size_t kLargestBlock = 16U << 10;
constexpr std::size_t kAlignment = 8;
/// What the arena itself and each of its blocks take besides.
constexpr std::size_t kOverhead = 32;
/// Up to so many labels are looked through one by one.
constexpr std::size_t kFewLabels = 8;

static_assert(std::is_trivially_destructible_v<CORBA::TypeCode> && alignof(CORBA::TypeCode) <= kAlignment);
static_assert(std::is_trivially_destructible_v<TypeMember> && alignof(TypeMember) <= kAlignment);

}  // namespace

TypeArena::~TypeArena() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    ::operator delete(blocks_);
    blocks_ = next;
  }
}

void* TypeArena::allocate(std::size_t size) {
  size = (size + kAlignment - 1) & ~(kAlignment - 1);
  if (size > left_) {
    const std::size_t room = std::max(size, next_block_);
    next_block_ = std::min(2 * room, kLargestBlock);
    void* memory = ::operator new(sizeof(Block) + room);
    blocks_ = new (memory) Block{blocks_};
    free_ = reinterpret_cast<std::byte*>(blocks_ + 1);
    left_ = room;
    memory_ += room + kOverhead + (memory_ == 0 ? sizeof(TypeArena) : 0);
  }
  void* place = free_;
  free_ += size;
  left_ -= size;
  return place;
}

const CORBA::TypeCode* TypeArena::reserve() {
  return new (allocate(sizeof(CORBA::TypeCode))) CORBA::TypeCode(TypeNode{});
}

void TypeArena::set(const CORBA::TypeCode* code, TypeNode node) {
  node.arena = this;
  node.labels = node.kind == CORBA::TCKind::tk_union ? sort_labels(node) : std::span<const LabelIndex>();
  const_cast<TypeNode&>(code->_node()) = node;  // not yet seen by any other thread
}

std::string_view TypeArena::keep(std::string_view text) {
  if (text.empty()) return {};
  return {static_cast<const char*>(std::memcpy(allocate(text.size()), text.data(), text.size())), text.size()};
}

std::span<const TypeMember> TypeArena::keep(const std::vector<TypeMember>& members) {
  if (members.empty()) return {};
  auto* kept = static_cast<TypeMember*>(allocate(members.size() * sizeof(TypeMember)));
  std::uninitialized_copy(members.begin(), members.end(), kept);
  return {kept, members.size()};
}

std::span<const LabelIndex> TypeArena::sort_labels(const TypeNode& node) {
  if (node.members.size() <= kFewLabels) return {};
  std::vector<LabelIndex> labels;
  labels.reserve(node.members.size());
  for (std::uint32_t i = 0; i < node.members.size(); ++i) {
    if (static_cast<std::int32_t>(i) != node.default_index) labels.push_back({node.members[i].label, i});
  }
  const auto same = [](const LabelIndex& a, const LabelIndex& b) { return a.label == b.label; };
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LabelIndex& a, const LabelIndex& b) { return a.label < b.label; });
  labels.erase(std::unique(labels.begin(), labels.end(), same), labels.end());
  auto* kept = static_cast<LabelIndex*>(allocate(labels.size() * sizeof(LabelIndex)));
  std::uninitialized_copy(labels.begin(), labels.end(), kept);
  return {kept, labels.size()};
}

}  // namespace corbel::dynamic
