// SPDX-License-Identifier: Apache-2.0
// Every event is provoked and looked up: level, module and fields.
#include <functional>
#include <stdexcept>

#include "corbel/ipc/connector.hpp"
#include "fake_peer.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

namespace answer = test::answer;
using test::FakePeer;

/// What a server says about one call; the client has a log of its own.
struct ServerCase {
  const char* event;
  LogLevel level;
  LogModule module;
  Fields fields;
  std::function<void(Server&, ThingRef)> provoke;
};

const std::vector<ServerCase>& server_cases() {
  static const std::vector<ServerCase> kCases = {
      {"call served",
       LogLevel::trace,
       LogModule::server,
       {{"operation", "add"},
        {"key", ""},
        {"peer", "tcp://127.0.0.1:"},
        {"outcome", "ok"},
        {"oneway", "false"},
        {"us", ""}},
       [](Server&, const ThingRef& thing) { thing->add(1, 2); }},
      {"servant threw a foreign exception",
       LogLevel::warning,
       LogModule::server,
       {{"operation", "fail"}, {"type", "std::runtime_error"}, {"what", "disk full"}, {"key", ""}, {"peer", "tcp://"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(0, "disk full"); }); }},
      {"servant threw a foreign exception",
       LogLevel::warning,
       LogModule::server,
       {{"type", "int"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(1, ""); }); }},
      {"servant threw a foreign exception",
       LogLevel::warning,
       LogModule::server,
       {{"operation", "note"}, {"what", "in a oneway"}},
       [](Server&, const ThingRef& thing) { thing->note(0); }},
      {"servant threw an undeclared user exception",
       LogLevel::warning,
       LogModule::server,
       {{"operation", "fail"}, {"type", "IDL:Logged/Undeclared:1.0"}, {"peer", "tcp://"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(2, ""); }); }},
      {"request ends in a user exception",
       LogLevel::debug,
       LogModule::server,
       {{"exception", "IDL:Logged/Oops:1.0"}, {"operation", "fail"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(3, "why not"); }); }},
      {"request ends in a system exception",
       LogLevel::debug,
       LogModule::server,
       {{"exception", "NO_PERMISSION"}, {"operation", "fail"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(4, "not you"); }); }},
      {"exception cannot be marshalled",
       LogLevel::warning,
       LogModule::server,
       {{"exception", "IDL:Logged/Oops:1.0"}, {"error", "string"}, {"operation", "fail"}},
       [](Server&, const ThingRef& thing) { refusal_of([&] { thing->fail(6, ""); }); }},
      {"request ends in a system exception",
       LogLevel::debug,
       LogModule::server,
       {{"exception", "OBJECT_NOT_EXIST"}},
       [](Server& server, const ThingRef& thing) {
         server.poa->deactivate_object(server.object_id);
         refusal_of([&] { thing->add(1, 2); });
       }},
      {"request discarded",
       LogLevel::debug,
       LogModule::poa,
       {{"poa", "RootPOA"}, {"manager", ""}},
       [](Server& server, const ThingRef& thing) {
         server.poa->the_POAManager()->discard_requests(false);
         refusal_of([&] { thing->add(1, 2); });
       }},
      {"request held",
       LogLevel::debug,
       LogModule::poa,
       {{"poa", "RootPOA"}, {"manager", ""}},
       [](Server& server, const ThingRef& thing) {
         server.poa->the_POAManager()->hold_requests(false);
         refusal_of([&] { thing->add(1, 2); });
       }},
      {"request held too long, the manager was not activated",
       LogLevel::warning,
       LogModule::poa,
       {{"poa", "RootPOA"}, {"manager", ""}},
       [](Server& server, const ThingRef& thing) {
         server.poa->the_POAManager()->hold_requests(false);
         refusal_of([&] { thing->add(1, 2); });
       }},
      {"request refused, manager inactive",
       LogLevel::debug,
       LogModule::poa,
       {{"poa", "RootPOA"}},
       [](Server& server, const ThingRef& thing) {
         server.poa->the_POAManager()->deactivate(false, false);
         refusal_of([&] { thing->add(1, 2); });
       }},
      {"manager's state",
       LogLevel::info,
       LogModule::poa,
       {{"manager", "RootPOA"}, {"state", "ACTIVE"}, {"before", "HOLDING"}},
       [](Server&, const ThingRef&) {}},
      {"listening",
       LogLevel::info,
       LogModule::transport,
       {{"endpoint", "tcp://127.0.0.1:"}, {"protocol", "giop"}, {"reach", "this host"}},
       [](Server&, const ThingRef&) {}},
      {"ORB created", LogLevel::info, LogModule::orb, {{"threads", ""}}, [](Server&, const ThingRef&) {}},
      {"shutting down",
       LogLevel::info,
       LogModule::orb,
       {{"wait", "true"}},
       [](Server& server, const ThingRef&) { server.orb->shutdown(true); }},
      {"shut down",
       LogLevel::info,
       LogModule::orb,
       {},
       [](Server& server, const ThingRef&) { server.orb->shutdown(true); }},
  };
  return kCases;
}

