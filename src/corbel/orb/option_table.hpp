// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "corbel/orb/options.hpp"

namespace corbel::orb {

/// A member that is read as a decimal number between OptionRow::least and most.
struct NumberMember {
  std::uint32_t& (*of)(Options& options);
};
/// The same for an int of the transport options.
struct IntMember {
  int& (*of)(Options& options);
};
/// A duration given in milliseconds, or in microseconds if the row's unit is "us".
struct DurationMember {
  base::Duration& (*of)(Options& options);
};
/// on, off, true, false, yes, no, 1 or 0.
struct SwitchMember {
  bool& (*of)(Options& options);
};
/// Any text.
struct TextMember {
  std::string& (*of)(Options& options);
};
/// Read by its own function, which returns false if the value is not legal.
struct ParsedMember {
  bool (*set)(Options& options, std::string_view value);
  std::string_view legal;
  std::string_view default_text;
};

/// One option: everything about it in one place.
struct OptionRow {
  std::string_view name;  ///< without "-ORB"
  std::variant<NumberMember, IntMember, DurationMember, SwitchMember, TextMember, ParsedMember> member;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view unit;
  std::string_view help;
  void (*clear)(Options& options) = nullptr;  ///< for repeatable options: forgets what a weaker source said
};

/// All options, in the order of their documentation.
std::span<const OptionRow> option_table();

/// Sets the member; false if the value is not legal.
bool set_option(Options& options, const OptionRow& row, std::string_view value);
/// "a number from 1 to 64" and the like.
std::string legal_values(const OptionRow& row);
/// The default, as one would write it; "none" if empty.
std::string default_value(const OptionRow& row);
/// CORBEL_CONNECT_TIMEOUT for ConnectTimeout.
std::string environment_name(const OptionRow& row);

/// One line per option, for -ORBHelp.
std::string options_help();
/// docs/options.md.
std::string options_document();

}  // namespace corbel::orb
