// SPDX-License-Identifier: Apache-2.0
// corbel ns discover: the naming services of the network.
#include "ns_discover.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "corbel/base/log.hpp"
#ifdef CORBEL_NAMING_AVAHI
#include "discovery.hpp"
#endif

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;

struct DiscoverArguments {
  std::string name;
  long wait = 2000;
  bool json = false;
};

#ifdef CORBEL_NAMING_AVAHI
int discover(const DiscoverArguments& arguments) {
  auto found = naming::discover(std::chrono::milliseconds(arguments.wait));
  if (!arguments.name.empty()) {
    std::erase_if(found, [&](const auto& one) { return one.name != arguments.name; });
    if (found.empty()) throw std::runtime_error("no naming service tells of itself under that name");
  }
  // What other hosts can use comes first, and each line is the same each time.
  const auto key = [](const auto& one) {
    return std::tuple(one.name, one.address.starts_with("127.") || one.address == "::1",
                      one.address.find(':') != std::string::npos, one.address, one.port);
  };
  std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (arguments.json) {
    Json all = Json::array();
    for (const auto& one : found) {
      all.push_back({{"name", one.name}, {"host", one.host}, {"reference", naming::url_of(one)}});
    }
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else if (!arguments.name.empty()) {
    std::cout << naming::url_of(found.front()) << '\n';
  } else {
    for (const auto& one : found) {
      std::cout << naming::url_of(one) << "  " << base::printable(one.name) << "  " << base::printable(one.host)
                << '\n';
    }
  }
  return kDone;
}
#else
int discover(const DiscoverArguments&) {
  throw std::runtime_error("this corbel was built without Avahi (libavahi-client-dev)");
}
#endif

}  // namespace

void add_ns_discover(CLI::App& ns, Run& run) {
  auto arguments = std::make_shared<DiscoverArguments>();
  CLI::App* const command =
      ns.add_subcommand("discover", "The naming services that tell the network of themselves (multicast DNS)");
  command->add_option("NAME", arguments->name, "Print the reference of this one alone");
  command->add_option("--wait", arguments->wait, "Milliseconds to wait for answers, at most")
      ->check(CLI::Range(1L, 600'000L))
      ->type_name("MS")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Anybody on the network may answer. corbel-named --advertise NAME does.");
  command->callback([arguments, &run] { run = [arguments] { return discover(*arguments); }; });
}

}  // namespace corbel::tool
