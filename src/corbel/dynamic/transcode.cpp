// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/transcode.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "corbel/cdr/byte_swap.hpp"
#include "corbel/cdr/value_stream.hpp"
#include "corbel/dynamic/custom_value.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/type_arena.hpp"
#include "corbel/dynamic/type_codec.hpp"
#include "corbel/dynamic/value_state.hpp"
#include "corbel/mapping/fixed.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

/// Budget that a step takes, so that types that repeat nothing many times end: a struct of one octet takes two steps.
constexpr std::size_t kStep = 4;
/// Values inside values that are copied on the way to one more level, sequences and types that do not contain
/// themselves included; and kNested more, once for the whole value.
constexpr std::size_t kNestedPerLevel = 4;
constexpr std::size_t kNested = 64;

/// Kinds that are levels only if the type contains itself.
constexpr bool is_struct(TCKind kind) {
  return kind == TCKind::tk_struct || kind == TCKind::tk_union || kind == TCKind::tk_except;
}

/// One walk over a value. Levels (cdr::Limits::max_depth) are counted as generated code counts them, which knows the
/// types that contain themselves: here they are those that come again inside themselves.
class Transcoder {
 public:
  Transcoder(cdr::Decoder& in, cdr::Encoder& out, Origin origin, const CopyReference* references = nullptr) noexcept
      : in_(in), out_(out), origin_(origin), references_(references) {
    in_.join_rest();  // identity() is an address
  }

  void copy(const TypeCode& type) {
    if (!in_.ok() || !charge(kStep)) return;
    const TypeNode& node = type._resolved()._node();
    switch (node.kind) {
      case TCKind::tk_null:
      case TCKind::tk_void:
        return;
      case TCKind::tk_wchar:
        return out_.put_wchar(in_.get_wchar());
      case TCKind::tk_longdouble:
        return out_.put_long_double(in_.get_long_double());
      case TCKind::tk_string:
        return copy_string(node.length);
      case TCKind::tk_wstring:
        return copy_wstring(node.length);
      case TCKind::tk_enum:
        return copy_enum(node);
      case TCKind::tk_fixed:
        return mapping::Decimal::decode(in_, node.digits, 0).encode(out_, node.digits);
      case TCKind::tk_Principal:
        return copy_octet_sequence();
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home:
        return copy_reference();
      default:
        break;
    }
    if (!copy_primitives(node.kind, 1, true)) copy_nested(node);
  }

 private:
  /// A value around the one that is copied.
  struct Around {
    const TypeNode* node;
    std::uint32_t any;         // inside how many Anys it is: their types are others, even where they are the same
    const Around* next;        // further out, with the same place in around_
    std::uint32_t occurrence;  // how many of the node's there are, this one included
  };
  /// Lets a struct do without a look at all those around it.
  static constexpr std::size_t kPlaces = 64;
  const Around*& place_of(const TypeNode& node) {
    return around_[reinterpret_cast<std::uintptr_t>(&node) / sizeof(TypeNode) % kPlaces];
  }

  bool charge(std::size_t octets) { return origin_ == Origin::own || in_.charge(octets); }

  /// True if the values may nest deeper. For values that are kept it is what held when they came, or were made.
  bool nest() {
    if (++nested_ <= kNestedPerLevel * in_.max_depth() + kNested) return true;
    in_.fail(base::Code::too_deep);
    return false;
  }
  void unnest() { --nested_; }

  void copy_nested(const TypeNode& node) {
    if (!nest()) return;
    if (node.kind == TCKind::tk_any) {
      if (in_.enter()) copy_any();
      in_.leave();
    } else if (is_struct(node.kind) && origin_ == Origin::foreign) {
      copy_counted(node);
    } else {
      copy_constructed(node);
    }
    unnest();
  }

  /// A type that contains itself is known when it comes for the second time: that makes two levels then.
  void copy_counted(const TypeNode& node) {
    const Around*& place = place_of(node);
    const Around* same = place;
    while (same != nullptr && (same->node != &node || same->any != anys_)) same = same->next;
    const Around here{&node, anys_, place, same == nullptr ? 1 : same->occurrence + 1};
    const bool first = here.occurrence == 1;
    const bool second = here.occurrence == 2;
    if (!first && (!in_.enter() || (second && !in_.enter()))) return;
    place = &here;
    copy_constructed(node);
    place = here.next;
    if (!first) in_.leave();
    if (second) in_.leave();
  }

