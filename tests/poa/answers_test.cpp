// SPDX-License-Identifier: Apache-2.0
// What a server answers, octet by octet, to a client made by hand.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "corbel/poa/caller_policy.hpp"
#include "corbel/poa/ior_table.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "giop_writer.hpp"
#include "support/byte_order.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using test::Octets;
using test::Reader;
using test::Writer;

/// A connection without an ORB.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const Octets& octets) {
    EXPECT_EQ(::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL), static_cast<ssize_t>(octets.size()));
  }
  /// The next message, header included; empty at the end of the connection.
  Octets receive() {
    Octets message = take(12);
    if (message.size() < 12) return {};
    const std::uint32_t size = Reader(message, (message[6] & 1) != 0, 8).u32();
    const Octets rest = take(size);
    message.insert(message.end(), rest.begin(), rest.end());
    return message;
  }
  Octets exchange(const Octets& octets) {
    send(octets);
    return receive();
  }

 private:
  Octets take(std::size_t size) {
    Octets octets(size);
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = ::recv(socket_, octets.data() + done, size - done, 0);
      if (count <= 0) return {};
      done += static_cast<std::size_t>(count);
    }
    return octets;
  }
  int socket_;
};

/// What a reference says about an IIOP endpoint.
struct Address {
  explicit Address(const ObjectRef& object) {
    for (const auto& profile : object->_target()->ior().profiles) {
      if (profile.tag != 0) continue;
      const Octets data(profile.data.begin(), profile.data.end());
      Reader reader(data, data.at(0) == 1, 3);
      reader.align(4);
      host = reader.string();
      port = reader.u16();
      key = reader.octets();
    }
  }
  std::string host;
  std::uint16_t port = 0;
  Octets key;
};

constexpr std::uint8_t kRequest = 0, kReply = 1, kLocateRequest = 3, kLocateReply = 4;

Octets locate(std::uint32_t id, const Octets& key, std::uint8_t minor) {
  Writer writer;
  writer.giop(kLocateRequest, minor).u32(id);
  if (minor == 2) writer.u16(0);
  return writer.octets(key).finish();
}

Octets locate_reply(std::uint32_t id, std::uint32_t status, std::uint8_t minor) {
  return Writer(test::kLittleEndian).giop(kLocateReply, minor).u32(id).u32(status).finish();
}

struct Context {
  std::uint32_t id;
  Octets data;
};

/// GIOP 1.2, with one string as argument.
Octets request(std::uint32_t id, std::uint8_t flags, const Octets& key, std::string_view operation,
               const Octets& argument, const std::vector<Context>& contexts = {}) {
  Writer writer;
  writer.giop(kRequest, 2).u32(id).octet(flags).octet(0).octet(0).octet(0).u16(0).octets(key).string(operation);
  writer.u32(static_cast<std::uint32_t>(contexts.size()));
  for (const auto& context : contexts) writer.u32(context.id).octets(context.data);
  return writer.align(8).raw(argument).finish();
}

Octets text(std::string_view octets) {
  return Writer().string(octets).written();
}

/// "say": answers its argument, and keeps it.
class Sayer final : public Servant {
 public:
  bool _dispatch(corba::ServerCall& call) override {
    if (call.operation() == "full") throw std::bad_alloc();
    if (call.operation() == "deny") throw CORBA::NO_PERMISSION(7);
    if (call.operation() != "say") return false;
    call.use_octets();
    call.arguments().get_string(said);
    call.check_arguments();
    call.reply([&](cdr::Encoder& encoder) { encoder.put_string(said); });
    return true;
  }
  std::span<const std::string_view> _interface_ids() const noexcept override {
    static constexpr std::string_view kIds[] = {"IDL:Sayer:1.0", "IDL:omg.org/CORBA/Object:1.0"};
    return kIds;
  }
  std::string said;
};

class Answers : public ::testing::Test {
 protected:
  Answers() { root->the_POAManager()->activate(); }
  ~Answers() override { orb->destroy(); }

  static OrbRef make() {
    std::vector<std::string> arguments = {"-ORBListenEndpoints", "tcp://127.0.0.1"};
    return orb::init(arguments, "answers", {{messaging::make_giop()}, {transport::make_tcp()}, &make_adapter});
  }

