// SPDX-License-Identifier: Apache-2.0
// Adapters that take the requests of some callers only (CallerPolicy), over every transport that knows who they are.
#include <unistd.h>

#include <atomic>
#include <utility>

#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/orb/peer.hpp"
#include "corbel/poa/caller_policy.hpp"
#include "door_server.hpp"
#include "support.hpp"

namespace corbel::tls_test {
namespace {

using DoorRef = IDL::traits<Guarded::Door>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using Options = std::vector<std::string>;
using poa::CallerPolicy;
using poa::Callers;
using Least = poa::Callers::Least;

class DoorImpl final : public virtual CORBA::servant_traits<Guarded::Door>::base_type {
 public:
  std::string knock(const std::string& text) override {
    ++entered;
    if (neighbour != nullptr) return neighbour->knock(text);
    return text;
  }
  void slip(const std::string&) override { ++entered; }

  std::atomic<int> entered{0};
  DoorRef neighbour;
};

OrbRef make_orb(const std::string& name, Options options, const std::shared_ptr<KeptLog>& log = nullptr) {
  static int number = 0;
  options.insert(options.begin(), {"program", "-ORBLogLevel", "debug", "-ORBLogRate", "0"});
  auto components = builtins::components();
  if (log != nullptr) components.log_sink = log;
  return orb::init(options, name + std::to_string(++number), components);
}

/// A server with doors.
struct House {
  explicit House(const Options& options) : orb(make_orb("house", options, log)) { root->the_POAManager()->activate(); }
  ~House() { end(); }
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  /// The log is complete then.
  void end() {
    if (door->neighbour != nullptr) door->neighbour = nullptr;  // written by tests without calls over shared memory
    if (orb != nullptr) orb->destroy();
    orb = nullptr;
  }
  PoaRef adapter(const Callers& callers, CORBA::PolicyList policies = {}) {
    policies.push_back(CORBA::make_reference<CallerPolicy>(callers));
    return root->create_POA("adapter " + std::to_string(++adapters), root->the_POAManager(), policies);
  }
  std::string url(const PoaRef& poa) { return orb->object_to_string(poa->id_to_reference(poa->activate_object(door))); }
  std::string url(const Callers& callers) { return url(adapter(callers, several())); }
  /// One servant is behind all doors.
  CORBA::PolicyList several() const {
    return {root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID)};
  }