  void copy_constructed(const TypeNode& node) {
    switch (node.kind) {
      case TCKind::tk_TypeCode:
        (void)copy_type();
        return;
      case TCKind::tk_except:
        copy_plain_string();
        return copy_members(node);
      case TCKind::tk_struct:
        return copy_members(node);
      case TCKind::tk_union:
        return copy_union(node);
      case TCKind::tk_sequence: {
        // A checked value may be a sequence of values without octets. Each element is charged when it is copied.
        const std::size_t count = origin_ == Origin::own ? in_.get<std::uint32_t>() : in_.take_count(1, 0);
        if (node.length != 0 && count > node.length) return in_.fail(base::Code::bad_bound);
        out_.put_count(count);
        return copy_elements(*node.content, count);
      }
      case TCKind::tk_array:
        return copy_elements(*node.content, node.length);
      case TCKind::tk_value:
      case TCKind::tk_event:
      case TCKind::tk_value_box:
        return copy_value(node);
      case TCKind::tk_abstract_interface:
        return copy_abstract();
      default:
        // Values of the other kinds do not leave the process, or not without the type.
        return in_.fail(base::Code::unsupported);
    }
  }

  void copy_any() {
    const CORBA::typecode_reference type = copy_type();
    if (type == nullptr) return;
    ++anys_;
    copy(*type);
    --anys_;
  }

  void copy_members(const TypeNode& node) {
    for (const TypeMember& member : node.members) copy(*member.type);
  }

  /// What a value is known by in the copy: the address of its tag. Not inlined: a Decoder at each level is much stack.
  [[gnu::noinline]] const void* identity(std::size_t position) { return in_.at(position).take_octets(0).data(); }

  void copy_value(const TypeNode& node) {
    cdr::ValueReader reader(in_);
    cdr::ValueWriter writer(out_);
    const cdr::ValueHeader header = reader.begin();
    if (!in_.ok()) return;
    if (header.kind == cdr::ValueHeader::Kind::null) return writer.put_null();
    if (header.kind == cdr::ValueHeader::Kind::known) {
      if (writer.put_known(identity(header.position)) || put_known_object(in_, out_, header.position)) return;
      return copy_again(node, header.position);
    }
    std::span<const std::string_view> ids = header.ids;
    const TypeNode* const type = type_of_value(node, ids);
    if (type == nullptr) return in_.fail(base::Code::not_found);
    // Only chunks show where a derived type's state ends.
    const bool truncated = ids.size() != header.ids.size();
    if (type->modifier == CORBA::VM_CUSTOM && header.chunked && !truncated) {
      if (references_ == nullptr) return copy_custom_value(header, type->id, in_, out_);
      if (!writer.put_copy(identity(header.position), header, in_)) in_.fail(base::Code::unsupported);
      return;
    }
    if ((truncated && !header.chunked) ||
        (type->modifier != CORBA::VM_NONE && type->modifier != CORBA::VM_TRUNCATABLE)) {
      return in_.fail(base::Code::unsupported);
    }
    if (ids.empty() && writer.in_chunks()) ids = {&type->id, 1};
    if (!in_.enter()) return;
    const bool chunked = writer.begin(identity(header.position), ids, ids.size() > 1);
    writer.note_copied(header, in_.stream_position(), chunked);
    if (out_.ok()) copy_state(*type);
    writer.end(chunked);
    reader.end(header);
    in_.leave();
  }

  /// State of the bases comes first.
  void copy_state(const TypeNode& node) {
    if (node.kind == TCKind::tk_value_box) return copy(*node.content);
    if (node.content != nullptr && is_stateful(node.content->_node().kind) && nest()) {
      copy_state(node.content->_node());
      unnest();
    }
    copy_members(node);
  }

  /// A value that stands elsewhere in the message and is not part of this copy yet. Not inlined, either.
  [[gnu::noinline]] void copy_again(const TypeNode& node, std::size_t position) {
    cdr::Decoder again = in_.at(position);
    {
      const cdr::ValueReader::Again scope(again);
      Transcoder inner(again, out_, origin_, references_);
      inner.nested_ = nested_;
      if (inner.nest()) inner.copy_value(node);
    }
    in_.settle(again);
  }

  /// A value could be of any type here.
  void copy_abstract() {
    const bool is_object = in_.get<bool>();
    out_.put(is_object);
    static constexpr TypeNode kAnyValue{.kind = TCKind::tk_value};
    is_object ? copy_reference() : copy_value(kAnyValue);
  }

  void copy_union(const TypeNode& node) {
    const std::int64_t label = get_label(in_, *node.content);
    put_label(out_, *node.content, label);
    const TypeNode& discriminator = node.content->_resolved()._node();
    if (discriminator.kind == TCKind::tk_enum && static_cast<std::uint64_t>(label) >= discriminator.members.size()) {
      return in_.fail(base::Code::bad_enum);
    }
    const std::int32_t selected = selected_member(node, label);
    if (selected >= 0) copy(*node.members[static_cast<std::size_t>(selected)].type);
  }

  void copy_elements(const TypeCode& type, std::size_t count) {
    const TypeCode& element = type._resolved();
    if (copy_primitives(element._node().kind, count)) return;
    for (std::size_t i = 0; i < count && in_.ok() && out_.ok(); ++i) copy(element);
  }

