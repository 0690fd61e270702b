// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/type_clone.hpp"
#include "corbel/dynamic/type_codec.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

/// Writes one outermost TypeCode. Positions are those in the flat stream: where an encapsulation begins, plus the
/// position in it.
class TypeWriter {
 public:
  void write(cdr::Encoder& out, std::size_t begin, const TypeCode& code) {
    out.align(4);
    const TypeNode& node = code._node();
    const std::size_t here = begin + out.position();
    if (is_complex(node)) {
      const auto [known, added] = positions_.try_emplace(&code, here);
      if (!added) {
        out.put(kIndirection);
        const std::size_t from = begin + out.position();
        out.put(static_cast<std::int32_t>(known->second) - static_cast<std::int32_t>(from));
        return;
      }
    }
    if (is_stand_in(node)) return out.fail(base::Code::bad_argument);
    if (nesting_ == kMostNesting) return out.fail(base::Code::too_large);
    out.put(static_cast<std::uint32_t>(node.kind));
    switch (node.kind) {
      case TCKind::tk_string:
      case TCKind::tk_wstring:
        return out.put(node.length);
      case TCKind::tk_fixed:
        out.put(node.digits);
        return out.put(node.scale);
      default:
        if (is_complex(node)) write_encapsulation(out, here + 8, node);
    }
  }

 private:
  /// Types inside types that are written at most. A part of a type that came from outside may be nested as deep as that
  /// has parts.
  static constexpr std::uint32_t kMostNesting = 1000;

  static bool is_complex(const TypeNode& node) {
    const KindTraits traits = traits_of(node.kind);
    return traits.id_and_name || traits.content;
  }

  void write_encapsulation(cdr::Encoder& out, std::size_t begin, const TypeNode& node) {
    cdr::Encoder inner(out.format(), 256);
    inner.put(out.format().little_endian);
    ++nesting_;
    write_parameters(inner, begin, node);
    --nesting_;
    if (!inner.ok()) return out.fail(inner.error().code);
    const base::Bytes octets = inner.to_bytes();
    out.put_count(octets.size());
    out.copy_octets(octets.data(), octets.size());
  }

  void write_parameters(cdr::Encoder& out, std::size_t begin, const TypeNode& node) {
    const KindTraits traits = traits_of(node.kind);
    if (traits.id_and_name) {
      out.put_plain_string(node.id);
      out.put_plain_string(node.name);
    }
    const bool value = is_stateful(node.kind);
    if (value) out.put(node.modifier);
    if (traits.content) write(out, begin, node.content != nullptr ? *node.content : CORBA::detail::k_null);
    if (node.kind == TCKind::tk_union) out.put(node.default_index);
    if (traits.length) out.put(node.length);
    if (!traits.members) return;
    out.put_count(node.members.size());
    for (const TypeMember& member : node.members) {
      if (!out.ok()) return;
      if (node.kind == TCKind::tk_union) put_label(out, *node.content, member.label);
      out.put_plain_string(member.name);
      if (member.type != nullptr) write(out, begin, *member.type);
      if (value) out.put(static_cast<std::int16_t>(member.visibility));
    }
  }

  std::unordered_map<const TypeCode*, std::size_t> positions_;
  std::uint32_t nesting_ = 0;
};

}  // namespace

void encode_type(cdr::Encoder& encoder, const CORBA::TypeCode& type) {
  TypeWriter().write(encoder, 0, type);
}

}  // namespace corbel::dynamic
