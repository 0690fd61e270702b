// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "corbel/builtins/builtins.hpp"
#include "corbel/corbel.hpp"
#include "corbel/orb/components.hpp"

namespace carriers {

/// An ORB that has one transport more than those that ship, unless `transport` is nullptr.
inline IDL::traits<CORBA::ORB>::ref_type make_orb(const std::string& id,
                                                  const std::shared_ptr<const corbel::transport::Factory>& transport,
                                                  std::vector<std::string> options = {}) {
  corbel::orb::Components components = corbel::builtins::components();
  if (transport != nullptr) components.transports.insert(components.transports.begin(), transport);
  std::vector<char*> argv{const_cast<char*>("carriers")};
  for (std::string& option : options) argv.push_back(option.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return CORBA::ORB_init(argc, argv.data(), id, components);
}

/// Calls an object of one ORB from another, from several threads; `endpoint`: where the server listens; `options`: of
/// both.
inline void call_over(const std::shared_ptr<const corbel::transport::Factory>& transport, const std::string& endpoint,
                      std::vector<std::string> options = {}) {
  const auto client = make_orb("client", transport, options);
  options.insert(options.end(), {"-ORBListenEndpoints", endpoint});
  const auto server = make_orb("server", transport, std::move(options));
  const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto nothing = client->string_to_object(server->object_to_string(poa->create_reference("IDL:Nothing:1.0")));
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      // The server has to be asked, as nothing here knows that it has no such object.
      for (int call = 0; call < 50; ++call) EXPECT_TRUE(nothing->_non_existent());
    });
  }
  for (auto& caller : callers) caller.join();
  client->destroy();
  server->destroy();
}

}  // namespace carriers
