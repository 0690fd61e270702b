// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/type_arena.hpp"
#include "corbel/dynamic/type_codec.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

const TypeCode* const kParameterless[] = {
    &CORBA::detail::k_null,    &CORBA::detail::k_void,  &CORBA::detail::k_short, &CORBA::detail::k_long,
    &CORBA::detail::k_ushort,  &CORBA::detail::k_ulong, &CORBA::detail::k_float, &CORBA::detail::k_double,
    &CORBA::detail::k_boolean, &CORBA::detail::k_char,  &CORBA::detail::k_octet, &CORBA::detail::k_any,
    &CORBA::detail::k_TypeCode};

const TypeCode* parameterless(TCKind kind) {
  if (kind <= TCKind::tk_TypeCode) return kParameterless[static_cast<std::size_t>(kind)];
  switch (kind) {
    case TCKind::tk_longlong:
      return &CORBA::detail::k_longlong;
    case TCKind::tk_ulonglong:
      return &CORBA::detail::k_ulonglong;
    case TCKind::tk_longdouble:
      return &CORBA::detail::k_longdouble;
    case TCKind::tk_wchar:
      return &CORBA::detail::k_wchar;
    default:
      return nullptr;
  }
}

/// Octets that an entry in a table of positions takes, about.
constexpr std::size_t kEntryMemory = 64;

/// True for a TypeCode that is still being read: an empty one, and not the TypeCode of nothing.
bool is_open(const TypeCode* code) {
  return code->kind() == TCKind::tk_null && code != kParameterless[0];
}

/// Reads one outermost TypeCode into an arena. Positions as in the flat stream, see TypeWriter.
class TypeReader {
 public:
  /// Null, with the decoder failed, if there is none.
  const TypeCode* read(cdr::Decoder& in, std::size_t begin) {
    const auto number = in.get<std::uint32_t>();
    const std::size_t here = begin + in.stream_position() - 4;
    if (!in.ok()) return nullptr;
    if (number == kIndirection) return read_indirection(in, begin);
    const auto kind = static_cast<TCKind>(number);
    if (!is_known(kind)) return refuse(in);
    if (const TypeCode* code = parameterless(kind)) return code;
    if (kind == TCKind::tk_string || kind == TCKind::tk_wstring) return read_string(in, kind);
    if (depth_ == in.max_depth()) in.fail(base::Code::too_deep);
    if (!in.ok()) return nullptr;
    const TypeCode* code = arena_->reserve();
    TypeNode node{.kind = kind};
    ++depth_;
    if (pay(in)) read_node(in, begin, here, code, node);
    --depth_;
    if (!in.ok()) return nullptr;
    if (kind == TCKind::tk_alias) add_alias(in, code, node.content);
    arena_->set(code, node);
    return pay(in) ? code : nullptr;
  }

