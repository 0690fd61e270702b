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
///   CORBEL_TRANSPORT_CONFORMANCE(Tcp, carriers())
///
/// and compiling the suite (transport_*.cpp) into the same test program; with CMake, outside Corbel,
/// corbel_transport_conformance(TARGET) after find_package(Corbel). What is expected of it follows from its traits.
namespace corbel::conformance {

struct Carrier {
  std::string name{};  ///< letters, digits and underscores
  std::function<std::shared_ptr<const transport::Factory>()> make{};
  std::string listen{};   ///< address to listen on
  std::string nowhere{};  ///< address that cannot be reached at all (unknown host); empty: there is none
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
  /// One step of the hand-shake, or all of it where there is no handle to be told by that it goes on.
  static base::Status shake_on(transport::Transport& accepted);
  /// Takes the peer that waits, or waits for it, and shakes hands if need be.
  std::unique_ptr<transport::Transport> accept(transport::Acceptor& acceptor);
  /// Connects to an acceptor and takes the other end, wherever hands have to be shaken.
  std::unique_ptr<transport::Transport> connect_to(transport::Acceptor& acceptor,
                                                   std::unique_ptr<transport::Transport>& accepted,
                                                   const transport::ConnectionOptions& options = {});
  /// What this carrier's traits do not promise is not asked of it.
  bool is_stream() const { return factory_->traits().byte_stream; }
  bool keeps_all() const { return factory_->traits().reliable && factory_->traits().ordered; }
  bool is_group() const { return factory_->traits().group_profile != 0; }
  bool connects() const { return factory_->traits().connected; }
  /// Connects, and makes itself heard where the other end would know nothing of it.
  std::unique_ptr<transport::Transport> connect(const transport::Endpoint& endpoint,
                                                const transport::ConnectionOptions& options = {});
  /// Takes what connect() made itself heard by.
  void take_greeting(transport::Transport& accepted);

  std::shared_ptr<const transport::Factory> factory_;
  std::unique_ptr<transport::Connector> connector_;
  std::unique_ptr<transport::Acceptor> acceptor_;
  std::unique_ptr<transport::Transport> client_;
  std::unique_ptr<transport::Transport> server_;

 private:
  std::size_t descriptors_ = 0;
};

}  // namespace corbel::conformance

/// Instantiates the suite for a container of carriers, under a name of its own in this program.
#define CORBEL_TRANSPORT_CONFORMANCE(suite, carriers)                                                          \
  namespace corbel::conformance {                                                                              \
  INSTANTIATE_TEST_SUITE_P(suite, TransportConformance, testing::ValuesIn(carriers),                           \
                           [](const testing::TestParamInfo<Carrier>& carrier) { return carrier.param.name; }); \
  }
