// SPDX-License-Identifier: Apache-2.0
// Options of an ORB do what they say, as those outside see it. Every row of the table of options is named by a test.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "corbel/builtins/builtins.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/parts.hpp"
#include "support.hpp"
#include "support/documents.hpp"
#include "support/files.hpp"

namespace corbel::policies_test {
namespace {

using Arguments = std::vector<std::string>;
namespace answer = test::answer;

std::string option_of(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, level, name, &value, &size) == 0 ? std::to_string(value) : "none";
}

std::string port_of(int socket, int (*name)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  const bool known = name(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.sin_family == AF_INET;
  return known ? std::to_string(ntohs(address.sin_port)) : "none";
}

/// The first socket of this process of which this is true; -1 if there is none.
int find_socket(const std::function<bool(int)>& is_it) {
  constexpr int kMost = 1024;
  for (int socket = 3; socket < kMost; ++socket) {
    if (option_of(socket, SOL_SOCKET, SO_TYPE) != "none" && is_it(socket)) return socket;
  }
  return -1;
}

// --- what an ORB with some options shows ---

std::string initial_reference(const Arguments& options) {
  const Orb orb(options);
  return ending_of([&] { orb->resolve_initial_references("Elsewhere"); });
}

const test::Folder& services_folder() {
  static const test::Folder folder;
  return folder;
}

/// Whether somebody finds a server of this host that listens in that folder.
std::string local_service(const Arguments& options) {
  const test::FakePeer peer({answer::text("")});
  const Orb server({"-ORBLocalServices", services_folder().path().string()});
  server->register_initial_reference("Elsewhere", server.thing(peer.ior()));
  orb::serve_locally(*server.operator->(), "Elsewhere");
  return initial_reference(options);
}

/// Of the connection to a server.
std::string tcp_option(const Arguments& options, int level, int name) {
  test::FakePeer peer({answer::text("")});
  const Orb orb(options);
  orb.thing(peer.ior())->ask("");
  return option_of(
      find_socket([&](int socket) { return port_of(socket, ::getpeername) == std::to_string(peer.port()); }), level,
      name);
}

/// How a call of a reference with these profiles ends.
std::string call(const Arguments& options, const std::function<std::string(const test::FakePeer&)>& reference) {
  test::FakePeer peer({answer::text("")});
  const Orb orb(options);
  return ending_of([&] { orb.thing(reference(peer))->ask(""); });
}

std::string call_answered_with_contexts(const Arguments& options) {
  test::FakePeer peer({[](test::Conversation& client, const test::Received& request) {
    test::Writer reply;
    reply.giop(test::kReply, request.minor).u32(request.request_id).u32(0);
    reply.u32(2).u32(0x43420001).octets({}).u32(0x43420002).octets({});
    client.send(reply.align(8).string("").finish());
  }});
  const Orb orb(options);
  return ending_of([&] { orb.thing(peer.ior())->ask(""); });
}

/// Many strings without a character: more memory than octets.
std::string call_answered_with_names(const Arguments& options) {
  constexpr std::uint32_t kNames = 200'000;
  test::FakePeer peer({answer::status(0, [](test::Writer& writer) {
    writer.u32(kNames);
    for (std::uint32_t i = 0; i < kNames; ++i) writer.string("");
  })});
  const Orb orb(options);
  const auto lister = IDL::traits<Policies::Lister>::unchecked_narrow(orb->string_to_object(peer.ior()));
  return ending_of([&] { EXPECT_EQ(lister->names().size(), kNames); });
}

/// A server with an object.
struct Server {
  struct Servant final : CORBA::servant_traits<Policies::Thing>::base_type {
    std::string ask(const std::string& question) override { return question; }
    void note(std::int32_t) override {}
  };

  explicit Server(const Arguments& options) : orb(options) {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    reference = orb->object_to_string(root->servant_to_reference(CORBA::make_reference<Servant>()));
  }
  Orb orb;
  std::string reference;
};

std::string call_of_long_name(const Arguments& options) {
  const Server server(options);
  const Orb client;
  const auto lister = IDL::traits<Policies::Lister>::unchecked_narrow(client->string_to_object(server.reference));
  return ending_of([&] { lister->an_operation_whose_name_is_long(); });
}

std::string backlog(const Arguments& options) {
  const Server server(options);
  const int socket = find_socket([](int each) {
    return option_of(each, SOL_SOCKET, SO_ACCEPTCONN) == "1" && port_of(each, ::getsockname) != "none";
  });
  tcp_info info{};
  socklen_t size = sizeof info;
  // Of a listening socket this is how many may wait.
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? std::to_string(info.tcpi_sacked) : "none";
}

/// Of the socket by which a group is sent to.
std::string group_option(Arguments options, int name) {
  options.insert(options.end(), {"-ORBMulticastInterface", "lo"});
  const Orb orb(options);
  orb.thing("corbaloc:miop:1.0@1.0-CorbelOptions-1/239.255.77.12:40777")->note(1);
  return option_of(find_socket([](int socket) {
                     return option_of(socket, SOL_SOCKET, SO_TYPE) == std::to_string(SOCK_DGRAM) &&
                            option_of(socket, SOL_SOCKET, SO_DOMAIN) == std::to_string(AF_INET);
                   }),
                   IPPROTO_IP, name);
}

std::string listening_at_shared_memory(Arguments options) {
  options.insert(options.end(), {"-ORBListenEndpoints", "shm://"});
  return ending_of([&] { const Server server(options); });
}

struct Effect {
  const char* option;
  std::string value;
  std::function<std::string(const Arguments&)> observe;
  std::string with;
  std::string without;  ///< empty: anything else
};

const std::vector<Effect>& effects() {
  using test::FakePeer;
  static const std::vector<Effect> all = {
      {"DefaultInitRef", "corbaloc::127.0.0.1:1", initial_reference, "done", "InvalidName"},
      {"LocalServices", services_folder().path().string(), local_service, "done", "InvalidName"},
      {"NoDelay", "off", [](const Arguments& with) { return tcp_option(with, IPPROTO_TCP, TCP_NODELAY); }, "0", "1"},
      {"KeepAlive", "off", [](const Arguments& with) { return tcp_option(with, SOL_SOCKET, SO_KEEPALIVE); }, "0", "1"},
      {"KeepAliveTime", "61001", [](const Arguments& with) { return tcp_option(with, IPPROTO_TCP, TCP_KEEPIDLE); },
       "62", ""},
      {"KeepAliveInterval", "5000", [](const Arguments& with) { return tcp_option(with, IPPROTO_TCP, TCP_KEEPINTVL); },
       "5", ""},
      {"KeepAliveProbes", "3", [](const Arguments& with) { return tcp_option(with, IPPROTO_TCP, TCP_KEEPCNT); }, "3",
       ""},
      {"ConfigFile", services_folder().write("options.conf", "NoDelay off\n"),
       [](const Arguments& with) { return tcp_option(with, IPPROTO_TCP, TCP_NODELAY); }, "0", "1"},
      {"Backlog", "3", backlog, "3", ""},
      {"MulticastHops", "7", [](const Arguments& with) { return group_option(with, IP_MULTICAST_TTL); }, "7", "1"},
      {"MulticastLoopback", "off", [](const Arguments& with) { return group_option(with, IP_MULTICAST_LOOP); }, "0",
       "1"},
      {"ShmUsers", "no such user", listening_at_shared_memory, "BAD_PARAM NO", "done"},
      {"MaxServiceContexts", "1", call_answered_with_contexts, "MARSHAL MAYBE", "done"},
      {"MaxProfiles", "1",
       [](const Arguments& with) {
         return call(with, [](const FakePeer& peer) { return test::ior_string({peer.profile(), peer.profile()}); });
       },
       "BAD_PARAM NO 10", "done"},
      {"MaxComponents", "0",
       [](const Arguments& with) { return call(with, [](const FakePeer& peer) { return peer.ior(); }); },
       "INV_OBJREF NO", "done"},
      {"MaxObjectKey", "64",
       [](const Arguments& with) {
         return call(with, [](const FakePeer& peer) { return test::ior_string({peer.profile(std::string(65, 'k'))}); });
       },
       "INV_OBJREF NO", "done"},
      {"MaxOperation", "16", call_of_long_name, "IMP_LIMIT NO", "BAD_OPERATION NO 2"},
      {"MaxExpansion", "1", call_answered_with_names, "MARSHAL YES", "done"},
  };
  return all;
}

TEST(EffectsOfOptions, AreSeenFromOutside) {
  for (const Effect& effect : effects()) {
    EXPECT_EQ(effect.observe({std::string("-ORB") + effect.option, effect.value}), effect.with) << effect.option;
    const std::string without = effect.observe({});
    if (effect.without.empty()) {
      EXPECT_NE(without, effect.with) << effect.option;
    } else {
      EXPECT_EQ(without, effect.without) << effect.option;
    }
  }
}

TEST(EffectsOfOptions, ServersKeepTheirConnectionsAliveAsClientsDo) {
  const Server server({"-ORBKeepAliveTime", "90000"});
  const Orb client;
  client.thing(server.reference)->ask("");
  const int listens = find_socket([](int each) {
    return option_of(each, SOL_SOCKET, SO_ACCEPTCONN) == "1" && port_of(each, ::getsockname) != "none";
  });
  const std::string port = port_of(listens, ::getsockname);
  const int accepted = find_socket([&](int each) { return each != listens && port_of(each, ::getsockname) == port; });
  EXPECT_EQ(option_of(accepted, IPPROTO_TCP, TCP_KEEPIDLE), "90");
  const int connected = find_socket([&](int each) { return port_of(each, ::getpeername) == port; });
  EXPECT_NE(option_of(connected, IPPROTO_TCP, TCP_KEEPIDLE), "90");
}

/// All that the tests' sources say.
std::string tests_text() {
  std::ostringstream text;
  for (const char* folder : {"tests", "src", "services", "tools"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(CORBEL_SOURCE) / folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_test = std::string_view(folder) == "tests" || name.find("_test.") != std::string::npos;
      const bool is_source = name.ends_with(".cpp") || name.ends_with(".hpp") || name.ends_with(".py");
      if (is_test && is_source && entry.is_regular_file()) text << std::ifstream(entry.path()).rdbuf();
    }
  }
  return text.str();
}

TEST(EffectsOfOptions, AreLookedAtBySomeTest) {
  // Only times show when an idle thread is given back, and time is nothing that a test can count.
  std::set<std::string_view> named = {"StickyIdle"};
  for (const Effect& effect : effects()) named.insert(effect.option);
  const std::string text = tests_text();
  orb::Options options;
  const orb::OptionList all(options, builtins::components().transports);
  for (const base::Option& each : all.all()) {
    const std::string name = "-ORB" + std::string(each.name);
    bool found = named.contains(each.name);
    for (std::size_t at = text.find(name); !found && at != std::string::npos; at = text.find(name, at + 1)) {
      found = std::isalnum(static_cast<unsigned char>(text[at + name.size()])) == 0;
    }
    EXPECT_TRUE(found) << name << " is in no test: add what can be seen of it to this one's table";
  }
}

/// With CORBEL_UPDATE_DOCS=1 in the environment it is rewritten.
TEST(DocumentOfOptions, IsThatOfTheTables) {
  const auto transports = builtins::components().transports;
  if (std::none_of(transports.begin(), transports.end(), [](const auto& one) { return one->scheme() == "tls"; })) {
    GTEST_SKIP() << "the document shows the options of a transport that this build has not";
  }
  orb::Options options;
  test::expect_document(std::filesystem::path(CORBEL_SOURCE) / "docs" / "options.md",
                        orb::OptionList(options, transports).document());
}

}  // namespace
}  // namespace corbel::policies_test
