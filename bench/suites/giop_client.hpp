// SPDX-License-Identifier: Apache-2.0
// The least GIOP client: holds thousands of connections to any ORB's server at almost no cost of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Where an object is, from the first Internet profile of its reference.
struct GiopTarget {
  std::string host;
  std::uint16_t port = 0;
  std::vector<std::uint8_t> key;
};

/// Reads "IOR:...". Throws std::runtime_error if it is malformed or has no Internet profile.
GiopTarget read_reference(const std::string& reference);

/// An object key as URLs have it (corbaloc), every octet escaped.
std::string url_key(const std::vector<std::uint8_t>& key);

/// A GIOP 1.2 request for a two-way operation without arguments and result.
std::vector<std::uint8_t> void_request(const GiopTarget& target, const std::string& operation);

/// One connection; blocking. Closing it leaves no trace in the kernel's tables (it resets).
class GiopConnection {
 public:
  /// Throws std::runtime_error if it cannot connect.
  explicit GiopConnection(const GiopTarget& target);
  ~GiopConnection();
  GiopConnection(GiopConnection&& other) noexcept;
  GiopConnection& operator=(GiopConnection&&) = delete;

  /// Sends the request and waits for its reply. Throws std::runtime_error unless that reports success.
  void call(const std::vector<std::uint8_t>& request) const;

 private:
  int handle_;
};

}  // namespace bench
