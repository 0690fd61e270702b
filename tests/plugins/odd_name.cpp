// SPDX-License-Identifier: Apache-2.0
// Brings a transport whose name no endpoint can have.
#include "corbel/orb/plugin.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace {

using namespace corbel::base;
using namespace corbel::transport;

class Odd final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return "e vil://;\n"; }
  Result<EndpointPtr> parse(std::string_view) const override { return error(Stage::resolve, Code::bad_argument); }
  std::unique_ptr<Connector> make_connector() const override { return make_tcp()->make_connector(); }
  Result<std::unique_ptr<Acceptor>> listen(const Endpoint&, const corbel::transport::Options&) const override {
    return error(Stage::listen, Code::unsupported);
  }
};

}  // namespace

CORBEL_PLUGIN(parts) {
  parts.transports.push_back(std::make_shared<Odd>());
}
