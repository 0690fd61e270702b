// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corbel/transport/transport.hpp"

/// The conformance suite of the transport port. A transport, a plug-in included, is checked by describing it:
///
///   std::vector<Carrier> carriers() { return {{.name = "tcp", .make = make_tcp, .listen = "127.0.0.1:0"}}; }
///   CORBEL_TRANSPORT_CONFORMANCE(carriers())
///
/// and linking the suite (transport_*_conformance.cpp).
namespace corbel::conformance {

struct Carrier {
  std::string name{};  ///< letters, digits and underscores
  std::function<std::shared_ptr<const transport::Factory>()> make{};
  std::string listen{};                                        ///< address to listen on
  std::string nowhere{};                                       ///< address that cannot be reached at all (unknown host)
  std::vector<std::pair<std::string, std::string>> spelled{};  ///< addresses and what follows "scheme://" in their text
  std::vector<std::string> bad{};                              ///< addresses that do not parse
  transport::Options options{};                                ///< what both ends are made with
};

inline void PrintTo(const Carrier& carrier, std::ostream* out) {
  *out << carrier.name;
}

/// Every test makes its own factory, connector and, if it needs one, a connected pair; no descriptor may be left over.
class TransportConformance : public testing::TestWithParam<Carrier> {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Listens and connects; the two ends come back in `client_` and `server_`.
  void connect_pair();
  transport::EndpointPtr endpoint(const std::string& address);
  std::unique_ptr<transport::Acceptor> listen(const transport::Options& options = GetParam().options);
  /// Takes the peer that waits, or waits for it.
  std::unique_ptr<transport::Transport> accept(transport::Acceptor& acceptor);

  std::shared_ptr<const transport::Factory> factory_;
  std::unique_ptr<transport::Connector> connector_;
  std::unique_ptr<transport::Acceptor> acceptor_;
  std::unique_ptr<transport::Transport> client_;
  std::unique_ptr<transport::Transport> server_;

 private:
  std::size_t descriptors_ = 0;
};

}  // namespace corbel::conformance

/// Instantiates the suite for a container of carriers.
#define CORBEL_TRANSPORT_CONFORMANCE(carriers)                                                                 \
  namespace corbel::conformance {                                                                              \
  INSTANTIATE_TEST_SUITE_P(All, TransportConformance, testing::ValuesIn(carriers),                             \
                           [](const testing::TestParamInfo<Carrier>& carrier) { return carrier.param.name; }); \
  }
