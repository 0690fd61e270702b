// SPDX-License-Identifier: Apache-2.0
// How DynAnys are taken apart and put together again.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/default_value.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/dynamic/make_dyn_any.hpp"
#include "corbel/dynamic/transcode.hpp"
#include "corbel/dynamic/type_arena.hpp"
#include "corbel/dynamic/value_state.hpp"

namespace DynamicAny {

using CORBA::TCKind;
using corbel::cdr::Decoder;
using corbel::cdr::Encoder;
using corbel::cdr::ValueHeader;
using corbel::dynamic::TypeMember;
using corbel::dynamic::TypeNode;

namespace {

bool is_value_kind(TCKind kind) {
  return corbel::dynamic::is_stateful(kind) || kind == TCKind::tk_value_box;
}

}  // namespace

/// One walk over a value. Components with values in them are taken apart at once, for these may be referred to from
/// everywhere; the others keep their octets until a caller asks.
class DynAny::Expansion {
 public:
  /// Those of the types that a type is made of whose values may have valuetypes in them, outside the Anys in them.
  /// Found in one walk: a stranger's type may have very many parts that lead to each other.
  class ValueHolders {
   public:
    explicit ValueHolders(const CORBA::TypeCode& type) {
      std::vector<const TypeNode*> values;
      number_of(&type);
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const TypeNode& node = *nodes_[i];
        if (is_value_kind(node.kind)) values.push_back(&node);
        use(node.content, i);
        for (const TypeMember& member : node.members) use(member.type, i);
      }
      while (!values.empty()) {
        const TypeNode* node = values.back();
        values.pop_back();
        if (!holders_.insert(node).second) continue;
        for (const std::size_t user : users_[numbers_[node]]) values.push_back(nodes_[user]);
      }
    }
    bool contains(const CORBA::TypeCode& type) const { return holders_.contains(&type._resolved()._node()); }

   private:
    std::size_t number_of(const CORBA::TypeCode* type) {
      const TypeNode* node = &type->_resolved()._node();
      const auto [known, added] = numbers_.try_emplace(node, nodes_.size());
      if (added) {
        nodes_.push_back(node);
        users_.emplace_back();
      }
      return known->second;
    }
    void use(const CORBA::TypeCode* type, std::size_t user) {
      if (type == nullptr) return;
      const std::size_t used = number_of(type);
      users_[used].push_back(user);
    }

    std::vector<const TypeNode*> nodes_;
    std::vector<std::vector<std::size_t>> users_;
    std::unordered_map<const TypeNode*, std::size_t> numbers_;
    std::unordered_set<const TypeNode*> holders_;
  };

  Expansion(Decoder& in, const CORBA::TypeCode& type) : in_(in), holders_(type) {}

  void fill(DynAny& whole) {
    if (is_value_kind(whole.node().kind)) {
      corbel::cdr::ValueReader reader(in_);
      fill_value(whole, reader, reader.begin());
    } else {
      fill_plain(whole);
    }
    whole.expanded_ = in_.ok();
  }

 private:
  /// The octets that components with Anys take, in which a value elsewhere is repeated, are limited.
  static constexpr std::size_t kMostOctets = corbel::cdr::Limits{}.max_message_size;

  void take(DynAny& whole, const CORBA::TypeCode& type, bool with_values) {
    if (!in_.ok()) return;
    if (with_values) return take_apart(whole, type);
    const auto copy = [&](Encoder& out) {
      transcode(type, in_, out, corbel::dynamic::Origin::own);
      octets_ += out.position();
    };
    const auto& context = whole.part_.root->context;
    whole.parts_.push_back(whole.make_part(type, corbel::dynamic::keep_value(type._reference(), context, copy)));
    if (octets_ > kMostOctets) in_.fail(corbel::base::Code::too_large);
  }
  void take(DynAny& whole, const CORBA::TypeCode& type) { take(whole, type, holders_.contains(type)); }

  void take_apart(DynAny& whole, const CORBA::TypeCode& type) {
    const TypeNode& node = type._resolved()._node();
    if (!is_value_kind(node.kind)) {
      Ref part = whole.make_part(type, {});
      fill(*part);
      return whole.parts_.push_back(std::move(part));
    }
    corbel::cdr::ValueReader reader(in_);
    const ValueHeader header = reader.begin();
    if (!in_.ok()) return;
    if (header.kind == ValueHeader::Kind::known) return take_known(whole, node, header.position);
    Ref part = whole.make_part(type, {});
    fill_value(*part, reader, header);
    part->expanded_ = in_.ok();
    whole.parts_.push_back(std::move(part));
  }

  void take_known(DynAny& whole, const TypeNode& node, std::size_t position) {
    const auto known = values_.find(position);
    if (known == values_.end() || !corbel::dynamic::is_or_derives_from(known->second->node(), node.id)) {
      return in_.fail(corbel::base::Code::unsupported);
    }
    whole.parts_.push_back(known->second);
  }

  void fill_value(DynAny& whole, corbel::cdr::ValueReader& reader, const ValueHeader& header) {
    const TypeNode& node = whole.node();
    whole.null_ = header.kind == ValueHeader::Kind::null;
    if (whole.null_ || !in_.ok()) return;
    values_.emplace(header.position, Ref(whole.shared_from(&whole)));
    if (!header.ids.empty() && header.ids.front() != node.id) {
      // Only chunks show where a derived type's state ends.
      const bool listed = std::find(header.ids.begin(), header.ids.end(), node.id) != header.ids.end();
      if (!listed || !header.chunked) return in_.fail(corbel::base::Code::unsupported);
      whole.part_.root->truncated = true;
    }
    if (node.kind == TCKind::tk_value_box) {
      take(whole, *node.content);
    } else {
      for (const TypeMember* member : corbel::dynamic::members_of(node)) take(whole, *member->type);
    }
    reader.end(header);
  }