  template <class T>
  bool copy_run(std::size_t count, bool alone) {
    if (alone) {
      const T value = in_.get<T>();
      if (in_.ok() && charge(sizeof(T))) out_.put(value);
      return true;
    }
    constexpr std::size_t kRun = 1024 / sizeof(T);
    T run[kRun];
    if (count > 0 && sizeof(T) > 1) in_.align(sizeof(T));
    while (count > 0 && in_.ok()) {
      const std::size_t length = std::min(count, kRun);
      get_run(run, length);
      if (!in_.ok() || !charge(length * sizeof(T))) break;
      out_.copy_array(run, length);
      count -= length;
    }
    return true;
  }

  /// A part of an array, which goes on across joints as it lies: it is aligned as a whole.
  template <class T>
  void get_run(T* run, std::size_t length) {
    if constexpr (sizeof(T) == 1) {
      in_.get_array(run, length);
    } else {
      const base::ConstByteSpan raw = in_.take_octets(length * sizeof(T));
      if (!in_.ok()) return;
      std::memcpy(run, raw.data(), raw.size());
      if (!in_.format().swapped()) return;
      for (std::size_t i = 0; i < length; ++i) run[i] = cdr::byte_swap(run[i]);
    }
  }

  /// `count` values one after the other; false if the kind is no primitive. One that is `alone`, and no array, may
  /// begin anew at a joint.
  bool copy_primitives(TCKind kind, std::size_t count, bool alone = false) {
    switch (kind) {
      case TCKind::tk_boolean:
        return copy_run<bool>(count, alone);
      case TCKind::tk_char:
      case TCKind::tk_octet:
        copy_octets(count);
        return true;
      case TCKind::tk_short:
      case TCKind::tk_ushort:
        return copy_run<std::uint16_t>(count, alone);
      case TCKind::tk_long:
      case TCKind::tk_ulong:
        return copy_run<std::uint32_t>(count, alone);
      case TCKind::tk_float:
        return copy_run<float>(count, alone);
      case TCKind::tk_longlong:
      case TCKind::tk_ulonglong:
        return copy_run<std::uint64_t>(count, alone);
      case TCKind::tk_double:
        return copy_run<double>(count, alone);
      default:
        return false;
    }
  }

  void copy_octets(std::size_t count) {
    const base::ConstByteSpan octets = in_.take_octets(count);
    if (octets.empty() || !charge(octets.size())) return;
    if (origin_ == Origin::own) {
      out_.put_octets(octets.data(), octets.size());
    } else {
      out_.copy_octets(octets.data(), octets.size());
    }
  }

  void copy_octet_sequence() {
    const std::size_t count = in_.take_count(1, 0);
    out_.put_count(count);
    copy_octets(count);
  }

  void copy_string(std::uint32_t bound) {
    if (origin_ == Origin::own) return out_.put_string(in_.get_plain_string());
    std::string text;
    in_.get_string(text);
    if (bound != 0 && text.size() > bound) in_.fail(base::Code::bad_bound);
    // The text is not referred to, which put_string() may do unless it has to convert.
    if (references_ != nullptr && out_.format().char_set == cdr::CodeSet::iso_8859_1) return out_.put_string(text);
    out_.put_plain_string(text);
  }
  void copy_plain_string() { out_.put_plain_string(in_.get_plain_string()); }
  void copy_wstring(std::uint32_t bound) {
    std::wstring text;
    in_.get_wstring(text);
    if (bound != 0 && text.size() > bound) in_.fail(base::Code::bad_bound);
    out_.put_wstring(text);
  }

  void copy_enum(const TypeNode& node) {
    const auto number = in_.get<std::uint32_t>();
    if (number >= node.members.size()) return in_.fail(base::Code::bad_enum);
    out_.put(number);
  }

  void copy_reference() {
    if (references_ != nullptr) return (*references_)(in_, out_);
    copy_plain_string();
    const std::size_t count = in_.take_count(8);
    if (origin_ == Origin::foreign && count > limits().max_profiles) return in_.fail(base::Code::too_many_profiles);
    out_.put_count(count);
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      out_.put(in_.get<std::uint32_t>());
      copy_octet_sequence();
    }
  }

  const cdr::Limits& limits() const {
    static constexpr cdr::Limits kUsual;
    return in_.context() == nullptr ? kUsual : static_cast<corba::OrbContext*>(in_.context())->limits();
  }

  CORBA::typecode_reference copy_type() {
    CORBA::typecode_reference type = decode_type(in_);
    if (type != nullptr) encode_type(out_, *type);
    return type;
  }

  cdr::Decoder& in_;
  cdr::Encoder& out_;
  const Origin origin_;
  const CopyReference* const references_;  // null: as they are
  std::size_t nested_ = 0;
  std::uint32_t anys_ = 0;
  std::array<const Around*, kPlaces> around_{};
};

}  // namespace

void transcode(const CORBA::TypeCode& type, cdr::Decoder& in, cdr::Encoder& out, Origin origin) {
  Transcoder(in, out, origin).copy(type);
}

void pass_on(const CORBA::TypeCode& type, cdr::Decoder& in, cdr::Encoder& out, CopyReference references) {
  Transcoder(in, out, Origin::foreign, &references).copy(type);
}

}  // namespace corbel::dynamic
