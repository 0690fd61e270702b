// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/type_factory.hpp"

#include <algorithm>
#include <set>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/type_clone.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::BAD_PARAM;
using CORBA::BAD_TYPECODE;
using CORBA::TCKind;
using CORBA::TypeCode;
using CORBA::typecode_reference;

constexpr std::uint32_t kBadName = CORBA::OMGVMCID | 15;
constexpr std::uint32_t kBadId = CORBA::OMGVMCID | 16;
constexpr std::uint32_t kDuplicateName = CORBA::OMGVMCID | 17;
constexpr std::uint32_t kDuplicateLabel = CORBA::OMGVMCID | 18;
constexpr std::uint32_t kWrongLabelType = CORBA::OMGVMCID | 19;
constexpr std::uint32_t kBadDiscriminator = CORBA::OMGVMCID | 20;
constexpr std::uint32_t kIllegalContent = CORBA::OMGVMCID | 2;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Empty names are allowed.
void check_name(const std::string& name) {
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good || (!name.empty() && name[0] >= '0' && name[0] <= '9')) throw BAD_PARAM(kBadName);
}

void check_id(const std::string& id) {
  const std::size_t colon = id.find(':');
  if (!id.empty() && (colon == std::string::npos || colon == 0)) throw BAD_PARAM(kBadId);
}

/// Names that are unlike even in lower case.
class DistinctNames {
 public:
  void add(std::string name) {
    check_name(name);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (!name.empty() && !seen_.insert(std::move(name)).second) throw BAD_PARAM(kDuplicateName);
  }

 private:
  std::set<std::string> seen_;
};

void check_content(const typecode_reference& type) {
  const TCKind kind = type == nullptr ? TCKind::tk_null : type->_node().kind;
  const bool good = kind != TCKind::tk_void && kind != TCKind::tk_except &&
                    (kind != TCKind::tk_null || (type != nullptr && is_stand_in(type->_node())));
  if (!good) throw BAD_TYPECODE(kIllegalContent);
}

/// One TypeCode being made.
class Making {
 public:
  Making(TCKind kind, const std::string& id, const std::string& name) {
    check_id(id);
    check_name(name);
    node_.kind = kind;
    node_.id = arena_->keep(id);
    node_.name = arena_->keep(name);
    cloner_ = TypeCloner(*arena_, node_.id, code_, true);
  }
  explicit Making(TCKind kind) { node_.kind = kind; }

  TypeNode& node() { return node_; }
  std::string_view keep(const std::string& text) { return arena_->keep(text); }
  /// The type for use inside this one: itself, or a copy in which this type replaces its stand-ins.
  const TypeCode* part(const typecode_reference& type) {
    const bool may_recur = node_.kind == TCKind::tk_struct || node_.kind == TCKind::tk_union || is_stateful(node_.kind);
    if (may_recur && !node_.id.empty() && has_stand_in(*type, node_.id)) return cloner_.clone(&*type);
    arena_->keep_alive(type);
    return &*type;
  }
  void add(TypeMember member) { members_.push_back(member); }
  const std::vector<TypeMember>& members() const { return members_; }
  typecode_reference finish() {
    node_.members = arena_->keep(members_);
    arena_->set(code_, node_);
    return reference_to(arena_, code_);
  }

 private:
  base::SharedPtr<TypeArena> arena_ = base::make_shared<TypeArena>();
  const TypeCode* const code_ = arena_->reserve();
  TypeNode node_;
  std::vector<TypeMember> members_;
  TypeCloner cloner_{*arena_, {}, code_, true};
};

typecode_reference make_struct(TCKind kind, const std::string& id, const std::string& name,
                               const CORBA::TypeCodeFactory::StructMemberSeq& members) {
  Making making(kind, id, name);
  DistinctNames names;
  for (const auto& member : members) {
    names.add(member.name);
    check_content(member.type);
    making.add({making.keep(member.name), making.part(member.type)});
  }
  return making.finish();
}

bool is_default_label(const CORBA::Any& label) {
  std::uint8_t octet = 1;
  return (label >>= octet) && octet == 0;
}

std::int64_t label_of(const CORBA::Any& any, const TypeCode& discriminator) {
  if (!any._type()._fits(discriminator)) throw BAD_PARAM(kWrongLabelType);
  std::int64_t label = 0;
  any._decode_value([&](cdr::Decoder& decoder) { label = get_label(decoder, discriminator); });
  return label;
}

void check_discriminator(const typecode_reference& type) {
  if (type == nullptr) throw BAD_PARAM(kBadDiscriminator);
  cdr::Encoder probe({}, 64);
  put_label(probe, *type, 0);
  if (!probe.ok() || type->_resolved()._node().kind == TCKind::tk_octet) throw BAD_PARAM(kBadDiscriminator);
}

typecode_reference make_value(TCKind kind, const std::string& id, const std::string& name,
                              CORBA::ValueModifier modifier, const typecode_reference& concrete_base,
                              const CORBA::TypeCodeFactory::ValueMemberSeq& members) {
  Making making(kind, id, name);
  making.node().modifier = modifier;
  if (concrete_base != nullptr &&
      (concrete_base->_node().kind != TCKind::tk_null || is_stand_in(concrete_base->_node()))) {
    making.node().content = making.part(concrete_base);
  }
  DistinctNames names;
  for (const auto& member : members) {
    names.add(member.name);
    check_content(member.type);
    making.add({making.keep(member.name), making.part(member.type), 0, member.access});
  }
  return making.finish();
}

