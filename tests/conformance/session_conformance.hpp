// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/messaging/protocol.hpp"

/// The conformance suite of the messaging port. A protocol, a plug-in included, is checked by describing it:
///
///   std::vector<Dialect> dialects() { return {{.name = "telegrams", .make = make_telegrams}}; }
///   CORBEL_SESSION_CONFORMANCE(Telegrams, dialects())
///
/// and compiling the suite (session_*.cpp, support/allocations.cpp) into the same test program; with CMake, outside
/// Corbel, corbel_session_conformance(TARGET) after find_package(Corbel). What is expected of it follows from what it
/// requires and offers. The suite counts allocations by replacing operator new: the program must not do so, too.
namespace corbel::conformance {

/// A protocol in one of its versions.
struct Dialect {
  std::string name{};  ///< letters, digits and underscores
  std::function<std::shared_ptr<const messaging::Protocol>()> make{};
  messaging::Version version{1, 2};  ///< highest that both ends speak
};

inline void PrintTo(const Dialect& dialect, std::ostream* out) {
  *out << dialect.name;
}

inline const base::Bytes kObject = {0xff, 'k', 0, 1, 2};
inline const base::Bytes kOther = {'o', 't', 'h', 'e', 'r'};

/// Two sessions talk to each other; no carrier is there.
class SessionConformance : public testing::TestWithParam<Dialect> {
 protected:
  /// What a session says of octets, in an Incoming that another message was in.
  struct Taken {
    Taken(messaging::Session& session, base::ConstByteSpan octets);
    void check(base::ConstByteSpan octets) const;
    base::Status status;
    messaging::Joined joined;
    messaging::Incoming incoming;
  };
  /// Being an encoder's host is to be the writer.
  struct Host final : cdr::Encoder::Host {
    void on_foreign_code(cdr::Encoder& encoder) noexcept override { encoder.set_host(nullptr); }
  };

  SessionConformance();

  std::unique_ptr<messaging::Session> open(messaging::Side side, const cdr::Limits& limits = {},
                                           bool lossy = false) const;
  messaging::Response response() const;
  /// A request with `value` in its body, written by the writer. `token`: where to put its token, or nullptr.
  base::Bytes request(messaging::Session& from, const base::Bytes& key, std::string_view operation, std::uint32_t value,
                      messaging::Token* token = nullptr);
  /// A request, and its reply if there are any: what two ends agree on in these is agreed on from then on.
  void acquaint(messaging::Session& client, messaging::Session& server);
  /// True if what was taken is a request for `key` and `operation` with `value` in its body.
  static bool is_request(Taken& taken, const base::Bytes& key, std::string_view operation, std::uint32_t value);
  /// True if `message` is that, and nothing more.
  static bool is_request(messaging::Session& to, base::ConstByteSpan message, const base::Bytes& key,
                         std::string_view operation, std::uint32_t value);
  /// What a carrier that keeps messages does is not asked of a protocol that needs one.
  bool cuts_messages() const { return !protocol_->requirements().whole_messages; }

  std::shared_ptr<const messaging::Protocol> protocol_;
  Host host_;
};

}  // namespace corbel::conformance

/// Instantiates the suite for a container of dialects, under a name of its own in this program.
#define CORBEL_SESSION_CONFORMANCE(suite, dialects)                                                            \
  namespace corbel::conformance {                                                                              \
  INSTANTIATE_TEST_SUITE_P(suite, SessionConformance, testing::ValuesIn(dialects),                             \
                           [](const testing::TestParamInfo<Dialect>& dialect) { return dialect.param.name; }); \
  }