  void fill_plain(DynAny& whole) {
    const TypeNode& node = whole.node();
    if (node.kind == TCKind::tk_except) in_.get_plain_string();
    if (node.kind == TCKind::tk_union) {
      Decoder ahead = in_;
      whole.active_ = corbel::dynamic::selected_member(node, corbel::dynamic::get_label(ahead, *node.content));
      take(whole, *node.content);
      if (whole.active_ >= 0) take(whole, *node.members[static_cast<std::size_t>(whole.active_)].type);
      return;
    }
    for (const TypeMember& member : node.members) take(whole, *member.type);
    if (node.content == nullptr) return;
    const bool with_values = holders_.contains(*node.content);
    const std::uint32_t count = node.kind == TCKind::tk_sequence ? in_.get<std::uint32_t>() : node.length;
    whole.check_room(count);
    for (std::uint32_t i = 0; i < count && in_.ok(); ++i) take(whole, *node.content, with_values);
  }

  Decoder& in_;
  const ValueHolders holders_;
  std::size_t octets_ = 0;
  std::unordered_map<std::size_t, Ref> values_;  // by the position of their tags
};

bool DynAny::has_parts() const noexcept {
  switch (node().kind) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_union:
    case TCKind::tk_sequence:
    case TCKind::tk_array:
    case TCKind::tk_value:
    case TCKind::tk_event:
    case TCKind::tk_value_box:
      return true;
    default:
      return false;
  }
}

DynAny::DynAny(corbel::dynamic::DynPart part) noexcept : part_(std::move(part)) {
  part_.root->parts.fetch_add(1, std::memory_order_relaxed);
}

DynAny::~DynAny() {
  part_.root->parts.fetch_sub(1, std::memory_order_relaxed);
}

/// Throws IMP_LIMIT if there would be too many components.
void DynAny::check_room(std::size_t more) const {
  using corbel::dynamic::DynRoot;
  const std::size_t all = part_.root->parts.load(std::memory_order_relaxed);
  if (all <= DynRoot::kMostParts && more <= DynRoot::kMostParts - all) return;
  throw CORBA::IMP_LIMIT(corbel::corba::vendor_minor(corbel::base::Stage::decode, corbel::base::Code::too_large),
                         CORBA::CompletionStatus::COMPLETED_NO,
                         "a DynAny with its components, and theirs, is at most " + std::to_string(DynRoot::kMostParts) +
                             "; get_..._seq and insert_..._seq need none");
}

DynAny::Ref DynAny::make_part(const CORBA::TypeCode& type, CORBA::Any value) const {
  check_room(1);
  return corbel::dynamic::make_dyn_any({type._reference(), std::move(value), part_.root});
}

CORBA::Any DynAny::default_value(const CORBA::TypeCode& type) const {
  return corbel::dynamic::keep_value(type._reference(), part_.root->context,
                                     [&](Encoder& out) { corbel::dynamic::put_default(out, type); });
}

DynAny::Parts& DynAny::parts() {
  check();
  if (!expanded_) expand();
  if (node().kind == TCKind::tk_union) follow_discriminator();
  return parts_;
}

/// Takes the value apart.
void DynAny::expand() {
  try {
    part_.value._decode_value([this](Decoder& in) {
      adopt(in, *part_.root);
      Expansion(in, *part_.type).fill(*this);
    });
  } catch (...) {
    release();
    throw;
  }
}

/// The application may have changed the discriminator, which is a component like any other.
void DynAny::follow_discriminator() {
  std::int32_t selected = -1;
  parts_[0]->read([&](Decoder& in) {
    selected = corbel::dynamic::selected_member(node(), corbel::dynamic::get_label(in, *node().content));
  });
  if (selected == active_) return;
  active_ = selected;
  parts_.resize(1);
  if (selected < 0) return;
  const CORBA::TypeCode& type = *node().members[static_cast<std::size_t>(selected)].type;
  parts_.push_back(make_part(type, default_value(type)));
}

std::int32_t DynAny::active() {
  (void)parts();
  return active_;
}

bool DynAny::null() {
  (void)parts();
  return null_;
}

bool DynAny::_truncates() {
  if (Expansion::ValueHolders(*part_.type).contains(*part_.type)) (void)parts();
  return part_.root->truncated;
}

/// Within one message a value is known by its DynAny.
void DynAny::_encode(Encoder& out) {
  check();
  const bool value = is_value_kind(node().kind);
  if (value && corbel::cdr::ValueWriter(out).put_known(this)) return;
  if (!expanded_) return part_.value._encode_value(out);
  if (value && null_) return corbel::cdr::ValueWriter(out).put_null();
  auto& components = parts();
  put_whole(out, components.size(), [&](Encoder& to) {
    for (const auto& component : components) component->_encode(to);
  });
}

void DynAny::put_whole(Encoder& out, std::size_t count, corbel::base::FunctionRef<void(Encoder&)> components) {
  if (node().kind == TCKind::tk_except) out.put_plain_string(node().id);
  if (node().kind == TCKind::tk_sequence) out.put_count(count);
  if (!is_value_kind(node().kind)) return components(out);
  corbel::cdr::ValueWriter writer(out);
  const auto ids = corbel::dynamic::truncatable_ids(node());
  const bool chunked = writer.begin(this, ids, ids.size() > 1);
  if (out.ok()) components(out);
  writer.end(chunked);
}

void DynAny::write_whole(std::size_t count, corbel::base::FunctionRef<void(Encoder&)> components) {
  write([&](Encoder& out) { put_whole(out, count, components); });
}

}  // namespace DynamicAny
