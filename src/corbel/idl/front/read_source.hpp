// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace corbel::idl::front {

/// Most octets that one file may have.
constexpr std::size_t kMaxFileText = 16U << 20;

/// What the preprocessor says of octets that no text has; the front end gives them an identifier and a column.
constexpr std::string_view kNulOctet = "a NUL octet: IDL is written in ASCII, ISO 8859-1 or UTF-8";
constexpr std::string_view kLoneReturn = "a carriage return (CR) alone: lines end with LF or CR LF";
constexpr std::string_view kTooMuchText = "more than 16 MiB of text in one file";

/// A file as the preprocessor can read it. Lines keep their numbers.
struct Readable {
  std::string text;
  struct Finding {
    std::uint32_t line;     ///< from 1
    std::string_view what;  ///< one of the constants above
  };
  std::vector<Finding> findings;  ///< the first of each kind
};

/// Takes the CR from CR LF and the byte order mark of UTF-8 from the beginning, ends the last line, and spells line
/// markers as the preprocessor passes them on. What stops or misleads it becomes a blank and a finding.
Readable make_readable(std::string_view octets);

/// Where the preprocessor's child writes `file:line: error: what` when it reads a file; null outside a child.
extern void (*report_unreadable)(std::string_view text);

}  // namespace corbel::idl::front
