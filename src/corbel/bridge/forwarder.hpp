// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "corbel/bridge/asked.hpp"
#include "corbel/bridge/attached.hpp"
#include "corbel/connection/request_handler.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::bridge {

/// What a bridge's ORB does with the requests it receives. It is the ORB's from when its first object is added; before
/// that it refuses all. Thread-safe.
class Forwarder final : public connection::RequestHandler {
 public:
  explicit Forwarder(Settings settings);

  void on_request(connection::Connection& client, const messaging::IncomingRequest& request,
                  cdr::Decoder& body) noexcept override;
  void on_locate_request(connection::Connection& client,
                         const messaging::IncomingLocateRequest& request) noexcept override;
  void on_cancel(connection::Connection& client, const messaging::Origin& origin) noexcept override;
  void on_end(connection::Connection& client) noexcept override;

  /// What Bridge::add() does, and throws.
  std::string add(CORBA::ORB& orb, const std::string& reference, const std::string& key);
  Counts counts() const;

 private:
  template <class... Message>
  void forward(connection::Connection& client, base::ConstByteSpan key, const Message&... message);
  void refuse(connection::Connection& client, const Asked& asked, const corba::SystemFailure& failure);
  Attached& attach(orb::Core& core);

  const Settings settings_;
  Counters counters_;
  ReferenceTable table_;
  Pending pending_;
  std::mutex mutex_;  // guards what follows
  std::optional<Attached> attachment_;
  std::atomic<Attached*> attached_{nullptr};  // the same, once it is there
};

}  // namespace corbel::bridge
