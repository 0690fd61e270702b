// SPDX-License-Identifier: Apache-2.0
// Transactions as etcd's JSON gateway has them; for etcd_client alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "etcd_client.hpp"

namespace corbel::naming {

/// The body of a request to /v3/kv/txn.
std::string to_json(const EtcdTransaction& transaction);

/// What a member said.
struct EtcdReply {
  EtcdAnswer answer{};
  std::uint64_t cluster = 0;
};
/// Nothing if this is no answer to a transaction.
std::optional<EtcdReply> reply_from_json(const std::string& text);

/// The body of a request to /v3/auth/authenticate.
std::string login_to_json(const std::string& user, const std::string& password);
/// The token in its answer; nothing if there is none, or one that no header can hold.
std::optional<std::string> token_from_json(const std::string& text);

/// Why a member refused.
struct EtcdRefusal {
  int code = 0;  ///< as gRPC numbers them
  std::string message{};
};
EtcdRefusal refusal_from_json(const std::string& text, long status);

std::string to_base64(std::string_view octets);
/// Nothing if it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace corbel::naming
