// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <algorithm>
#include <random>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encapsulation.hpp"

namespace corbel::tracing {
namespace {

std::mt19937_64& random_source() {
  // Every process and thread its own: ids must not meet those of others that were started at the same time.
  thread_local std::mt19937_64 source = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return source;
}

template <std::size_t N>
bool is_zero(const std::array<std::uint8_t, N>& id) {
  return std::all_of(id.begin(), id.end(), [](std::uint8_t octet) { return octet == 0; });
}

template <std::size_t N>
void draw(std::array<std::uint8_t, N>& id) {
  do {
    for (auto& octet : id) octet = static_cast<std::uint8_t>(random_source()());
  } while (is_zero(id));
}

/// Lower case only, as the recommendation has it.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

template <std::size_t N>
bool read_hex(std::string_view text, std::array<std::uint8_t, N>& id) {
  for (std::size_t i = 0; i < N; ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    id[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Context begin_context(const Context* parent, double share) {
  Context context;
  draw(context.span);
  if (parent != nullptr) {
    context.trace = parent->trace;
    context.sampled = parent->sampled;
    context.state = parent->state;
  } else {
    draw(context.trace);
    context.sampled = std::uniform_real_distribution<double>(0, 1)(random_source()) < share;
  }
  return context;
}

std::string to_traceparent(const Context& context) {
  return "00-" + hex(context.trace) + "-" + hex(context.span) + (context.sampled ? "-01" : "-00");
}

std::optional<Context> from_traceparent(std::string_view text) {
  constexpr std::size_t kSize = 55;
  std::array<std::uint8_t, 1> version{}, flags{};
  Context context;
  if (text.size() < kSize || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  if (!read_hex(text, version) || !read_hex(text.substr(3), context.trace) ||
      !read_hex(text.substr(36), context.span) || !read_hex(text.substr(53), flags)) {
    return std::nullopt;
  }
  if (version[0] == 0xff || (version[0] == 0 && text.size() != kSize)) return std::nullopt;
  if (text.size() > kSize && text[kSize] != '-') return std::nullopt;
  if (is_zero(context.trace) || is_zero(context.span)) return std::nullopt;
  context.sampled = (flags[0] & 1) != 0;
  return context;
}

std::vector<std::uint8_t> to_octets(const Context& context) {
  const auto data = cdr::encapsulate([&](cdr::Encoder& out) {
    out.put_plain_string(to_traceparent(context));
    out.put_plain_string(context.state);
  });
  return data ? std::vector<std::uint8_t>(data->begin(), data->end()) : std::vector<std::uint8_t>();
}

std::optional<Context> from_octets(std::span<const std::uint8_t> octets) {
  auto in = cdr::Decoder::from_encapsulation(octets);
  const std::string_view parent = in.get_plain_string();
  if (!in.ok()) return std::nullopt;
  auto context = from_traceparent(parent);
  if (!context) return std::nullopt;
  const std::string_view state = in.get_plain_string();
  if (in.ok() && state.size() <= kMostState && is_printable(state)) context->state = state;
  return context;
}

}  // namespace corbel::tracing