  std::shared_ptr<KeptLog> log = std::make_shared<KeptLog>();
  CORBA::servant_reference<DoorImpl> door = CORBA::make_reference<DoorImpl>();
  OrbRef orb;
  PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  int adapters = 0;
};

struct Visitor {
  explicit Visitor(const Options& options = {}) : orb(make_orb("visitor", options)) {}
  ~Visitor() { orb->destroy(); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  DoorRef door(const std::string& url) const {
    return IDL::traits<Guarded::Door>::unchecked_narrow(orb->string_to_object(url));
  }
  /// "in", or what the caller is told.
  std::string knock(const std::string& url) const {
    return ending([&] { door(url)->knock("hello"); });
  }

  template <class Call>
  static std::string ending(const Call& call) {
    try {
      call();
      return "in";
    } catch (const CORBA::NO_PERMISSION& refusal) {
      EXPECT_EQ(refusal.minor(), corba::minor::kCallerRefused);
      EXPECT_EQ(refusal.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      return "refused";
    } catch (const CORBA::Exception& other) {
      return other._rep_id();
    }
  }

  OrbRef orb;
};

class CallersOverTls : public testing::Test {
 protected:
  Options settings(const std::string& name, const Options& more = {}) {
    Options options = {"-ORBTlsCertificate", certificates_.issue(name, {.common_name = name}), "-ORBTlsAuthorities",
                       certificates_.authority()};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  Options serving(const std::string& endpoints = "ssliop://127.0.0.1:0", const Options& more = {}) {
    Options options = settings("house", {"-ORBListenEndpoints", endpoints});
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }

  Certificates certificates_;
};

TEST_F(CallersOverTls, AreTakenByTheSubjectOfTheirCertificate) {
  House house(serving("ssliop://127.0.0.1:0", {"-ORBThreads", "1"}));  // which knows the way after some requests
  const std::string alices = house.url({.subjects = {"CN=carol,O=Corbel", "CN=alice,O=Corbel"}});
  const std::string staffs = house.url({.subjects = {"CN=*,O=Corbel"}});
  const std::string others = house.url({.subjects = {"CN=*,O=Elsewhere", "CN=*"}});
  const std::string everybodys = house.url(house.root);
  const Visitor alice(settings("alice"));
  const Visitor bob(settings("bob"));
  EXPECT_EQ(bob.knock(alices), "refused");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(alice.knock(alices), "in");
  EXPECT_EQ(bob.knock(alices), "refused") << "each by its own certificate";
  EXPECT_EQ(alice.knock(alices), "in");
  EXPECT_EQ(bob.knock(alices), "refused");
  EXPECT_EQ(bob.knock(staffs), "in");
  EXPECT_EQ(alice.knock(others), "refused");
  EXPECT_EQ(bob.knock(everybodys), "in");
  EXPECT_EQ(house.door->entered, 8);
  const auto told = house.log->wait_for("request refused, the adapter does not take its caller");
  EXPECT_EQ(told.level, base::LogLevel::warning);
  EXPECT_EQ(told.value("poa"), "adapter 1");
  EXPECT_EQ(told.value("operation"), "knock");
  EXPECT_EQ(told.value("subject"), "CN=bob,O=Corbel");
}

TEST_F(CallersOverTls, ThatAreNotTakenDoNotLearnWhichObjectsThereAre) {
  House house(serving());
  const auto poa =
      house.adapter({.subjects = {"CN=alice,O=Corbel"}},
                    {house.root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  poa->activate_object_with_id({'a'}, house.door);
  const auto url = [&](std::uint8_t id) {
    return house.orb->object_to_string(poa->create_reference_with_id({id}, "IDL:Guarded/Door:1.0"));
  };
  const Visitor bob(settings("bob"));
  for (const std::uint8_t id : {'a', 'z'}) {
    EXPECT_EQ(bob.knock(url(id)), "refused");
    EXPECT_EQ(Visitor::ending([&] { (void)bob.door(url(id))->_non_existent(); }), "refused");
    EXPECT_EQ(Visitor::ending([&] { (void)bob.door(url(id))->_is_a("IDL:Guarded/Window:1.0"); }), "refused");
    EXPECT_EQ(Visitor::ending([&] { (void)bob.orb->string_to_object(url(id))->_repository_id(); }), "refused");
  }
  const Visitor alice(settings("alice"));
  EXPECT_TRUE(alice.door(url('z'))->_non_existent());
}

TEST_F(CallersOverTls, HaveTheirOnewaysDroppedAndTheLogTellsOfEach) {
  House house(serving());
  const std::string url = house.url({.subjects = {"CN=alice,O=Corbel"}});
  const Visitor bob(settings("bob"));
  for (int i = 0; i < 3; ++i) bob.door(url)->slip("note");
  EXPECT_EQ(bob.knock(url), "refused") << "the connection goes on";
  house.end();
  EXPECT_EQ(house.log->count("request refused, the adapter does not take its caller"), 4U);
  EXPECT_EQ(house.door->entered, 0);
}

TEST_F(CallersOverTls, NeedNotBeIdentifiedWhereEncryptionIsEnough) {
  House house(serving("ssliop://127.0.0.1:0;tcp://127.0.0.1:0", {"-ORBTlsVerifyClients", "optional"}));
  const std::string encrypted = house.url({.least = Least::encrypted});
  const std::string identified = house.url({.least = Least::identified});
  const std::string anybodys = house.url(Callers{});
  const Visitor plain({"-ORBProtocolPreference", "giop+tcp"});
  const Visitor unnamed({"-ORBTlsAuthorities", certificates_.authority()});
  const Visitor alice(settings("alice"));
  EXPECT_EQ(plain.knock(encrypted), "refused");
  EXPECT_EQ(plain.knock(identified), "refused");
  EXPECT_EQ(plain.knock(anybodys), "in");
  EXPECT_EQ(unnamed.knock(encrypted), "in");
  EXPECT_EQ(unnamed.knock(identified), "refused");
  EXPECT_EQ(alice.knock(encrypted), "in");
  EXPECT_EQ(alice.knock(identified), "in");
}

TEST_F(CallersOverTls, ThatAServerHasNotAskedForACertificateAreNobody) {
  House house(serving("ssliop://127.0.0.1:0", {"-ORBTlsVerifyClients", "off"}));
  const Visitor alice(settings("alice"));
  EXPECT_EQ(alice.knock(house.url({.subjects = {"CN=alice,O=Corbel"}})), "refused");
  EXPECT_EQ(alice.knock(house.url({.least = Least::encrypted})), "in");
}

TEST_F(CallersOverTls, AreKnownAlsoWhenTheyGoOnWithAnEarlierSession) {
  House house(serving());
  const std::string url = house.url({.subjects = {"CN=alice,O=Corbel"}});
  const Visitor alice(settings("alice", {"-ORBIdleTimeout", "100"}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(alice.knock(url), "in");
    ::usleep(300'000);
  }
}

TEST(Callers, OfThisHostAreTakenAsTheSystemKnowsThem) {
  const Visitor visitor;
  for (const char* endpoint : {"unix://", "packet://", "shm://", "giop_lite+unix://"}) {
    House house({"-ORBListenEndpoints", endpoint});
    const std::uint32_t me = ::getuid();
    EXPECT_EQ(visitor.knock(house.url({.users = {me + 1, me}})), "in") << endpoint;
    EXPECT_EQ(visitor.knock(house.url({.users = {me + 1}})), "refused") << endpoint;
    EXPECT_EQ(visitor.knock(house.url({.groups = {::getgid()}})), "in") << endpoint;
    EXPECT_EQ(visitor.knock(house.url({.subjects = {"CN=*"}, .groups = {::getgid() + 1}})), "refused") << endpoint;
    EXPECT_EQ(visitor.knock(house.url({.least = Least::encrypted})), "in") << endpoint;
    EXPECT_EQ(visitor.knock(house.url({.least = Least::identified})), "in") << endpoint;
    house.end();
    EXPECT_EQ(house.log->wait_for("request refused, the adapter does not take its caller").value("user"),
              std::to_string(me));
  }
}

TEST(Callers, AreNotAskedForWhereCallsStayInTheProcess) {
  House house({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const std::string url = house.url({.subjects = {"CN=alice,O=Corbel"}});
  const auto inside = IDL::traits<Guarded::Door>::narrow(house.orb->string_to_object(url));
  EXPECT_EQ(inside->knock("hello"), "hello");
  EXPECT_EQ(inside->knock("hello"), "hello");
  const Visitor visitor;
  EXPECT_EQ(visitor.knock(url), "refused") << "though calls inside have opened the short way";

  // A servant of an adapter that takes everybody answers for what it calls.
  const auto open = CORBA::make_reference<DoorImpl>();
  open->neighbour = inside;
  house.root->activate_object(open);
  EXPECT_EQ(visitor.knock(house.orb->object_to_string(house.root->servant_to_reference(open))), "in");
  open->neighbour = nullptr;
}

TEST(Callers, OfAChildAreItsOwnPolicys) {
  House house({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto poa = house.adapter({.least = Least::identified});
  const auto child = poa->create_POA("child", house.root->the_POAManager(), {});
  EXPECT_EQ(Visitor().knock(house.url(child)), "in");
}

TEST(Callers, AreRefusedBeforeServantManagersAndManagersOfAdapters) {
  struct Locator final : PortableServer::ServantLocator {
    IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&, PoaRef,
                                                             const CORBA::Identifier&, Cookie&) override {
      ++asked;
      return CORBA::make_reference<DoorImpl>();
    }
    void postinvoke(const PortableServer::ObjectId&, PoaRef, const CORBA::Identifier&, Cookie,
                    IDL::traits<PortableServer::Servant>::ref_type) override {}
    std::atomic<int> asked{0};
  };
  House house({"-ORBListenEndpoints", "tcp://127.0.0.1:0;unix://"});
  const auto manager = house.root->create_POA("held", nullptr, {})->the_POAManager();  // nobody activates it
  using namespace PortableServer;                                                      // NOLINT: policy values
  const auto poa = house.root->create_POA(
      "located", manager,
      {house.root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       house.root->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
       CORBA::make_reference<CallerPolicy>(Callers{.least = Least::identified})});
  const auto locator = CORBA::make_reference<Locator>();
  poa->set_servant_manager(locator);
  const std::string url = house.orb->object_to_string(poa->create_reference("IDL:Guarded/Door:1.0"));
  const Visitor stranger({"-ORBProtocolPreference", "giop+tcp"});
  EXPECT_EQ(stranger.knock(url), "refused") << "without waiting";
  EXPECT_EQ(locator->asked, 0);
  manager->activate();
  EXPECT_EQ(stranger.knock(url), "refused");
  EXPECT_EQ(locator->asked, 0);
  EXPECT_EQ(Visitor({"-ORBProtocolPreference", "giop+unix"}).knock(url), "in");
  EXPECT_EQ(locator->asked, 1);
}

TEST(Callers, OfAPolicyThatSaysNothingOrNonsense) {
  House house({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  for (const char* subject : {"alice", "", "=alice"}) {
    try {
      house.root->create_POA("nonsense", nullptr,
                             {CORBA::make_reference<CallerPolicy>(Callers{}),
                              CORBA::make_reference<CallerPolicy>(Callers{.subjects = {"CN=bob", subject}})});
      ADD_FAILURE() << subject;
    } catch (const PortableServer::POA::InvalidPolicy& invalid) {
      EXPECT_EQ(invalid.index(), 1);
    }
  }
  try {
    house.adapter({}, {CORBA::make_reference<CallerPolicy>(Callers{})});
    ADD_FAILURE() << "two of them";
  } catch (const PortableServer::POA::InvalidPolicy& invalid) {
    EXPECT_EQ(invalid.index(), 1);
  }
  const CallerPolicy policy({.users = {7}});
  EXPECT_FALSE(policy._overrides());
}

/// Notes the points of interception that it is at.
class Points final : public PortableInterceptor::ServerRequestInterceptor {
 public:
  using Info = IDL::traits<PortableInterceptor::ServerRequestInfo>::ref_type;
  std::string name() override { return "points"; }
  void receive_request_service_contexts(Info) override { text += 'c'; }
  void receive_request(Info) override { text += 'r'; }
  void send_reply(Info) override { text += 'y'; }
  void send_exception(Info) override { text += 'x'; }
  void send_other(Info) override { text += 'o'; }
  std::string text;
};

TEST(Callers, AreSeenByTheFirstPointOfInterceptionAlone) {
  static const auto points = CORBA::make_reference<Points>();
  static bool wanted = true;
  struct Initializer final : PortableInterceptor::ORBInitializer {
    void pre_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type) override {}
    void post_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type info) override {
      if (std::exchange(wanted, false)) info->add_server_request_interceptor(points);
    }
  };
  PortableInterceptor::register_orb_initializer(CORBA::make_reference<Initializer>());
  House house({"-ORBListenEndpoints", "tcp://127.0.0.1:0;unix://"});
  const std::string url = house.url({.least = Least::identified});
  EXPECT_EQ(Visitor({"-ORBProtocolPreference", "giop+tcp"}).knock(url), "refused");
  EXPECT_EQ(std::exchange(points->text, {}), "cx");
  EXPECT_EQ(Visitor({"-ORBProtocolPreference", "giop+unix"}).knock(url), "in");
  EXPECT_EQ(points->text, "cry");
}

}  // namespace
}  // namespace corbel::tls_test