TEST(Events, OfServers) {
  for (const ServerCase& one : server_cases()) {
    SCOPED_TRACE(one.event);
    Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBHoldTimeout", "20"});
    LoggingOrb client({});
    one.provoke(server, client.thing(server.reference));
    expect_event(server, one.level, one.module, one.event, one.fields);
  }
}

/// What a client says about one call to a server made by hand.
struct ClientCase {
  const char* event;
  LogLevel level;
  Fields fields;
  std::vector<test::Answer> answers;
};

TEST(Events, OfClients) {
  FakePeer elsewhere({answer::text("well")});
  const ClientCase cases[] = {
      {"bound",
       LogLevel::debug,
       {{"endpoint", "tcp://127.0.0.1:"}, {"protocol", "giop"}, {"fresh", "true"}, {"orb_type", ""}},
       {answer::text("well")}},
      {"call made",
       LogLevel::trace,
       {{"operation", "say"}, {"key", "key"}, {"peer", "tcp://127.0.0.1:"}, {"outcome", "ok"}, {"us", ""}},
       {answer::text("well")}},
      {"call is tried again",
       LogLevel::debug,
       {{"operation", "say"}, {"error", "closed"}, {"to", "tcp://"}},
       {answer::close_connection(), answer::text("well")}},
      {"call goes on elsewhere",
       LogLevel::debug,
       {{"operation", "say"}, {"to", elsewhere.endpoint()}, {"after", "forwarded"}},
       {answer::forward({elsewhere.profile()})}},
  };
  for (const ClientCase& one : cases) {
    SCOPED_TRACE(one.event);
    FakePeer peer(one.answers);
    LoggingOrb client({});
    EXPECT_EQ(client.thing(peer.ior())->say("hello"), "well");
    expect_event(client, one.level, LogModule::client, one.event, one.fields);
  }
}

/// Makes no values.
class Unwilling final : public virtual CORBA::ValueFactoryBase {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    throw std::runtime_error("unwilling");
  }
};

TEST(Events, OfArgumentsThatCannotBeMade) {
  Server server;
  LoggingOrb client({});
  server.orb->register_value_factory(std::string(Logged::Held::_value_id), CORBA::make_reference<Unwilling>());
  const auto held = CORBA::make_reference<IDL::traits<Logged::Held>::obv_type>(1);
  refusal_of([&] { client.thing(server.reference)->take(held); });
  expect_event(
      server, LogLevel::warning, LogModule::server, "a value factory, or a value, threw while arguments were read",
      {{"operation", "take"}, {"type", "std::runtime_error"}, {"what", "unwilling"}, {"key", ""}, {"peer", "tcp://"}});
}

TEST(Events, OfClientsThatFail) {
  LoggingOrb client({});
  const std::string nobody = "corbaloc::127.0.0.1:1/key";
  refusal_of([&] { client.thing(nobody)->say("hello"); });
  expect_event(client, LogLevel::debug, LogModule::client, "connecting failed",
               {{"endpoint", "tcp://127.0.0.1:1"}, {"error", "refused"}});
  expect_event(client, LogLevel::trace, LogModule::client, "call made",
               {{"operation", "say"}, {"peer", "none"}, {"outcome", "TRANSIENT"}});
}

