// SPDX-License-Identifier: Apache-2.0
// The context of a trace, as W3C's Trace Context has it, and how it lies in a service context.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace corbel::tracing {

/// Of the service context: "CBLT". Its data is an encapsulation of two strings, `traceparent` and `tracestate`.
inline constexpr std::uint32_t kContextId = 0x43424c54;

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

/// Immutable once it is shared.
struct Context {
  TraceId trace{};
  SpanId span{};
  bool sampled = false;
  std::string state;  ///< `tracestate`: other systems' own, passed on as it came
};
using ContextPtr = std::shared_ptr<const Context>;

/// Beyond this a `tracestate` is left out, as the recommendation allows.
inline constexpr std::size_t kMostState = 512;

/// A new one below `parent`, or the first of a trace of which `share` are sampled.
Context begin_context(const Context* parent, double share);

template <std::size_t N>
std::string hex(const std::array<std::uint8_t, N>& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const auto octet : id) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
  }
  return text;
}

std::string to_traceparent(const Context& context);
/// None if the text is no traceparent of version 00, or of a later one that begins like it.
std::optional<Context> from_traceparent(std::string_view text);

std::vector<std::uint8_t> to_octets(const Context& context);
/// None if they make no sense. A state that does not is left out.
std::optional<Context> from_octets(std::span<const std::uint8_t> octets);

}  // namespace corbel::tracing
