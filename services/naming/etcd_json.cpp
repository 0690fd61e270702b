// SPDX-License-Identifier: Apache-2.0
#include "etcd_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

namespace corbel::naming {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Json of(const EtcdRange& range) {
  Json json = {{"key", to_base64(range.key)}};
  if (!range.end.empty()) json["range_end"] = to_base64(range.end);
  if (range.limit != 0) json["limit"] = std::to_string(range.limit);
  if (range.revision != 0) json["revision"] = std::to_string(range.revision);
  return json;
}

Json of(const EtcdCompare& compare) {
  Json json = {{"key", to_base64(compare.key)}, {"result", "EQUAL"}};
  if (compare.what == EtcdCompare::What::value) {
    json["target"] = "VALUE";
    json["value"] = to_base64(compare.value);
  } else {
    json["target"] = "MOD";
    json["mod_revision"] = std::to_string(compare.revision);
  }
  return json;
}

/// A member of an object; nullptr if this is none, or has no such member.
const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

/// Numbers of 64 bits are texts there, and left out where they are 0.
template <class Number>
std::optional<Number> number_of(const Json& json, const char* name) {
  const Json* const value = member(json, name);
  if (value == nullptr) return Number{0};
  if (!value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  Number number{0};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

std::optional<std::string> octets_of(const Json& json, const char* name) {
  const Json* const value = member(json, name);
  if (value == nullptr) return std::string();
  return value->is_string() ? from_base64(value->get_ref<const std::string&>()) : std::nullopt;
}

std::optional<std::vector<EtcdPair>> pairs_of(const Json& range) {
  std::vector<EtcdPair> pairs;
  const Json* const list = member(range, "kvs");
  if (list == nullptr) return pairs;
  if (!list->is_array()) return std::nullopt;
  for (const Json& each : *list) {
    auto key = octets_of(each, "key");
    auto value = octets_of(each, "value");
    const auto revision = number_of<std::int64_t>(each, "mod_revision");
    if (!key || !value || !revision) return std::nullopt;
    pairs.push_back({std::move(*key), std::move(*value), *revision});
  }
  return pairs;
}

}  // namespace

std::string to_json(const EtcdTransaction& transaction) {
  Json compares = Json::array();
  Json success = Json::array();
  Json failure = Json::array();
  for (const EtcdCompare& each : transaction.compares) compares.push_back(of(each));
  for (const EtcdRange& each : transaction.ranges) success.push_back({{"request_range", of(each)}});
  for (const EtcdRange& each : transaction.removals) success.push_back({{"request_delete_range", of(each)}});
  for (const EtcdPair& each : transaction.puts) {
    success.push_back({{"request_put", {{"key", to_base64(each.key)}, {"value", to_base64(each.value)}}}});
  }
  for (const EtcdRange& each : transaction.else_ranges) failure.push_back({{"request_range", of(each)}});
  return Json{{"compare", compares}, {"success", success}, {"failure", failure}}.dump();
}

std::optional<EtcdReply> reply_from_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const Json* const header = member(json, "header");
  if (header == nullptr) return std::nullopt;
  const auto cluster = number_of<std::uint64_t>(*header, "cluster_id");
  const auto revision = number_of<std::int64_t>(*header, "revision");
  if (!cluster || *cluster == 0 || !revision || *revision <= 0) return std::nullopt;
  EtcdReply reply;
  reply.cluster = *cluster;
  reply.answer.revision = *revision;
  if (const Json* const succeeded = member(json, "succeeded")) {
    if (!succeeded->is_boolean()) return std::nullopt;
    reply.answer.succeeded = succeeded->get<bool>();
  }
  const Json* const responses = member(json, "responses");
  if (responses == nullptr) return reply;
  if (!responses->is_array()) return std::nullopt;
  for (const Json& each : *responses) {
    const Json* const range = member(each, "response_range");
    if (range == nullptr) continue;
    auto pairs = pairs_of(*range);
    if (!pairs) return std::nullopt;
    reply.answer.ranges.push_back(std::move(*pairs));
  }
  return reply;
}

std::string login_to_json(const std::string& user, const std::string& password) {
  // What is no UTF-8 cannot be a name or a password there.
  return Json{{"name", user}, {"password", password}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::string> token_from_json(const std::string& text) {
  constexpr std::size_t kMost = 16'384;
  const Json json = Json::parse(text, nullptr, false);
  const Json* const token = member(json, "token");
  if (token == nullptr || !token->is_string()) return std::nullopt;
  const auto& found = token->get_ref<const std::string&>();
  const bool is_good = !found.empty() && found.size() <= kMost &&
                       std::all_of(found.begin(), found.end(), [](char each) { return each > ' ' && each < 127; });
  return is_good ? std::optional(found) : std::nullopt;
}

EtcdRefusal refusal_from_json(const std::string& text, long status) {
  constexpr std::size_t kMost = 200;
  EtcdRefusal refusal{0, "HTTP status " + std::to_string(status)};
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {  // what stands before the gateway says a line of text
    const std::string line = text.substr(0, std::min(text.find('\n'), kMost));
    const bool is_text = std::all_of(line.begin(), line.end(), [](char each) { return each >= ' ' && each < 127; });
    if (is_text && !line.empty()) refusal.message += ": " + line;
  }
  const Json* const code = member(json, "code");
  const Json* const message = member(json, "message");
  if (code != nullptr && code->is_number_integer()) refusal.code = code->get<int>();
  if (message != nullptr && message->is_string()) {
    refusal.message = message->get_ref<const std::string&>().substr(0, kMost);
  }
  return refusal;
}

std::string to_base64(std::string_view octets) {
  std::string text;
  text.reserve((octets.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < octets.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < octets.size() ? static_cast<unsigned char>(octets[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= octets.size() ? kBase64[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  static const std::array<std::int8_t, 256> kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kBase64.size(); ++i) {
      values[static_cast<unsigned char>(kBase64[i])] = static_cast<std::int8_t>(i);
    }
    return values;
  }();
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with("=") ? 1 : 0);
  std::string octets;
  octets.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int value = i < text.size() - padding ? kValues[static_cast<unsigned char>(text[i])] : 0;
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (i % 4 == 3) {
      for (int shift = 16; shift >= 0; shift -= 8) octets += static_cast<char>(bits >> shift & 0xFF);
      bits = 0;
    }
  }
  octets.resize(octets.size() - padding);
  return octets;
}

}  // namespace corbel::naming