TEST(Events, OfAsynchronousAndCollocatedCalls) {
  Server server;
  LoggingOrb client({});
  EXPECT_EQ(client.thing(server.reference)->async_add(1, 2).get(), 3);
  expect_event(client, LogLevel::trace, LogModule::client, "call made", {{"operation", "add"}, {"outcome", "ok"}});
  const ThingRef here = server.thing(server.reference);
  here->add(1, 2);
  expect_event(server, LogLevel::trace, LogModule::client, "call made",
               {{"operation", "add"}, {"peer", "this process"}, {"outcome", "ok"}});
  server.log->clear();
  here->note(0);
  expect_event(server, LogLevel::warning, LogModule::server, "servant threw a foreign exception",
               {{"operation", "note"}, {"type", "std::runtime_error"}, {"peer", "this process"}});
}

TEST(Events, OfConnections) {
  Server server;
  LoggingOrb client({});
  client.thing(server.reference)->add(1, 2);
  expect_event(server, LogLevel::debug, LogModule::connection, "connection accepted",
               {{"peer", "tcp://127.0.0.1:"}, {"protocol", "giop"}});
  expect_event(client, LogLevel::debug, LogModule::connection, "connection opened",
               {{"peer", "tcp://127.0.0.1:"}, {"protocol", "giop"}});
  client.end();
  expect_event(client, LogLevel::debug, LogModule::connection, "connection ended",
               {{"peer", "tcp://"}, {"side", "client"}, {"by", "this ORB"}});
  expect_event(server, LogLevel::debug, LogModule::connection, "connection ended",
               {{"peer", "tcp://"}, {"side", "server"}, {"by", "peer"}});
}

TEST(Events, OfConnectionsThatAreLost) {
  FakePeer peer({answer::reset()});
  LoggingOrb client({});
  refusal_of([&] { client.thing(peer.ior())->say("hello"); });
  expect_event(client, LogLevel::info, LogModule::connection, "connection lost",
               {{"peer", "tcp://127.0.0.1:"}, {"side", "client"}, {"error", "lost"}});
}

/// Sends octets to the server of a reference made by corbaloc and waits until it hangs up.
void send_raw(const Server& server, std::string_view octets) {
  const std::string endpoint = server.log->wait_for("listening").value("endpoint");
  const auto port = static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
  auto stream =
      ipc::TcpConnector().connect(ipc::InetAddress::loopback_v4(port), base::Deadline::after(std::chrono::seconds(10)));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(stream->send_n(base::as_bytes(octets)));
  base::Octet room[256];
  for (auto got = stream->recv(room); got && *got != 0; got = stream->recv(room)) {
  }
}

TEST(Events, OfMessagesRefused) {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, const char*> cases[] = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n"sv, "HTTP"},
      {"SSH-2.0-OpenSSH_9.2p1 Debian\r\n"sv, "SSH"},
      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00"sv, "TLS"},
      {"GIOP\x07\x00\x01\x00\x04\x00\x00\x00"sv, "GIOP"},
      {"some garbage"sv, "unknown"},
  };
  for (const auto& [octets, seems] : cases) {
    SCOPED_TRACE(seems);
    Server server;
    send_raw(server, octets);
    expect_event(server, LogLevel::warning, LogModule::connection, "message refused",
                 {{"peer", "tcp://127.0.0.1:"}, {"error", ""}, {"expected", "giop"}, {"seems", seems}, {"octets", ""}});
  }
}

TEST(Events, OfMessagesTooLarge) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBMaxMessageSize", "65536"});
  LoggingOrb client({});
  const ThingRef thing = client.thing(server.reference);
  thing->add(1, 2);
  try {
    thing->say(std::string(16 << 20, 'x'));
    FAIL();
  } catch (const CORBA::IMP_LIMIT& exception) {
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    EXPECT_NE(std::string(exception.what()).find("-ORBMaxMessageSize"), std::string::npos) << exception.what();
  }
  expect_event(server, LogLevel::warning, LogModule::connection, "message refused",
               {{"peer", "tcp://127.0.0.1:"}, {"error", "too large"}, {"limit", "-ORBMaxMessageSize"}});
  EXPECT_EQ(thing->add(1, 2), 3);
}