  OrbRef orb = make();
  PoaRef root = IDL::traits<POA>::narrow(orb->resolve_initial_references("RootPOA"));
  CORBA::servant_reference<Sayer> sayer = CORBA::make_reference<Sayer>();
  ObjectId id = root->activate_object(sayer);
  Address address{root->id_to_reference(id)};
};

TEST_F(Answers, LocateRequestsTellWhetherTheObjectIsHere) {
  Client client(address.port);
  for (const std::uint8_t minor : std::initializer_list<std::uint8_t>{0, 1, 2}) {
    EXPECT_EQ(client.exchange(locate(1, address.key, minor)), locate_reply(1, 1, minor)) << int{minor};
    EXPECT_EQ(client.exchange(locate(2, test::octets_of("nobody"), minor)), locate_reply(2, 0, minor)) << int{minor};
  }
  root->deactivate_object(id);
  EXPECT_EQ(client.exchange(locate(3, address.key, 2)), locate_reply(3, 0, 2));
}

TEST_F(Answers, LocateRequestsForInitialReferencesAreForwarded) {
  orb->register_initial_reference("Sayer", root->id_to_reference(id));
  Client client(address.port);
  const Octets reply = client.exchange(locate(9, test::octets_of("Sayer"), 2));
  ASSERT_GT(reply.size(), 20U);
  Reader reader(reply, (reply[6] & 1) != 0, 12);
  EXPECT_EQ(reader.u32(), 9U);
  EXPECT_EQ(reader.u32(), 2U);
}

TEST_F(Answers, WhatTheIorTableKnowsIsForwardedTo) {
  const auto table = IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable"));
  struct Locator final : public IORTable::Locator {
    explicit Locator(std::string text) : text_(std::move(text)) {}
    std::string locate(const std::string& object_key) override {
      if (object_key == "located") return text_;
      throw IORTable::NotFound();
    }
    const std::string text_;
  };
  const std::string text_of_sayer = orb->object_to_string(root->id_to_reference(id));
  table->bind("bound", text_of_sayer);
  table->set_locator(CORBA::make_reference<Locator>(text_of_sayer));
  Client client(address.port);
  for (const std::uint8_t minor : std::initializer_list<std::uint8_t>{0, 1, 2}) {
    for (const char* const key : {"bound", "located"}) {
      const Octets reply = client.exchange(locate(9, test::octets_of(key), minor));
      ASSERT_GT(reply.size(), 20U);
      EXPECT_EQ(reply[7], kLocateReply);
      Reader reader(reply, (reply[6] & 1) != 0, 12);
      EXPECT_EQ(reader.u32(), 9U);
      EXPECT_EQ(reader.u32(), 2U) << "OBJECT_FORWARD of " << key;
      EXPECT_EQ(reader.string(), "IDL:Sayer:1.0");
    }
    EXPECT_EQ(client.exchange(locate(8, test::octets_of("nobody"), minor)), locate_reply(8, 0, minor));
  }
  const Octets reply = client.exchange(request(7, 3, test::octets_of("located"), "say", text("so")));
  Reader reader(reply, (reply[6] & 1) != 0, 12);
  EXPECT_EQ(reader.u32(), 7U);
  EXPECT_EQ(reader.u32(), 3U) << "LOCATION_FORWARD";
}

