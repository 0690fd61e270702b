// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/type_factory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

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

/// Whose parameter something is: what a refusal names.
struct Place {
  std::string_view operation;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t member = kNone;  ///< its index
};

template <class Exception>
[[noreturn]] void refuse(const Place& place, std::uint32_t minor, std::string_view why) {
  std::string detail(place.operation);
  if (place.member != Place::kNone) detail.append(": member ").append(std::to_string(place.member));
  throw Exception(minor, CORBA::CompletionStatus::COMPLETED_NO, detail.append(": ").append(why));
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Empty names are allowed.
void check_name(const Place& place, const std::string& name) {
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good || (!name.empty() && name[0] >= '0' && name[0] <= '9')) {
    refuse<BAD_PARAM>(place, kBadName, "the name is no identifier: " + name);
  }
}

void check_id(const Place& place, const std::string& id) {
  const std::size_t colon = id.find(':');
  if (id.empty() || (colon != std::string::npos && colon != 0)) return;
  refuse<BAD_PARAM>(place, kBadId, "no repository id, which begins with a format and a colon: " + id);
}

void check_given(const Place& place, const std::string& id) {
  if (id.empty()) refuse<BAD_PARAM>(place, kBadId, "there is no repository id");
}

/// Names that are unlike even in lower case.
class DistinctNames {
 public:
  void add(const Place& place, std::string name) {
    check_name(place, name);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (name.empty() || seen_.insert(name).second) return;
    refuse<BAD_PARAM>(place, kDuplicateName, "another one has this name: " + name);
  }

 private:
  std::set<std::string> seen_;
};

void check_content(const Place& place, const typecode_reference& type) {
  if (type == nullptr) refuse<BAD_TYPECODE>(place, kIllegalContent, "its TypeCode is nil");
  const TypeNode& node = type->_node();
  const bool good = node.kind != TCKind::tk_void && node.kind != TCKind::tk_except &&
                    (node.kind != TCKind::tk_null || is_stand_in(node));
  if (!good) refuse<BAD_TYPECODE>(place, kIllegalContent, "no value can be of its type");
}

/// One TypeCode being made.
class Making {
 public:
  Making(const Place& place, TCKind kind, const std::string& id, const std::string& name) {
    check_id(place, id);
    check_name(place, name);
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

typecode_reference make_struct(Place place, TCKind kind, const std::string& id, const std::string& name,
                               const CORBA::TypeCodeFactory::StructMemberSeq& members) {
  Making making(place, kind, id, name);
  DistinctNames names;
  for (const auto& member : members) {
    place.member = making.members().size();
    names.add(place, member.name);
    check_content(place, member.type);
    making.add({making.keep(member.name), making.part(member.type)});
  }
  return making.finish();
}

bool is_default_label(const CORBA::Any& label) {
  std::uint8_t octet = 1;
  return (label >>= octet) && octet == 0;
}

std::int64_t label_of(const Place& place, const CORBA::Any& any, const TypeCode& discriminator) {
  if (!any._type()._fits(discriminator)) {
    refuse<BAD_PARAM>(place, kWrongLabelType, "its label is not of the discriminator's type");
  }
  std::int64_t label = 0;
  any._decode_value([&](cdr::Decoder& decoder) { label = get_label(decoder, discriminator); });
  return label;
}

void check_discriminator(const Place& place, const typecode_reference& type) {
  if (type == nullptr) refuse<BAD_PARAM>(place, kBadDiscriminator, "the discriminator's TypeCode is nil");
  cdr::Encoder probe({}, 64);
  put_label(probe, *type, 0);
  if (probe.ok() && type->_resolved()._node().kind != TCKind::tk_octet) return;
  refuse<BAD_PARAM>(place, kBadDiscriminator, "a discriminator cannot be of this type");
}

typecode_reference make_value(Place place, TCKind kind, const std::string& id, const std::string& name,
                              CORBA::ValueModifier modifier, const typecode_reference& concrete_base,
                              const CORBA::TypeCodeFactory::ValueMemberSeq& members) {
  Making making(place, kind, id, name);
  making.node().modifier = modifier;
  if (concrete_base != nullptr &&
      (concrete_base->_node().kind != TCKind::tk_null || is_stand_in(concrete_base->_node()))) {
    making.node().content = making.part(concrete_base);
  }
  DistinctNames names;
  for (const auto& member : members) {
    place.member = making.members().size();
    names.add(place, member.name);
    check_content(place, member.type);
    making.add({making.keep(member.name), making.part(member.type), 0, member.access});
  }
  return making.finish();
}

typecode_reference with_content(const Place& place, Making& making, const typecode_reference& content) {
  check_content(place, content);
  making.node().content = making.part(content);
  return making.finish();
}

}  // namespace
}  // namespace corbel::dynamic