TEST(Events, OfRepliesTooLarge) {
  Server server;
  LoggingOrb client({"-ORBMaxMessageSize", "65536"});
  const ThingRef thing = client.thing(server.reference);
  const std::string told = refusal_of([&] { thing->say(std::string(100'000, 'x')); });
  EXPECT_NE(told.find("MARSHAL"), std::string::npos) << told;
  EXPECT_NE(told.find("-ORBMaxMessageSize is 65536 here"), std::string::npos) << told;
}

TEST(Events, OfPreferredProtocolsThatAreNotThere) {
  LoggingOrb orb({"-ORBProtocolPreference", "giop+tpc,nobodys+tcp,tcp"});
  for (const char* each : {"giop+tpc", "nobodys+tcp"}) {
    expect_event(orb, LogLevel::warning, LogModule::orb, "a preferred protocol is not there", {{"preferred", each}});
  }
  EXPECT_EQ(orb.log->count("a preferred protocol is not there"), 2U);
}

TEST(Events, OfUnknownVariables) {
  ::setenv("CORBEL_LISTEN_ENDPOINT", "tcp://nobody", 1);
  ::setenv("CORBEL_TEST_OF_SOMETHING", "1", 1);
  LoggingOrb orb({});
  ::unsetenv("CORBEL_LISTEN_ENDPOINT");
  ::unsetenv("CORBEL_TEST_OF_SOMETHING");
  expect_event(orb, LogLevel::warning, LogModule::orb, "environment variable names no option",
               {{"variable", "CORBEL_LISTEN_ENDPOINT"}});
  EXPECT_EQ(orb.log->count("environment variable names no option"), 1U);
}

class Activator final : public PortableServer::ServantActivator {
 public:
  IDL::traits<PortableServer::Servant>::ref_type incarnate(const PortableServer::ObjectId& oid, PoaRef) override {
    if (oid.front() == 'x') throw std::runtime_error("no such row");
    return CORBA::make_reference<ThingImpl>();
  }
  void etherealize(const PortableServer::ObjectId&, PoaRef, IDL::traits<PortableServer::Servant>::ref_type, bool,
                   bool) override {
    throw std::runtime_error("cannot be saved");
  }
};

class Locator final : public PortableServer::ServantLocator {
 public:
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&,
                                                           Cookie&) override {
    throw std::runtime_error("no such row");
  }
  void postinvoke(const PortableServer::ObjectId&, PoaRef, const std::string&, Cookie,
                  IDL::traits<PortableServer::Servant>::ref_type) override {}
};

TEST(Events, OfServantActivators) {
  Server server;
  LoggingOrb client({});
  auto poa = server.poa->create_POA(
      "rows", server.poa->the_POAManager(),
      {server.poa->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       server.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<Activator>());
  const auto call = [&](const char* id) {
    const PortableServer::ObjectId oid(id, id + 1);
    const auto object = poa->create_reference_with_id(oid, "IDL:Logged/Thing:1.0");
    client.thing(server.orb->object_to_string(object))->add(1, 2);
  };
  refusal_of([&] { call("x"); });
  expect_event(server, LogLevel::warning, LogModule::poa, "servant activator failed to incarnate",
               {{"poa", "rows"}, {"object", "x"}, {"exception", "no such row"}});
  call("y");
  poa->deactivate_object({'y'});
  expect_event(server, LogLevel::warning, LogModule::poa, "servant activator failed to etherealize",
               {{"poa", "rows"}, {"object", "y"}, {"exception", "cannot be saved"}});
}

TEST(Events, OfServantLocators) {
  Server server;
  LoggingOrb client({});
  auto poa = server.poa->create_POA(
      "rows", server.poa->the_POAManager(),
      {server.poa->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       server.poa->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       server.poa->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->set_servant_manager(CORBA::make_reference<Locator>());
  const auto object = poa->create_reference_with_id({'x'}, "IDL:Logged/Thing:1.0");
  refusal_of([&] { client.thing(server.orb->object_to_string(object))->add(1, 2); });
  expect_event(server, LogLevel::warning, LogModule::poa, "servant locator failed",
               {{"poa", "rows"}, {"object", "x"}, {"exception", "no such row"}});
}

}  // namespace
}  // namespace corbel::log_test