TEST_F(Answers, LocateRequestsThatFailSayWhy) {
  struct Failing final : AdapterActivator {
    bool unknown_adapter(PoaRef, const std::string&) override { throw CORBA::NO_PERMISSION(1); }
  };
  const PoaRef poa = root->create_POA("gone", root->the_POAManager(),
                                      {root->create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
                                       root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  const Address gone(poa->create_reference_with_id(string_to_ObjectId("x"), "IDL:Sayer:1.0"));
  poa->destroy(true, true);
  root->the_activator(CORBA::make_reference<Failing>());
  Client client(address.port);
  const Octets expected = Writer(test::kLittleEndian)
                              .giop(kLocateReply, 2)
                              .u32(5)
                              .u32(4)
                              .string("IDL:omg.org/CORBA/OBJ_ADAPTER:1.0")
                              .u32(0x4f4d0001)
                              .u32(1)
                              .finish();
  EXPECT_EQ(client.exchange(locate(5, gone.key, 2)), expected);
  EXPECT_EQ(client.exchange(locate(6, gone.key, 0)), locate_reply(6, 1, 0)) << "the request itself will be told";
}

TEST_F(Answers, CallersThatAnAdapterDoesNotTakeDoNotLearnWhichObjectsThereAre) {
  const PoaRef poa = root->create_POA("closed", root->the_POAManager(),
                                      {root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
                                       CORBA::make_reference<CallerPolicy>(Callers{.users = {::getuid()}})});
  poa->activate_object_with_id(string_to_ObjectId("here"), sayer);
  const Octets located = Writer(test::kLittleEndian)
                             .giop(kLocateReply, 2)
                             .u32(5)
                             .u32(4)
                             .string("IDL:omg.org/CORBA/NO_PERMISSION:1.0")
                             .u32(minor::kCallerRefused)
                             .u32(1)
                             .finish();
  std::set<Octets> replies;
  for (const char* const name : {"here", "nowhere"}) {
    const Address there(poa->create_reference_with_id(string_to_ObjectId(name), "IDL:Sayer:1.0"));
    Client client(there.port);
    EXPECT_EQ(client.exchange(locate(5, there.key, 2)), located) << name;
    EXPECT_EQ(client.exchange(locate(6, there.key, 0)), locate_reply(6, 1, 0)) << "the request itself will be told";
    replies.insert(client.exchange(request(1, 3, there.key, "say", text("x"))));
  }
  ASSERT_EQ(replies.size(), 1U);
  Reader reply(*replies.begin(), true, 12);
  EXPECT_EQ(reply.u32(), 1U);
  EXPECT_EQ(reply.u32(), 2U) << "a system exception";
  EXPECT_EQ(sayer->said, "");
}

TEST_F(Answers, ARequestThatWaitsForTheServerIsAnsweredOnceWhateverTheServantDoes) {
  Client client(address.port);
  const Octets empty_reply = Writer(test::kLittleEndian).giop(kReply, 2).u32(1).u32(0).u32(0).finish();
  for (const char* const operation : {"say", "deny", "full", "unknown"}) {
    EXPECT_EQ(client.exchange(request(1, 1, address.key, operation, text("x"))), empty_reply) << operation;
    EXPECT_EQ(client.exchange(locate(2, address.key, 2)), locate_reply(2, 1, 2)) << operation;
  }
  EXPECT_EQ(client.exchange(request(1, 1, test::octets_of("nobody"), "say", text("x"))), empty_reply);
  EXPECT_EQ(client.exchange(locate(2, address.key, 2)), locate_reply(2, 1, 2));
  // No answer at all to a oneway.
  client.send(request(3, 0, address.key, "deny", text("x")));
  EXPECT_EQ(client.exchange(locate(4, address.key, 2)), locate_reply(4, 1, 2));
}

TEST_F(Answers, ArgumentsAndResultsAreInTheCodeSetThatTheClientNamed) {
  const auto code_sets = [](std::uint32_t for_char) {
    return Context{1, Writer().octet(1).align(4).u32(for_char).u32(0x00010109).written()};
  };
  const auto reply = [](std::uint32_t number, std::string_view result) {
    return Writer(test::kLittleEndian).giop(kReply, 2).u32(number).u32(0).u32(0).align(8).string(result).finish();
  };
  constexpr std::string_view kLatin = "caf\xe9", kUtf8 = "caf\xc3\xa9";
  {
    Client latin(address.port);
    EXPECT_EQ(latin.exchange(request(1, 3, address.key, "say", text(kLatin), {code_sets(0x00010001)})),
              reply(1, kLatin));
    EXPECT_EQ(sayer->said, kUtf8);
    EXPECT_EQ(latin.exchange(request(2, 3, address.key, "say", text(kLatin))), reply(2, kLatin)) << "from then on";
  }
  Client utf8(address.port);
  EXPECT_EQ(utf8.exchange(request(1, 3, address.key, "say", text(kUtf8), {code_sets(0x05010001)})), reply(1, kUtf8));
  EXPECT_EQ(sayer->said, kUtf8);
}

}  // namespace
}  // namespace corbel::poa::testing
