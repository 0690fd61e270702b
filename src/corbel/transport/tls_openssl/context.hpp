// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/result.hpp"
#include "corbel/transport/tls/security.hpp"
#include "corbel/transport/tls_openssl/openssl.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tls {

enum class Role : std::uint8_t { client, server };

/// Certificate, key, authorities and rules as they were when they were read: OpenSSL's context. Immutable.
class Context {
 public:
  /// Reads the files. Failure: `why` says what is wrong with which of them.
  static std::shared_ptr<const Context> make(const Security& security, Role role, std::string& why);

  /// OpenSSL counts its references itself.
  SSL_CTX* get() const noexcept { return context_.get(); }
  Role role() const noexcept { return role_; }
  /// How clients of these settings know servers, whichever role this is for (Security).
  bool verifies_servers() const noexcept { return verifies_servers_; }
  const std::vector<std::string>& server_names() const noexcept { return server_names_; }

 private:
  Context(Owned<SSL_CTX> context, Role role, const Security& security)
      : context_(std::move(context)),
        role_(role),
        verifies_servers_(security.verify_server),
        server_names_(security.server_names) {}

  Owned<SSL_CTX> context_;
  Role role_;
  bool verifies_servers_;
  std::vector<std::string> server_names_;
};
using ContextPtr = std::shared_ptr<const Context>;

/// The context of one side of an ORB, read anew when one of its files has changed. What is changed to something that
/// cannot be used is told once, and the one before stays; it is
/// tried again once a second. Thread-safe.
class Contexts {
 public:
  Contexts(TlsSetup setup, Role role) : setup_(std::move(setup)), role_(role) {}

  /// Error: bad_security_settings, when there has been none that can be used; the log says why.
  base::Result<ContextPtr> current(base::Stage stage);

  const Security& security() const noexcept { return setup_.security; }
  const base::Log& log() const noexcept { return *setup_.log; }

 private:
  /// By what a change of a file is seen.
  struct Stamp {
    std::filesystem::file_time_type time{};
    std::uintmax_t size = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::vector<Stamp> stamps() const;

  const TlsSetup setup_;
  const Role role_;
  std::mutex mutex_;
  std::vector<Stamp> read_;  // of the last attempt to read
  bool attempted_ = false;
  bool has_failed_ = false;  // the last attempt, which is repeated after that
  base::Deadline retry_ = base::Deadline::none();
  ContextPtr context_;
};

}  // namespace corbel::transport::tls
