// SPDX-License-Identifier: Apache-2.0
// A server that only processes of the same machine reach, named by a URL.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corbel/corbel.hpp"
#include "eventually.hpp"
#include "fault_server.hpp"
#include "files.hpp"

namespace {

class LocalEcho final : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override { return text; }
  void wait() override {}
  void fail(std::int32_t) override {}
  void fire() override {}
  void tell(const std::string&) override {}
  IDL::traits<Fault::Victim>::ref_type self() override { return _this(); }
};

void call_by_url(const std::string& address, const std::string& url) {
  std::vector<std::string> listening = {"x", "-ORBListenEndpoints", "unix://" + address};
  const auto server = CORBA::ORB_init(listening, "local-server");
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  server->register_initial_reference("Victim", CORBA::make_reference<LocalEcho>()->_this());
  std::vector<std::string> none = {"x"};
  const auto client = CORBA::ORB_init(none, "local-client");
  auto victim = IDL::traits<Fault::Victim>::narrow(client->string_to_object(url));
  EXPECT_EQ(victim->echo(url), url);
  // What the URL became can be passed on.
  const std::string text = client->object_to_string(victim);
  EXPECT_EQ(IDL::traits<Fault::Victim>::narrow(client->string_to_object(text))->echo("again"), "again");
  victim.reset();
  client->destroy();
  server->destroy();
}

TEST(Local, AServerOfThisMachineIsReachedByItsUrl) {
  const corbel::test::Folder place;
  const std::string folder = place.path();
  call_by_url(folder + "/socket", "corbaloc:uiop:" + folder + "/socket|Victim");
  call_by_url(folder + "/socket", "corbaloc:uiop:1.1@" + folder + "/socket|Victim");
  call_by_url('@' + folder, "corbaloc:uiop:@" + folder + "|Victim");
}

TEST(Local, SeveralAddressesOfOneUrlAreTriedInTurn) {
  const corbel::test::Folder place;
  const std::string folder = place.path();
  call_by_url(folder + "/b", "corbaloc:uiop:" + folder + "/a,uiop:" + folder + "/b|Victim");
}

/// Connections through shared memory that this process has, both ends counted.
std::size_t shared_memories() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:corbel") != std::string::npos ? 1 : 0;
  return count;
}

TEST(Local, AClientOnTheSameHostMovesToSharedMemoryAndBackWhereThatFails) {
  const corbel::test::Folder place;
  const std::string folder = place.path();
  std::vector<std::string> listening = {"x", "-ORBListenEndpoints", "tcp://127.0.0.1:0;shm://" + folder + "/socket"};
  const auto server = CORBA::ORB_init(listening, "upgrade-server");
  auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const std::string ior = server->object_to_string(CORBA::make_reference<LocalEcho>()->_this());
  const auto call = [&](const std::string& id, std::vector<std::string> options) {
    options.insert(options.begin(), "x");
    const auto client = CORBA::ORB_init(options, id);
    auto victim = IDL::traits<Fault::Victim>::narrow(client->string_to_object(ior));
    EXPECT_EQ(victim->echo(id), id);
    const std::size_t used = shared_memories();
    victim.reset();
    client->destroy();
    return used;
  };
  EXPECT_GE(call("moves", {}), 1U);
  EXPECT_TRUE(corbel::test::eventually([] { return shared_memories() == 0; }));
  EXPECT_EQ(call("prefers", {"-ORBProtocolPreference", "tcp"}), 0U);
  std::filesystem::remove(folder + "/socket");
  EXPECT_EQ(call("falls-back", {}), 0U);
  server->destroy();
}

}  // namespace
