// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"

/// Options as rows of a table, each of which moves one member of a struct of settings. The ORB has such a table, and
/// each transport may have one of its own (transport::Factory::options).
namespace corbel::base {

/// Decimal digits, twelve at most; false for anything else.
CORBEL_API bool read_number(std::string_view text, std::uint64_t& number);
/// on, off, true, false, yes, no, 1 or 0; false, and nothing changes, for anything else.
CORBEL_API bool read_switch(std::string_view text, bool& value);
/// CORBEL_CONNECT_TIMEOUT for ConnectTimeout.
CORBEL_API std::string environment_name(std::string_view option);

/// A number between OptionRow::least and most.
template <class V>
struct NumberMember {
  std::uint32_t& (*of)(V& values);
};
/// The same for an int.
template <class V>
struct IntMember {
  int& (*of)(V& values);
};
/// A duration given in milliseconds, or in microseconds if the row's unit is "us".
template <class V>
struct DurationMember {
  Duration& (*of)(V& values);
};
/// What read_switch() reads.
template <class V>
struct SwitchMember {
  bool& (*of)(V& values);
};
/// Any text.
template <class V>
struct TextMember {
  std::string& (*of)(V& values);
};
/// Read by its own function, which returns false, and changes nothing, if the text is not legal.
template <class V>
struct ParsedMember {
  bool (*set)(V& values, std::string_view text);
  std::string_view legal;
  std::string_view default_text;
};

/// One option: everything about it in one place. The texts are literals.
template <class V>
struct OptionRow {
  std::string_view name;  ///< letters and digits, a capital first; without "-ORB"
  std::variant<NumberMember<V>, IntMember<V>, DurationMember<V>, SwitchMember<V>, TextMember<V>, ParsedMember<V>>
      member;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view unit{};
  std::string_view help{};
  void (*clear)(V& values) = nullptr;  ///< for repeatable options: forgets what a weaker source said
};

namespace option_rows {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

template <auto kMember>
struct Of;
template <class V, class T, T V::*kMember>
struct Of<kMember> {
  static T& get(V& values) { return values.*kMember; }
};

template <class V>
Duration unit_of(const OptionRow<V>& row) {
  return row.unit == "us" ? Duration(std::chrono::microseconds(1)) : std::chrono::milliseconds(1);
}

}  // namespace option_rows

/// For rows: `SwitchMember<Settings>{member_v<&Settings::loopback>}`.
template <auto kMember>
inline constexpr auto member_v = &option_rows::Of<kMember>::get;

/// Moves the row's member; false, and nothing changes, if the text is not legal.
template <class V>
bool set_option(V& values, const OptionRow<V>& row, std::string_view text) {
  std::uint64_t number = 0;
  const auto in_range = [&] { return read_number(text, number) && number >= row.least && number <= row.most; };
  return std::visit(
      option_rows::Overloaded{
          [&](const NumberMember<V>& m) {
            return in_range() && (m.of(values) = static_cast<std::uint32_t>(number), true);
          },
          [&](const IntMember<V>& m) { return in_range() && (m.of(values) = static_cast<int>(number), true); },
          [&](const DurationMember<V>& m) {
            return in_range() && (m.of(values) = static_cast<std::int64_t>(number) * option_rows::unit_of(row), true);
          },
          [&](const SwitchMember<V>& m) { return read_switch(text, m.of(values)); },
          [&](const TextMember<V>& m) { return m.of(values) = text, true; },
          [&](const ParsedMember<V>& m) { return m.set(values, text); },
      },
      row.member);
}

/// "a number from 1 to 64" and the like.
template <class V>
std::string legal_values(const OptionRow<V>& row) {
  if (const auto* parsed = std::get_if<ParsedMember<V>>(&row.member)) return std::string(parsed->legal);
  if (std::holds_alternative<SwitchMember<V>>(row.member)) return "on or off";
  if (std::holds_alternative<TextMember<V>>(row.member)) return "any text";
  std::string text = "a number from " + std::to_string(row.least) + " to " + std::to_string(row.most);
  return row.unit.empty() ? text : text.append(" (").append(row.unit).append(")");
}

/// What these values say, as one would write it; "none" if empty. Of a ParsedMember what the row says.
template <class V>
std::string default_value(const OptionRow<V>& row, V values = {}) {
  return std::visit(
      option_rows::Overloaded{
          [&](const NumberMember<V>& m) { return std::to_string(m.of(values)); },
          [&](const IntMember<V>& m) { return std::to_string(m.of(values)); },
          [&](const DurationMember<V>& m) { return std::to_string(m.of(values) / option_rows::unit_of(row)); },
          [&](const SwitchMember<V>& m) { return std::string(m.of(values) ? "on" : "off"); },
          [&](const TextMember<V>& m) { return m.of(values).empty() ? std::string("none") : m.of(values); },
          [&](const ParsedMember<V>& m) { return std::string(m.default_text); },
      },
      row.member);
}

/// An option as those see it who do not know the type of its values. What only help and errors show is made when it is
/// asked for: programs start with a hundred of these.
struct Option {
  std::string_view name;
  std::function<std::string()> legal;
  std::function<std::string()> default_text;
  std::string_view help;
  std::function<bool(std::string_view)> set;  ///< false, and nothing changes, if the text is not legal
  std::function<void()> clear;                ///< empty unless it is repeatable
};

/// The rows over these values; their defaults are the initial ones. Both have to outlive the list.
template <class V>
std::vector<Option> list_options(V& values, const V& initial,
                                 std::type_identity_t<std::span<const OptionRow<V>>> rows) {
  std::vector<Option> all;
  all.reserve(rows.size());
  for (const OptionRow<V>& row : rows) {
    Option option{row.name, {}, {}, row.help, {}, {}};
    option.legal = [&row] { return legal_values(row); };
    option.default_text = [&initial, &row] { return default_value(row, initial); };
    option.set = [&values, &row](std::string_view text) { return set_option(values, row, text); };
    if (row.clear != nullptr) option.clear = [&values, &row] { row.clear(values); };
    all.push_back(std::move(option));
  }
  return all;
}

/// Values with their rows, of whatever type they are.
class OptionSet {
 public:
  virtual ~OptionSet() = default;
  /// As long as this lives.
  virtual std::vector<Option> list() = 0;
};

/// Values of one type. The rows outlive it.
template <class V>
class OptionSetOf final : public OptionSet {
 public:
  OptionSetOf(V initial, std::span<const OptionRow<V>> rows)
      : values(initial), initial_(std::move(initial)), rows_(rows) {}
  std::vector<Option> list() override { return list_options(values, initial_, rows_); }

  V values;

 private:
  const V initial_;
  const std::span<const OptionRow<V>> rows_;
};

/// What Factory::options() returns: `values` is what holds where nothing is said.
template <class V>
std::unique_ptr<OptionSet> option_set(V values, std::type_identity_t<std::span<const OptionRow<V>>> rows) {
  return std::make_unique<OptionSetOf<V>>(std::move(values), rows);
}

}  // namespace corbel::base
