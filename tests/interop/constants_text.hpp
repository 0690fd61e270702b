// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace interop {

/// The constants of interop.idl as text; called with the constants as the ORB at hand mapped them.
template <class Text, class Wide>
std::string render_constants(bool yes, char character, unsigned octet, int short_value, unsigned ushort_value,
                             int32_t long_value, uint32_t ulong_value, int64_t longlong, uint64_t ulonglong,
                             double float_value, double double_value, wchar_t wide_char, const Text& text,
                             const Wide& wide, uint32_t bound, unsigned colour) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, "%d %c %u %d %u %d %u %lld %llu %a %a U+%04X <", yes, character, octet,
                short_value, ushort_value, long_value, ulong_value, static_cast<long long>(longlong),
                static_cast<unsigned long long>(ulonglong), float_value, double_value,
                static_cast<unsigned>(wide_char));
  std::string all = buffer;
  all += std::string(text) + ">";
  for (wchar_t c : std::wstring(wide)) {
    std::snprintf(buffer, sizeof buffer, " U+%04X", static_cast<unsigned>(c));
    all += buffer;
  }
  return all + " " + std::to_string(bound) + " " + std::to_string(colour);
}

/// What Basic::mixed answers.
inline std::string render_mixed(unsigned char a, double b, char c, int64_t d, bool e, int16_t f, const std::string& g,
                                int32_t h) {
  const double sum = a + b + c + (e ? 1 : 0) + f + h;
  return std::to_string(static_cast<int64_t>(sum * 8)) + "/" + std::to_string(d) + "/" + g;
}

}  // namespace interop