  static bool leads_somewhere(const TypeCode& type, std::size_t most) {
    std::size_t steps = 0;
    for (const TypeCode* next = &type; next->kind() == TCKind::tk_alias; next = next->_node().content) {
      if (++steps > std::min<std::size_t>(most, 10'000)) return false;
    }
    return true;
  }

  /// An alias of a type that was still being read may have turned out to be an alias of nothing but itself.
  bool check_aliases(std::size_t most) const {
    if (!aliases_may_recur_) return true;
    for (const auto& [alias, length] : aliases_) {
      if (!leads_somewhere(*alias, most)) return false;
    }
    return true;
  }

  const base::SharedPtr<TypeArena>& arena() const { return arena_; }

 private:
  static const TypeCode* refuse(cdr::Decoder& in) {
    in.fail(base::Code::malformed);
    return nullptr;
  }

  /// Charges what the arena has grown by.
  bool pay(cdr::Decoder& in) {
    const std::size_t before = std::exchange(paid_, arena_->memory());
    return in.charge(paid_ - before);
  }

  const TypeCode* read_string(cdr::Decoder& in, TCKind kind) {
    const auto bound = in.get<std::uint32_t>();
    if (bound == 0) return kind == TCKind::tk_string ? &CORBA::detail::k_string : &CORBA::detail::k_wstring;
    const TypeCode* code = arena_->add({.kind = kind, .length = bound});
    return pay(in) ? code : nullptr;
  }

  /// Code that looks behind aliases takes as many steps as they are long, again and again: aliases of aliases have
  /// levels.
  void add_alias(cdr::Decoder& in, const TypeCode* code, const TypeCode* content) {
    const auto next = aliases_.find(content);
    const std::size_t length = next == aliases_.end() ? 1 : next->second + 1;
    if (length > in.max_depth()) in.fail(base::Code::too_deep);
    if (is_open(content)) aliases_may_recur_ = true;
    if (in.charge(kEntryMemory)) aliases_.emplace(code, length);
  }

  const TypeCode* read_indirection(cdr::Decoder& in, std::size_t begin) {
    const auto offset = in.get<std::int32_t>();
    const std::size_t from = begin + in.stream_position() - 4;
    if (!in.ok() || offset > -4) return refuse(in);
    const auto found = positions_.find(from - static_cast<std::size_t>(-static_cast<std::int64_t>(offset)));
    return found == positions_.end() ? refuse(in) : found->second;
  }

  void read_node(cdr::Decoder& in, std::size_t begin, std::size_t here, const TypeCode* code, TypeNode& node) {
    switch (node.kind) {
      case TCKind::tk_fixed:
        node.digits = in.get<std::uint16_t>();
        node.scale = in.get<std::int16_t>();
        if (node.digits > 31) in.fail(base::Code::malformed);
        return;
      case TCKind::tk_Principal:
        return;
      default:
        break;
    }
    if (!in.charge(kEntryMemory)) return;
    positions_[here] = code;
    cdr::Decoder inner = in.get_encapsulation();
    if (!in.ok()) return;
    // The encapsulation's octets end where the outer decoder now stands.
    const std::size_t inner_begin = begin + in.stream_position() - inner.remaining() - inner.position();
    read_parameters(inner, inner_begin, node);
    if (inner.ok()) (void)pay(inner);
    in.settle(inner);
  }

  void read_parameters(cdr::Decoder& in, std::size_t begin, TypeNode& node) {
    const KindTraits traits = traits_of(node.kind);
    if (traits.id_and_name) {
      node.id = arena_->keep(in.get_plain_string());
      node.name = arena_->keep(in.get_plain_string());
    }
    const bool value = is_stateful(node.kind);
    if (value) node.modifier = in.get<CORBA::ValueModifier>();
    if (traits.content) {
      node.content = read(in, begin);
      if (!in.ok()) return;
      // There is no base; a base that is still being read looks the same but for its address.
      if (value && node.content == kParameterless[0]) node.content = nullptr;
    }
    if (node.kind == TCKind::tk_union) {
      // The union's labels are read at once, while the aliases on the way to its discriminator are not checked yet.
      if (!leads_somewhere(*node.content, in.max_depth())) return in.fail(base::Code::malformed);
      node.default_index = in.get<std::int32_t>();
    }
    if (traits.length) node.length = in.get<std::uint32_t>();
    if (traits.members) read_members(in, begin, node, value);
  }

  void read_members(cdr::Decoder& in, std::size_t begin, TypeNode& node, bool value) {
    const std::size_t count = in.take_count(5, sizeof(TypeMember));
    if (node.default_index < -1 || node.default_index >= static_cast<std::int64_t>(count)) {
      if (node.kind == TCKind::tk_union) return in.fail(base::Code::malformed);
    }
    std::vector<TypeMember> members(count);
    for (TypeMember& member : members) {
      if (node.kind == TCKind::tk_union) member.label = get_label(in, *node.content);
      member.name = arena_->keep(in.get_plain_string());
      if (node.kind != TCKind::tk_enum) member.type = read(in, begin);
      if (value) member.visibility = in.get<std::int16_t>();
      if (!in.ok()) return;
    }
    node.members = arena_->keep(members);
  }

  base::SharedPtr<TypeArena> arena_ = base::make_shared<TypeArena>();
  std::size_t paid_ = 0;
  std::uint32_t depth_ = 0;
  std::unordered_map<std::size_t, const TypeCode*> positions_;
  std::unordered_map<const TypeCode*, std::size_t> aliases_;  // how many stand one behind the other
  bool aliases_may_recur_ = false;
};

}  // namespace

CORBA::typecode_reference decode_type(cdr::Decoder& decoder) {
  // Most are basic types, which need no arena.
  cdr::Decoder ahead = decoder;
  if (const TypeCode* code = parameterless(static_cast<TCKind>(ahead.get<std::uint32_t>())); ahead.ok() && code) {
    decoder.get<std::uint32_t>();
    return code->_reference();
  }
  TypeReader reader;
  const TypeCode* code = reader.read(decoder, 0);
  if (code != nullptr && !reader.check_aliases(decoder.max_depth())) decoder.fail(base::Code::malformed);
  if (code == nullptr || !decoder.ok()) return nullptr;
  return code->_node().arena == nullptr ? code->_reference() : reference_to(reader.arena(), code);
}

}  // namespace corbel::dynamic
