// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/default_value.hpp"

#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/type_codec.hpp"
#include "corbel/mapping/fixed.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

/// TypeCodes may come from anywhere: no more work than a message of the greatest size takes.
class DefaultWriter {
 public:
  explicit DefaultWriter(cdr::Encoder& out) noexcept : out_(out) {}

  void put(const TypeCode& type) {
    const TypeNode& node = type._resolved()._node();
    if (depth_ == kLimits.max_depth || ++steps_ > kLimits.max_message_size / 64 ||
        out_.position() > kLimits.max_message_size) {
      out_.fail(base::Code::too_large);
    }
    if (!out_.ok()) return;
    ++depth_;
    if (!put_constructed(node)) put_basic(node);
    --depth_;
  }

 private:
  static constexpr cdr::Limits kLimits{};

  bool put_constructed(const TypeNode& node) {
    switch (node.kind) {
      case TCKind::tk_except:
        out_.put_plain_string(node.id);
        [[fallthrough]];
      case TCKind::tk_struct:
        for (const TypeMember& member : node.members) put(*member.type);
        return true;
      case TCKind::tk_union:
        put_union(node);
        return true;
      case TCKind::tk_array:
        for (std::uint32_t i = 0; i < node.length && out_.ok(); ++i) put(*node.content);
        return true;
      default:
        return false;
    }
  }

  /// Writes a union with its first member, under a discriminator value that selects it.
  void put_union(const TypeNode& node) {
    const bool labelled = !node.members.empty() && node.default_index != 0;
    const std::int64_t label = labelled ? node.members[0].label : unused_label(node).value_or(0);
    put_label(out_, *node.content, label);
    const std::int32_t selected = selected_member(node, label);
    if (selected >= 0) put(*node.members[static_cast<std::size_t>(selected)].type);
  }

  void put_basic(const TypeNode& node) {
    switch (node.kind) {
      case TCKind::tk_null:
      case TCKind::tk_void:
        return;
      case TCKind::tk_float:
      case TCKind::tk_sequence:
      case TCKind::tk_value:
      case TCKind::tk_event:
      case TCKind::tk_value_box:
        return out_.put(std::uint32_t{0});
      case TCKind::tk_abstract_interface:
        out_.put(false);
        return out_.put(std::uint32_t{0});
      case TCKind::tk_double:
        return out_.put(0.0);
      case TCKind::tk_longdouble:
        return out_.put_long_double(0);
      case TCKind::tk_string:
        return out_.put_plain_string("");
      case TCKind::tk_wstring:
        return out_.put_wstring(L"");
      case TCKind::tk_fixed:
        return mapping::Decimal().encode(out_, node.digits);
      case TCKind::tk_any:
      case TCKind::tk_TypeCode:
        return encode_type(out_, CORBA::detail::k_null);
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home:
        out_.put_plain_string("");
        return out_.put_count(0);
      default:
        // The rest are discriminator types, or have no values of their own.
        return put_label(out_, TypeCode(node), 0);
    }
  }

  cdr::Encoder& out_;
  std::uint32_t depth_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

void put_default(cdr::Encoder& out, const CORBA::TypeCode& type) {
  DefaultWriter(out).put(type);
}

}  // namespace corbel::dynamic
