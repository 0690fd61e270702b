// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/shared_ptr.hpp"

namespace corbel::connection {

class Connection;
using ConnectionPtr = base::IntrusivePtr<Connection>;

/// A connection that its peer opened and lends for requests the other way: to objects of the peer at endpoints which it
/// cannot be connected to, perhaps, and which it has named (CORBA 3.3 part 2, 9.8). What a peer says of itself is not
/// to be trusted: a request may go this way only for a reference that came from there. The connection keeps it until it
/// ends, and so does every part of the ORB that may yet use it. Thread-safe.
class Lender : public base::SharedFromThis {
 public:
  static constexpr std::size_t kMostEndpoints = 32;
  static constexpr std::size_t kLongestHost = 255;

  explicit Lender(Connection& connection);
  virtual ~Lender();
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  /// One more endpoint ("tcp://host:4000"). False if there are too many.
  bool add(std::string endpoint);
  /// The connection if it has not ended and is lent for that endpoint; else null.
  ConnectionPtr lends(std::string_view endpoint) const;
  /// "tcp", of the connection.
  const std::string& scheme() const noexcept { return scheme_; }
  /// The connection has ended.
  void end() noexcept;

 private:
  const std::string scheme_;
  mutable std::mutex mutex_;  // guards what follows
  ConnectionPtr connection_;
  std::vector<std::string> endpoints_;
};
using LenderPtr = base::SharedPtr<Lender>;

}  // namespace corbel::connection
