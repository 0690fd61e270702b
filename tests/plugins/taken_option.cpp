// SPDX-License-Identifier: Apache-2.0
// Brings a transport with an option of a name that the ORB has.
#include <string>

#include "corbel/orb/plugin.hpp"
#include "corbel/transport/tcp/tcp.hpp"

namespace {

using namespace corbel::base;
using namespace corbel::transport;

struct Settings {
  std::string text{};
};
constexpr OptionRow<Settings> kOptions[] = {{"Threads", TextMember<Settings>{member_v<&Settings::text>}}};

class Greedy final : public Factory {
 public:
  std::string_view scheme() const noexcept override { return "greedy"; }
  Result<EndpointPtr> parse(std::string_view) const override { return error(Stage::resolve, Code::bad_argument); }
  std::unique_ptr<Connector> make_connector() const override { return make_tcp()->make_connector(); }
  Result<std::unique_ptr<Acceptor>> listen(const Endpoint&, const corbel::transport::Options&) const override {
    return error(Stage::listen, Code::unsupported);
  }
  std::unique_ptr<OptionSet> options() const override { return option_set(Settings(), kOptions); }
};

}  // namespace

CORBEL_PLUGIN(parts) {
  parts.transports.push_back(std::make_shared<Greedy>());
}