typecode_reference with_content(Making& making, const typecode_reference& content) {
  check_content(content);
  making.node().content = making.part(content);
  return making.finish();
}

}  // namespace
}  // namespace corbel::dynamic

namespace CORBA {

using namespace corbel::dynamic;  // NOLINT: the helpers above

typecode_reference TypeCodeFactory::create_struct_tc(const std::string& id, const std::string& name,
                                                     const StructMemberSeq& members) {
  return make_struct(TCKind::tk_struct, id, name, members);
}

typecode_reference TypeCodeFactory::create_exception_tc(const std::string& id, const std::string& name,
                                                        const StructMemberSeq& members) {
  if (id.empty()) throw BAD_PARAM(kBadId);
  return make_struct(TCKind::tk_except, id, name, members);
}

typecode_reference TypeCodeFactory::create_union_tc(const std::string& id, const std::string& name,
                                                    const typecode_reference& discriminator,
                                                    const UnionMemberSeq& members) {
  check_discriminator(discriminator);
  Making making(TCKind::tk_union, id, name);
  making.node().content = making.part(discriminator);
  std::set<std::int64_t> labels;
  for (const auto& member : members) {
    check_name(member.name);
    check_content(member.type);
    std::int64_t label = 0;
    if (is_default_label(member.label)) {
      if (making.node().default_index >= 0) throw BAD_PARAM(kDuplicateLabel);
      making.node().default_index = static_cast<std::int32_t>(making.members().size());
    } else {
      label = label_of(member.label, *discriminator);
      if (!labels.insert(label).second) throw BAD_PARAM(kDuplicateLabel);
    }
    making.add({making.keep(member.name), making.part(member.type), label});
  }
  return making.finish();
}

typecode_reference TypeCodeFactory::create_enum_tc(const std::string& id, const std::string& name,
                                                   const EnumMemberSeq& members) {
  Making making(TCKind::tk_enum, id, name);
  DistinctNames names;
  for (const auto& member : members) {
    names.add(member);
    making.add({making.keep(member)});
  }
  return making.finish();
}

typecode_reference TypeCodeFactory::create_alias_tc(const std::string& id, const std::string& name,
                                                    const typecode_reference& original) {
  Making making(TCKind::tk_alias, id, name);
  return with_content(making, original);
}

typecode_reference TypeCodeFactory::create_interface_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_objref, id, name).finish();
}

typecode_reference TypeCodeFactory::create_abstract_interface_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_abstract_interface, id, name).finish();
}

typecode_reference TypeCodeFactory::create_local_interface_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_local_interface, id, name).finish();
}

typecode_reference TypeCodeFactory::create_component_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_component, id, name).finish();
}

typecode_reference TypeCodeFactory::create_home_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_home, id, name).finish();
}

typecode_reference TypeCodeFactory::create_native_tc(const std::string& id, const std::string& name) {
  return Making(TCKind::tk_native, id, name).finish();
}

typecode_reference TypeCodeFactory::create_string_tc(std::uint32_t bound) {
  Making making(TCKind::tk_string);
  making.node().length = bound;
  return making.finish();
}

typecode_reference TypeCodeFactory::create_wstring_tc(std::uint32_t bound) {
  Making making(TCKind::tk_wstring);
  making.node().length = bound;
  return making.finish();
}

typecode_reference TypeCodeFactory::create_fixed_tc(std::uint16_t digits, std::int16_t scale) {
  if (digits == 0 || digits > 31 || scale < 0 || scale > static_cast<std::int16_t>(digits)) throw BAD_PARAM();
  Making making(TCKind::tk_fixed);
  making.node().digits = digits;
  making.node().scale = scale;
  return making.finish();
}

typecode_reference TypeCodeFactory::create_sequence_tc(std::uint32_t bound, const typecode_reference& element) {
  Making making(TCKind::tk_sequence);
  making.node().length = bound;
  return with_content(making, element);
}

typecode_reference TypeCodeFactory::create_array_tc(std::uint32_t length, const typecode_reference& element) {
  if (length == 0) throw BAD_PARAM();
  Making making(TCKind::tk_array);
  making.node().length = length;
  return with_content(making, element);
}

typecode_reference TypeCodeFactory::create_value_tc(const std::string& id, const std::string& name,
                                                    ValueModifier modifier, const typecode_reference& concrete_base,
                                                    const ValueMemberSeq& members) {
  return make_value(TCKind::tk_value, id, name, modifier, concrete_base, members);
}

typecode_reference TypeCodeFactory::create_event_tc(const std::string& id, const std::string& name,
                                                    ValueModifier modifier, const typecode_reference& concrete_base,
                                                    const ValueMemberSeq& members) {
  return make_value(TCKind::tk_event, id, name, modifier, concrete_base, members);
}

typecode_reference TypeCodeFactory::create_value_box_tc(const std::string& id, const std::string& name,
                                                        const typecode_reference& boxed) {
  Making making(TCKind::tk_value_box, id, name);
  return with_content(making, boxed);
}

typecode_reference TypeCodeFactory::create_recursive_tc(const std::string& id) {
  if (id.empty()) throw BAD_PARAM(kBadId);
  return Making(TCKind::tk_null, id, "").finish();
}

}  // namespace CORBA

namespace corbel::dynamic {

CORBA::object_reference<CORBA::Object> make_type_code_factory(corba::OrbContext& /*orb*/) {
  return CORBA::make_reference<CORBA::TypeCodeFactory>();
}

}  // namespace corbel::dynamic