namespace CORBA {

using namespace corbel::dynamic;  // NOLINT: the helpers above

typecode_reference TypeCodeFactory::create_struct_tc(const std::string& id, const std::string& name,
                                                     const StructMemberSeq& members) {
  return make_struct({"create_struct_tc"}, TCKind::tk_struct, id, name, members);
}

typecode_reference TypeCodeFactory::create_exception_tc(const std::string& id, const std::string& name,
                                                        const StructMemberSeq& members) {
  check_given({"create_exception_tc"}, id);
  return make_struct({"create_exception_tc"}, TCKind::tk_except, id, name, members);
}

typecode_reference TypeCodeFactory::create_union_tc(const std::string& id, const std::string& name,
                                                    const typecode_reference& discriminator,
                                                    const UnionMemberSeq& members) {
  Place place{"create_union_tc"};
  check_discriminator(place, discriminator);
  Making making(place, TCKind::tk_union, id, name);
  making.node().content = making.part(discriminator);
  std::set<std::int64_t> labels;
  for (const auto& member : members) {
    place.member = making.members().size();
    check_name(place, member.name);
    check_content(place, member.type);
    std::int64_t label = 0;
    if (is_default_label(member.label)) {
      if (making.node().default_index >= 0) refuse<BAD_PARAM>(place, kDuplicateLabel, "there is a default already");
      making.node().default_index = static_cast<std::int32_t>(making.members().size());
    } else {
      label = label_of(place, member.label, *discriminator);
      if (!labels.insert(label).second) refuse<BAD_PARAM>(place, kDuplicateLabel, "another one has this label");
    }
    making.add({making.keep(member.name), making.part(member.type), label});
  }
  return making.finish();
}

typecode_reference TypeCodeFactory::create_enum_tc(const std::string& id, const std::string& name,
                                                   const EnumMemberSeq& members) {
  Place place{"create_enum_tc"};
  Making making(place, TCKind::tk_enum, id, name);
  DistinctNames names;
  for (const auto& member : members) {
    place.member = making.members().size();
    names.add(place, member);
    making.add({making.keep(member)});
  }
  return making.finish();
}

typecode_reference TypeCodeFactory::create_alias_tc(const std::string& id, const std::string& name,
                                                    const typecode_reference& original) {
  Making making({"create_alias_tc"}, TCKind::tk_alias, id, name);
  return with_content({"create_alias_tc"}, making, original);
}

typecode_reference TypeCodeFactory::create_interface_tc(const std::string& id, const std::string& name) {
  return Making({"create_interface_tc"}, TCKind::tk_objref, id, name).finish();
}

typecode_reference TypeCodeFactory::create_abstract_interface_tc(const std::string& id, const std::string& name) {
  return Making({"create_abstract_interface_tc"}, TCKind::tk_abstract_interface, id, name).finish();
}

typecode_reference TypeCodeFactory::create_local_interface_tc(const std::string& id, const std::string& name) {
  return Making({"create_local_interface_tc"}, TCKind::tk_local_interface, id, name).finish();
}

typecode_reference TypeCodeFactory::create_component_tc(const std::string& id, const std::string& name) {
  return Making({"create_component_tc"}, TCKind::tk_component, id, name).finish();
}

typecode_reference TypeCodeFactory::create_home_tc(const std::string& id, const std::string& name) {
  return Making({"create_home_tc"}, TCKind::tk_home, id, name).finish();
}

typecode_reference TypeCodeFactory::create_native_tc(const std::string& id, const std::string& name) {
  return Making({"create_native_tc"}, TCKind::tk_native, id, name).finish();
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
  if (digits == 0 || digits > 31 || scale < 0 || scale > static_cast<std::int16_t>(digits))
    refuse<BAD_PARAM>({"create_fixed_tc"}, 0, "there are 1 to 31 digits, of which the scale is a part");
  Making making(TCKind::tk_fixed);
  making.node().digits = digits;
  making.node().scale = scale;
  return making.finish();
}

typecode_reference TypeCodeFactory::create_sequence_tc(std::uint32_t bound, const typecode_reference& element) {
  Making making(TCKind::tk_sequence);
  making.node().length = bound;
  return with_content({"create_sequence_tc"}, making, element);
}

typecode_reference TypeCodeFactory::create_array_tc(std::uint32_t length, const typecode_reference& element) {
  if (length == 0) refuse<BAD_PARAM>({"create_array_tc"}, 0, "an array has at least one element");
  Making making(TCKind::tk_array);
  making.node().length = length;
  return with_content({"create_array_tc"}, making, element);
}

typecode_reference TypeCodeFactory::create_value_tc(const std::string& id, const std::string& name,
                                                    ValueModifier modifier, const typecode_reference& concrete_base,
                                                    const ValueMemberSeq& members) {
  return make_value({"create_value_tc"}, TCKind::tk_value, id, name, modifier, concrete_base, members);
}

typecode_reference TypeCodeFactory::create_event_tc(const std::string& id, const std::string& name,
                                                    ValueModifier modifier, const typecode_reference& concrete_base,
                                                    const ValueMemberSeq& members) {
  return make_value({"create_event_tc"}, TCKind::tk_event, id, name, modifier, concrete_base, members);
}

typecode_reference TypeCodeFactory::create_value_box_tc(const std::string& id, const std::string& name,
                                                        const typecode_reference& boxed) {
  Making making({"create_value_box_tc"}, TCKind::tk_value_box, id, name);
  return with_content({"create_value_box_tc"}, making, boxed);
}

typecode_reference TypeCodeFactory::create_recursive_tc(const std::string& id) {
  check_given({"create_recursive_tc"}, id);
  return Making({"create_recursive_tc"}, TCKind::tk_null, id, "").finish();
}

}  // namespace CORBA

namespace corbel::dynamic {

CORBA::object_reference<CORBA::Object> make_type_code_factory(corba::OrbContext& /*orb*/) {
  return CORBA::make_reference<CORBA::TypeCodeFactory>();
}

}  // namespace corbel::dynamic
