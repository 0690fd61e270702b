// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/labels.hpp"

#include <algorithm>
#include <vector>

namespace corbel::dynamic {

using CORBA::TCKind;

void put_label(cdr::Encoder& out, const CORBA::TypeCode& discriminator, std::int64_t label) {
  switch (discriminator._resolved()._node().kind) {
    case TCKind::tk_boolean:
      return out.put(label != 0);
    case TCKind::tk_char:
      return out.put(static_cast<char>(label));
    case TCKind::tk_octet:
      return out.put(static_cast<std::uint8_t>(label));
    case TCKind::tk_wchar:
      return out.put_wchar(static_cast<wchar_t>(label));
    case TCKind::tk_short:
    case TCKind::tk_ushort:
      return out.put(static_cast<std::int16_t>(label));
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_enum:
      return out.put(static_cast<std::int32_t>(label));
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
      return out.put(label);
    default:
      return out.fail(base::Code::bad_argument);
  }
}

std::int64_t get_label(cdr::Decoder& in, const CORBA::TypeCode& discriminator) {
  switch (discriminator._resolved()._node().kind) {
    case TCKind::tk_boolean:
      return in.get<bool>() ? 1 : 0;
    case TCKind::tk_char:
      return static_cast<unsigned char>(in.get<char>());
    case TCKind::tk_octet:
      return in.get<std::uint8_t>();
    case TCKind::tk_wchar:
      return static_cast<std::int64_t>(in.get_wchar());
    case TCKind::tk_short:
      return in.get<std::int16_t>();
    case TCKind::tk_ushort:
      return in.get<std::uint16_t>();
    case TCKind::tk_long:
      return in.get<std::int32_t>();
    case TCKind::tk_ulong:
    case TCKind::tk_enum:
      return in.get<std::uint32_t>();
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong:
      return in.get<std::int64_t>();
    default:
      in.fail(base::Code::malformed);
      return 0;
  }
}

namespace {

/// How many discriminator values there are, as far as that matters: at least one more than labels could use up.
std::int64_t label_count(const TypeNode& discriminator, std::size_t labels) noexcept {
  switch (discriminator.kind) {
    case TCKind::tk_boolean:
      return 2;
    case TCKind::tk_char:
    case TCKind::tk_octet:
      return 256;
    case TCKind::tk_enum:
      return static_cast<std::int64_t>(discriminator.members.size());
    case TCKind::tk_wchar:
    case TCKind::tk_short:
    case TCKind::tk_ushort:
      return 32768;
    default:
      return static_cast<std::int64_t>(labels) + 1;
  }
}

/// Index of the member with this label, -1 if there is none.
std::int32_t labelled_member(const TypeNode& node, std::int64_t label) noexcept {
  if (!node.labels.empty()) {
    const auto found = std::lower_bound(node.labels.begin(), node.labels.end(), label,
                                        [](const LabelIndex& at, std::int64_t wanted) { return at.label < wanted; });
    return found != node.labels.end() && found->label == label ? static_cast<std::int32_t>(found->member) : -1;
  }
  for (std::size_t i = 0; i < node.members.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (index != node.default_index && node.members[i].label == label) return index;
  }
  return -1;
}

/// All labels in ascending order, but that of the default member.
std::vector<std::int64_t> sorted_labels(const TypeNode& node) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < node.members.size(); ++i) {
    if (static_cast<std::int32_t>(i) != node.default_index) labels.push_back(node.members[i].label);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

/// The smallest number from 0 on that is none of the labels. As each label is there once, it is at its own place if and
/// only if none is missing before it.
std::int64_t first_gap(std::span<const LabelIndex> labels) noexcept {
  const auto begin =
      std::partition_point(labels.begin(), labels.end(), [](const LabelIndex& at) { return at.label < 0; });
  const auto gap =
      std::partition_point(begin, labels.end(), [&begin](const LabelIndex& at) { return at.label == &at - &*begin; });
  return gap - begin;
}

/// The same of few labels, or those of a constant, which are not kept sorted.
std::int64_t first_gap(const TypeNode& node) {
  std::int64_t unused = 0;
  for (const std::int64_t label : sorted_labels(node)) {
    if (label == unused) ++unused;
  }
  return unused;
}

}  // namespace

std::int32_t selected_member(const TypeNode& node, std::int64_t label) noexcept {
  const std::int32_t index = labelled_member(node, label);
  return index >= 0 ? index : node.default_index;
}

std::optional<std::int64_t> unused_label(const TypeNode& node) {
  const std::int64_t count = label_count(node.content->_resolved()._node(), node.members.size());
  const std::int64_t unused = node.labels.empty() ? first_gap(node) : first_gap(node.labels);
  return unused < count ? std::optional(unused) : std::nullopt;
}

}  // namespace corbel::dynamic
