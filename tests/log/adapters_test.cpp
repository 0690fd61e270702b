// SPDX-License-Identifier: Apache-2.0
// What servers tell of object adapters, of results that do not arrive, and of an end that takes too long.
#include <latch>

#include "corbel/ipc/datagram.hpp"
#include "corbel/orb/groups.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/poa/ior_table.hpp"
#include "raw_peer.hpp"
#include "support.hpp"
#include "support/free_port.hpp"

namespace corbel::log_test {
namespace {

using ServantRef = IDL::traits<PortableServer::Servant>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Has no adapters, and says so in one of three ways.
class NoAdapters final : public PortableServer::AdapterActivator {
 public:
  bool unknown_adapter(PoaRef, const std::string& name) override {
    if (name == "system") throw CORBA::NO_RESOURCES(0, CORBA::CompletionStatus::COMPLETED_NO, "no room");
    if (name == "foreign") throw std::runtime_error("no such table");
    throw 42;
  }
};

TEST(AdapterEvents, AnActivatorThatFails) {
  const std::pair<const char*, const char*> cases[] = {
      {"system", "NO_RESOURCES"}, {"foreign", "no such table"}, {"odd", "int"}};
  for (const auto& [name, exception] : cases) {
    Server server;
    server.poa->the_activator(CORBA::make_reference<NoAdapters>());
    EXPECT_ANY_THROW(server.poa->find_POA(name, true));
    expect_event(server, LogLevel::warning, LogModule::poa, "adapter activator failed",
                 {{"poa", "RootPOA"}, {"missing", name}, {"exception", exception}});
  }
}

/// Makes its objects one after the other, the first one when it may.
class SlowMaker final : public PortableServer::ServantActivator {
 public:
  ServantRef incarnate(const PortableServer::ObjectId&, PoaRef) override {
    entered.count_down();
    go.wait();
    return CORBA::make_reference<ThingImpl>();
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  std::latch entered{1};
  std::latch go{1};
};

TEST(AdapterEvents, ATurnThatDoesNotCome) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBHoldTimeout", "20"});
  const auto made =
      server.poa->create_POA("made", server.poa->the_POAManager(),
                             {server.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
                              server.poa->create_request_processing_policy(
                                  PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  const auto maker = CORBA::make_reference<SlowMaker>();
  made->set_servant_manager(maker);
  const auto thing = [&](const char* id) {
    return IDL::traits<Logged::Thing>::unchecked_narrow(made->create_reference_with_id(
        PortableServer::string_to_ObjectId(id), std::string(Logged::Thing::_interface_id)));
  };
  auto first = thing("first")->async_big(1, true);
  maker->entered.wait();
  refusal_of([&] { thing("second")->add(1, 2); });
  expect_event(server, LogLevel::warning, LogModule::poa, "request waited too long for its turn",
               {{"poa", "made"}, {"where", "servant activator"}, {"limit", "-ORBHoldTimeout"}});
  maker->go.count_down();
  EXPECT_EQ(first.get(), "x");
}

/// Sends requests for object 'f' elsewhere, and throws after the others.
class RowsElsewhere final : public PortableServer::ServantLocator {
 public:
  explicit RowsElsewhere(ObjectRef elsewhere) : elsewhere_(std::move(elsewhere)) {}
  ServantRef preinvoke(const PortableServer::ObjectId& oid, PoaRef, const std::string&, Cookie&) override {
    if (oid.front() == 'f') throw PortableServer::ForwardRequest(elsewhere_);
    return CORBA::make_reference<ThingImpl>();
  }
  void postinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&, Cookie, ServantRef) override {
    throw 42;
  }

 private:
  const ObjectRef elsewhere_;
};

TEST(AdapterEvents, ALocatorThatForwardsOrThrowsAfterwards) {
  Server server;
  LoggingOrb client({});
  auto poa = server.poa->create_POA(
      "rows", server.poa->the_POAManager(),
      {server.poa->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       server.poa->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       server.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<RowsElsewhere>(server.orb->string_to_object(server.reference)));
  const auto add = [&](std::uint8_t id) {
    const auto object = poa->create_reference_with_id({id}, "IDL:Logged/Thing:1.0");
    return client.thing(server.orb->object_to_string(object))->add(1, 2);
  };
  EXPECT_EQ(add('f'), 3);
  expect_event(server, LogLevel::debug, LogModule::server, "request forwarded",
               {{"operation", "add"}, {"permanent", "false"}, {"key", ""}, {"peer", "tcp://127.0.0.1:"}});
  refusal_of([&] { add('x'); });
  expect_event(server, LogLevel::warning, LogModule::poa, "postinvoke threw",
               {{"poa", "rows"}, {"operation", "add"}, {"exception", "int"}});
}

/// Throws what is no std::exception, whatever is wanted of it.
class OddActivator final : public PortableServer::ServantActivator {
 public:
  ServantRef incarnate(const PortableServer::ObjectId& oid, PoaRef) override {
    if (oid.front() == 'x') throw 42;
    return CORBA::make_reference<ThingImpl>();
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, ServantRef, bool, bool) override { throw 42; }
};

TEST(AdapterEvents, ManagersThatThrowWhatIsNoException) {
  Server server;
  LoggingOrb client({});
  auto poa = server.poa->create_POA(
      "rows", server.poa->the_POAManager(),
      {server.poa->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       server.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<OddActivator>());
  const auto add = [&](std::uint8_t id) {
    const auto object = poa->create_reference_with_id({id}, "IDL:Logged/Thing:1.0");
    client.thing(server.orb->object_to_string(object))->add(1, 2);
  };
  refusal_of([&] { add('x'); });
  expect_event(server, LogLevel::warning, LogModule::poa, "servant activator failed to incarnate",
               {{"poa", "rows"}, {"object", "x"}, {"exception", "int"}});
  add('y');
  poa->deactivate_object({'y'});
  expect_event(server, LogLevel::warning, LogModule::poa, "servant activator failed to etherealize",
               {{"poa", "rows"}, {"object", "y"}, {"exception", "int"}});
}

TEST(AdapterEvents, ResultsThatCannotBeMarshalled) {
  Server server;
  LoggingOrb client({});
  refusal_of([&] { client.thing(server.reference)->big(1, false); });
  expect_event(server, LogLevel::warning, LogModule::server, "results cannot be marshalled",
               {{"error", "string"}, {"operation", "big"}, {"key", ""}, {"peer", "tcp://127.0.0.1:"}});
}

TEST(AdapterEvents, OnewaysInsideTheProcess) {
  Server server;
  const ThingRef here = server.thing(server.reference);
  here->note(4);
  expect_event(server, LogLevel::debug, LogModule::server, "request ends in an exception",
               {{"exception", "NO_PERMISSION"}, {"operation", "note"}, {"key", ""}, {"peer", "this process"}});
  here->note(1);
  expect_event(server, LogLevel::warning, LogModule::server, "servant threw a foreign exception",
               {{"operation", "note"}, {"type", "int"}, {"key", ""}, {"peer", "this process"}});
}

/// Leads nowhere, in one of three ways.
class NoPlaces final : public IORTable::Locator {
 public:
  explicit NoPlaces(CORBA::ORB& orb, std::string address) : orb_(orb), address_(std::move(address)) {}
  std::string locate(const std::string& key) override {
    if (key == "odd") throw std::runtime_error("no such table");
    if (key == "nonsense") return "nowhere";
    return orb_.object_to_string(orb_.string_to_object(address_ + key + "#in"));  // asks itself
  }

 private:
  CORBA::ORB& orb_;
  const std::string address_;
};

TEST(AdapterEvents, TheIorTable) {
  Server server;
  LoggingOrb client({});
  const std::string address = "127.0.0.1:" + std::to_string(Target(server.reference).port) + "/";
  const auto table = IDL::traits<IORTable::Table>::narrow(server.orb->resolve_initial_references("IORTable"));
  table->set_locator(CORBA::make_reference<NoPlaces>(*server.orb.operator->(), "corbaname::" + address));
  const auto ask = [&](const std::string& key) {
    EXPECT_ANY_THROW(client.thing("corbaloc::" + address + key)->add(1, 2)) << key;
  };
  ask("odd");
  expect_event(server, LogLevel::warning, LogModule::poa, "the locator of the IORTable failed",
               {{"key", "odd"}, {"exception", "no such table"}});
  ask("nonsense");
  expect_event(server, LogLevel::warning, LogModule::poa, "what the IORTable leads to cannot be used",
               {{"key", "nonsense"}, {"why", "nowhere"}});
  ask("itself");
  expect_event(server, LogLevel::warning, LogModule::poa, "the IORTable leads in a circle", {{"key", "itself"}});
}

TEST(AdapterEvents, MembersOfGroups) {
  std::uint16_t port = test::free_port();
  while (!ipc::UdpSocket::open(ipc::InetAddress::any_v4(port))) port = test::free_port();
  const std::string url = "corbaloc:miop:1.0@1.0-CorbelTest-8/239.255.77.12:" + std::to_string(port);
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBMulticastInterface", "lo"});
  LoggingOrb client({"-ORBMulticastInterface", "lo"});
  const auto second = CORBA::make_reference<ThingImpl>();
  for (const auto& id : {server.object_id, server.poa->activate_object(second)}) {
    corbel::orb::join_group(*server.orb, server.orb->string_to_object(url), server.poa->id_to_reference(id));
  }
  expect_event(server, LogLevel::info, LogModule::transport, "listening to a group",
               {{"endpoint", "239.255.77.12:" + std::to_string(port)}});
  const ThingRef all = client.thing(url);
  EXPECT_TRUE(eventually([&] {
    all->note(0);  // which may be lost
    return server.log->count("a member of a group did not serve a request") != 0;
  }));
  expect_event(server, LogLevel::debug, LogModule::poa, "a member of a group did not serve a request",
               {{"operation", "note"}, {"exception", "in a oneway"}});
}

TEST(AdapterEvents, AnEndThatTakesTooLong) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBShutdownTimeout", "50"});
  const Target target(server.reference);
  server.servant->open(false);
  test::RawPeer peer(target.port);
  ASSERT_TRUE(peer.send(test::raw_request(1, target.key, "big", [](test::Writer& w) { w.u32(1).octet(1); })));
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 1; }));
  server.orb->shutdown(true);
  expect_event(server, LogLevel::error, LogModule::poa, "requests still run after the shutdown time-out",
               {{"poa", "RootPOA"}, {"running", ""}, {"limit", "-ORBShutdownTimeout"}});
  expect_event(server, LogLevel::warning, LogModule::server, "shutting down took too long: what still runs is left",
               {{"connections", "1"}, {"requests", "1"}, {"limit", "-ORBShutdownTimeout"}});
  expect_event(server, LogLevel::error, LogModule::orb, "shut down while requests still run",
               {{"limit", "-ORBShutdownTimeout"}});
  EXPECT_EQ(server.log->count("shut down"), 0U);
}

TEST(AdapterEvents, ReferencesThatLeadNowhere) {
  const char* const group = "multicast://239.255.77.12:0";
  LoggingOrb orb({"-ORBMulticastInterface", "lo", "-ORBListenEndpoints", group});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb.orb->resolve_initial_references("RootPOA"));
  for (int n = 0; n < 2; ++n) {
    const auto object = poa->servant_to_reference(CORBA::make_reference<ThingImpl>());
    EXPECT_TRUE(object->_target()->ior().profiles.empty());
  }
  expect_event(orb, LogLevel::warning, LogModule::orb, "references lead nowhere",
               {{"why", "groups alone"}, {"endpoint", "multicast://239.255.77.12:"}, {"mend", "-ORBListenEndpoints"}});
  EXPECT_EQ(orb.log->count("references lead nowhere"), 1U);
}

TEST(AdapterEvents, AOnewayThatComesTooLate) {
  Server server;
  const Target target(server.reference);
  policy::ClientPolicies long_ago;
  long_ago.request_end = 1;
  test::Writer writer;
  writer.giop(0, 2).u32(1).octet(0).octet(0).octet(0).octet(0).u16(0);
  writer.octets(test::octets_of(target.key)).string("tell").u32(1).u32(corbel::orb::kInvocationPoliciesContext);
  writer.octets(corbel::orb::encode_invocation_policies(long_ago)).align(8).string("late");
  test::RawPeer peer(target.port);
  ASSERT_TRUE(peer.send(writer.finish()));
  expect_event(server, LogLevel::debug, LogModule::server, "request ends in a system exception",
               {{"exception", "TIMEOUT"}, {"operation", "tell"}, {"key", ""}, {"peer", "tcp://"}});
  expect_event(server, LogLevel::debug, LogModule::server, "request ends in a system exception",
               {{"exception", "was over before it began"}});
}

}  // namespace
}  // namespace corbel::log_test
