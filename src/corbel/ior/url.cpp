// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/url.hpp"

#include <algorithm>
#include <charconv>

// corbaloc and corbaname URLs (CORBA 3.3 part 2, 7.6.10):
//   (corbaloc|corbaname) ":" address {"," address} ["/" key] ["#" name]
namespace corbel::ior {
namespace {

constexpr std::string_view kDefaultKey = "NameService";
constexpr std::size_t kMaxAddresses = 64;

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool consume_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (lower(text[i]) != prefix[i]) return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

/// Characters of a key string that need no escape.
bool is_plain(char c) noexcept {
  return is_alphanumeric(c) || (c != '\0' && std::string_view(";/:?@&=+$,-_!~*'().").find(c) != std::string_view::npos);
}

/// Undoes %hh escapes; false on a bad escape or a character that should have been escaped.
bool unescape(std::string_view text, base::Bytes& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      base::Bytes octet;
      if (i + 2 >= text.size() || !base::from_hex(text.substr(i + 1, 2), octet)) return false;
      out.push_back(octet[0]);
      i += 2;
    } else if (is_plain(text[i])) {
      out.push_back(static_cast<base::Octet>(text[i]));
    } else {
      return false;
    }
  }
  return true;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) noexcept {
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && rest == end;
}

/// major "." minor "@", if there is one.
bool consume_version(std::string_view& text, Version& version) noexcept {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return true;
  const std::string_view number = text.substr(0, at);
  const std::size_t dot = number.find('.');
  if (dot == std::string_view::npos) return false;
  text.remove_prefix(at + 1);
  return parse_number(number.substr(0, dot), version.major) && parse_number(number.substr(dot + 1), version.minor) &&
         version.major == 1;
}

/// [version "@"] host [":" port], where host may be an IPv6 address in brackets, with a scope (RFC 4007: "%eth0").
bool parse_iiop_address(std::string_view text, UrlAddress& address) {
  if (!consume_version(text, address.version) || text.empty()) return false;
  std::string_view host;
  std::string_view scope;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    host = text.substr(1, close - 1);
    scope = host.substr(std::min(host.find('%'), host.size()));
    text.remove_prefix(close + 1);
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
  }
  address.host = host;
  host.remove_suffix(scope.size());
  if (scope.size() == 1 || scope.find_first_of("[% \t\r\n", 1) != std::string_view::npos) return false;
  if (host.empty() || host.find_first_of("[]% \t\r\n") != std::string_view::npos) return false;
  if (text.empty()) return true;
  return text.front() == ':' && parse_number(text.substr(1), address.port) && address.port != 0;
}

/// What ends an address. A UIOP rendezvous point is a path, so its key is set off by a bar; a group's address has a
/// stroke in it, no key, and perhaps a gateway behind a semicolon.
const char* ends_of(std::string_view scheme) noexcept {
  if (scheme == "miop") return ",;#";
  return scheme == "uiop" ? ",|#" : ",/#";
}

/// Reads one address up to the ',' that separates it from the next or the delimiter of the key; removes it from `text`.
bool consume_address(std::string_view& text, UrlAddress& address) {
  const std::size_t colon = text.find_first_of(":,/#|");
  if (colon == std::string_view::npos || text[colon] != ':') return false;
  address.scheme = text.substr(0, colon);
  for (char& c : address.scheme) {
    if (!is_alphanumeric(c) && c != '_' && c != '-' && c != '+' && c != '.') return false;
    c = lower(c);
  }
  if (address.scheme.empty()) address.scheme = "iiop";
  text.remove_prefix(colon + 1);
  std::string_view body = text.substr(0, text.find_first_of(ends_of(address.scheme)));
  text.remove_prefix(body.size());
  const bool named = body.starts_with('/') || body.starts_with('@');  // a path or an abstract name, without a version
  const bool has_version = address.scheme == "uiop" || address.scheme == "diop";
  if (has_version && !named && !consume_version(body, address.version)) return false;
  if (address.scheme == "iiop" || address.scheme == "ssliop") return parse_iiop_address(body, address);
  address.host = body;
  return address.scheme == "rir" ? body.empty() : !body.empty();
}

UrlFault consume_addresses(std::string_view& text, std::vector<UrlAddress>& addresses) {
  do {
    if (addresses.size() == kMaxAddresses) return UrlFault::bad_address;
    if (!consume_address(text, addresses.emplace_back())) return UrlFault::bad_address;
    const bool gateway = addresses.back().scheme == "miop" && text.starts_with(';');
    if (!gateway && !text.starts_with(',')) break;
    text.remove_prefix(1);
  } while (true);
  for (const UrlAddress& address : addresses) {
    if (address.scheme == "rir" && addresses.size() > 1) return UrlFault::bad_address;
  }
  return UrlFault::none;
}

/// What follows the addresses: the key and, in a corbaname, the name.
UrlFault parse_rest(std::string_view text, ObjectUrl& url) {
  const std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    base::Bytes name;
    if (!url.is_name || !unescape(text.substr(hash + 1), name)) return UrlFault::bad_specific_part;
    url.string_name = base::as_text(name);
    if (url.string_name.find('\0') != std::string::npos) return UrlFault::bad_specific_part;
    text = text.substr(0, hash);
  }
  if (!text.empty() && !unescape(text.substr(1), url.object_key)) return UrlFault::bad_specific_part;
  if (url.object_key.empty() && (url.is_name || url.addresses.front().scheme == "rir")) {
    const base::ConstByteSpan key = base::as_bytes(kDefaultKey);
    url.object_key.assign(key.begin(), key.end());
  }
  return UrlFault::none;
}

}  // namespace

bool begins_as_reference(std::string_view text) noexcept {
  return consume_prefix(text, "ior:") || consume_prefix(text, "corbaloc:") || consume_prefix(text, "corbaname:") ||
         consume_prefix(text, "file:");
}

base::Result<ObjectUrl> parse_object_url(std::string_view text, UrlFault& fault) {
  ObjectUrl url;
  if (consume_prefix(text, "corbaname:")) {
    url.is_name = true;
  } else if (!consume_prefix(text, "corbaloc:")) {
    fault = UrlFault::bad_scheme;
    return base::error(base::Stage::resolve, base::Code::unsupported);
  }
  fault = consume_addresses(text, url.addresses);
  if (fault == UrlFault::none) fault = parse_rest(text, url);
  if (fault != UrlFault::none) return base::error(base::Stage::resolve, base::Code::malformed);
  return url;
}

std::string escape_object_key(base::ConstByteSpan key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (is_plain(static_cast<char>(key[i]))) {
      text += static_cast<char>(key[i]);
    } else {
      text += '%' + base::to_hex(key.subspan(i, 1));
    }
  }
  return text;
}

}  // namespace corbel::ior
