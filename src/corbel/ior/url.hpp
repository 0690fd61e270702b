// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corbel/ior/ior.hpp"

namespace corbel::ior {

/// One address of a corbaloc URL: `iiop:` and `ssliop:` addresses have host and port; other schemes keep their text.
struct UrlAddress {
  std::string scheme;     ///< "iiop", "rir", "uiop", or any other word before the colon
  Version version{1, 0};  ///< corbaloc's default is 1.0 (7.6.10.2)
  std::string host;       ///< iiop, ssliop: host without brackets; uiop: the path; others: the text after the colon
  std::uint16_t port = 2809;
};

/// A parsed corbaloc or corbaname URL (7.6.10).
struct ObjectUrl {
  std::vector<UrlAddress> addresses;
  base::Bytes object_key;   ///< unescaped; empty if the URL has none
  std::string string_name;  ///< corbaname: what follows '#', unescaped
  bool is_name = false;     ///< corbaname
};

/// Why a URL was refused; maps to BAD_PARAM minors 7 to 10.
enum class UrlFault { none, bad_scheme, bad_address, bad_specific_part, other };

/// True if a text begins as one of the forms of references does: IOR:, corbaloc:, corbaname: or file:.
CORBEL_API bool begins_as_reference(std::string_view text) noexcept;
/// Parses "corbaloc:" and "corbaname:" URLs. On failure `fault` says why (never none).
CORBEL_API base::Result<ObjectUrl> parse_object_url(std::string_view url, UrlFault& fault);
/// Object key octets as the escaped key string of a corbaloc URL.
CORBEL_API std::string escape_object_key(base::ConstByteSpan key);

}  // namespace corbel::ior
