// SPDX-License-Identifier: Apache-2.0
// The table of plain names, and the locator that is asked for what is not in it.
#include "corbel/poa/ior_table.hpp"

#include <future>
#include <stdexcept>
#include <thread>

#include "corbel/ior/ior.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using TableRef = IDL::traits<IORTable::Table>::ref_type;

/// Locates as it is told.
class Locator final : public IORTable::Locator {
 public:
  using Locate = std::function<std::string(const std::string& key)>;
  explicit Locator(Locate locate) : locate_(std::move(locate)) {}
  ~Locator() override { ++destroyed; }

  std::string locate(const std::string& object_key) override {
    ++asked;
    return locate_(object_key);
  }

  static inline std::atomic<int> destroyed{0};
  static inline std::atomic<int> asked{0};

 private:
  Locate locate_;
};

class IorTables : public ::testing::Test {
 protected:
  IorTables() {
    root->the_POAManager()->activate();
    Locator::destroyed = Locator::asked = 0;
  }
  ~IorTables() override {
    client->destroy();
    if (orb != nullptr) orb->destroy();
  }

  static std::string url(const std::string& key) { return "corbaloc:inproc:tabled/" + key; }
  /// What a call to the object of that name brings, from another ORB or from the same.
  std::string asking(const std::string& key) {
    return outcome([&] { answer = number(client->string_to_object(url(key))); });
  }
  std::string asking_here(const std::string& key) {
    return outcome([&] { answer = number(orb->string_to_object(url(key))); });
  }
  std::string text(std::int32_t more) {
    return orb->object_to_string(
        root->servant_to_reference(CORBA::make_reference<Probe>([more](std::int32_t n) { return n + more; })));
  }
  void locate_by(Locator::Locate locate) { table->set_locator(CORBA::make_reference<Locator>(std::move(locate))); }

  OrbRef orb = make_orb("tabled", {"-ORBListenEndpoints", "inproc://tabled"});
  OrbRef client = make_orb("asks the table");
  PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  TableRef table = IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable"));
  std::int32_t answer = 0;
};

constexpr const char* kNoObject = "OBJECT_NOT_EXIST 0x4f4d0001";

TEST_F(IorTables, LeadWhereTheyAreTold) {
  EXPECT_EQ(asking("Probe"), kNoObject);
  table->bind("Probe", text(1));
  EXPECT_EQ(asking("Probe"), "none");
  EXPECT_EQ(answer, 1);
  EXPECT_EQ(outcome([&] { table->bind("Probe", text(2)); }), "AlreadyBound");
  table->rebind("Probe", text(3));
  table->rebind("Other", text(4));
  EXPECT_EQ(asking("Probe"), "none");
  EXPECT_EQ(answer, 3);
  EXPECT_EQ(asking_here("Other"), "none");
  EXPECT_EQ(answer, 4);
  table->unbind("Probe");
  EXPECT_EQ(asking("Probe"), kNoObject);
  EXPECT_EQ(asking_here("Probe"), kNoObject);
  EXPECT_EQ(outcome([&] { table->unbind("Probe"); }), "NotFound");
  EXPECT_EQ(outcome([&] { table->set_locator(nullptr); }), "none");
}

TEST_F(IorTables, AreLocalObjectsEachOfOneOrb) {
  EXPECT_TRUE(table->_is_a("IDL:IORTable/Table:1.0"));
  EXPECT_TRUE(CORBA::make_reference<Locator>(nullptr)->_is_a("IDL:IORTable/Locator:1.0"));
  EXPECT_EQ(IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable")), table);
  EXPECT_NE(IDL::traits<IORTable::Table>::narrow(client->resolve_initial_references("IORTable")), table);
  EXPECT_EQ(outcome([&] { orb->object_to_string(table); }), "MARSHAL 0x4f4d0004");
  EXPECT_EQ(outcome([&] { orb->register_initial_reference("IORTable", table); }), "InvalidName");
}

TEST_F(IorTables, TakeAllThatStringToObjectTakes) {
  table->bind("Probe", text(1));
  table->bind("Alias", url("Probe"));
  orb->register_initial_reference("Registered", orb->string_to_object(text(2)));
  table->bind("Initial", "corbaloc:rir:/Registered");
  table->bind(std::string("odd\0%key", 8), text(5));
  EXPECT_EQ(asking("Alias"), "none");
  EXPECT_EQ(asking("Initial"), "none");
  EXPECT_EQ(answer, 2);
  EXPECT_EQ(asking("odd%00%25key"), "none");
  EXPECT_EQ(answer, 5);
}

TEST_F(IorTables, ComeAfterRegisteredReferencesAndBeforeTheLocator) {
  table->bind("Both", text(1));
  locate_by([this](const std::string&) { return text(2); });
  EXPECT_EQ(asking("Both"), "none");
  EXPECT_EQ(answer, 1);
  orb->register_initial_reference("Both", orb->string_to_object(text(3)));
  EXPECT_EQ(asking("Both"), "none");
  EXPECT_EQ(answer, 3);
  EXPECT_EQ(number(orb->string_to_object(text(7))), 7);
  EXPECT_EQ(Locator::asked, 0);
  EXPECT_EQ(asking("Neither"), "none");
  EXPECT_EQ(answer, 2);
  EXPECT_EQ(Locator::asked, 1);
}

TEST_F(IorTables, FindAsksTheLocator) {
  EXPECT_EQ(outcome([&] { (void)table->find("a"); }), "NotFound");
  table->bind("a", "anything");
  locate_by([](const std::string& key) {
    if (key == "c") throw IORTable::NotFound();
    return "located " + key;
  });
  EXPECT_EQ(table->find("a"), "anything");
  EXPECT_EQ(table->find("b"), "located b");
  EXPECT_EQ(outcome([&] { (void)table->find("c"); }), "NotFound");
}

TEST_F(IorTables, TellClientsWhatTheLocatorThrows) {
  locate_by([this](const std::string& key) -> std::string {
    if (key == "permission") throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_MAYBE);
    if (key == "user") throw IORTable::AlreadyBound();
    if (key == "foreign") throw std::runtime_error("no database");
    if (key == "memory") throw std::bad_alloc();
    if (key == "number") throw 7;
    if (key == "found") return text(9);
    throw IORTable::NotFound();
  });
  for (const bool here : {false, true}) {
    const auto ask = [&](const char* key) { return here ? asking_here(key) : asking(key); };
    EXPECT_EQ(ask("nobody"), kNoObject);
    EXPECT_EQ(ask("permission"), "NO_PERMISSION 0x00000007");
    EXPECT_EQ(ask("user"), "UNKNOWN 0x4f4d0001");
    EXPECT_EQ(ask("foreign").substr(0, 7), "UNKNOWN");
    EXPECT_EQ(ask("memory").substr(0, 9), "NO_MEMORY");
    EXPECT_EQ(ask("number").substr(0, 7), "UNKNOWN");
    EXPECT_EQ(ask("found"), "none");
  }
  try {
    number(client->string_to_object(url("permission")));
  } catch (const CORBA::NO_PERMISSION& exception) {
    EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO) << "of the client's request";
  }
}

TEST_F(IorTables, ToWhichNonsenseIsNoObject) {
  std::string says;
  locate_by([&](const std::string&) { return says; });
  for (const std::string& nonsense :
       {std::string(), std::string("nonsense"), std::string("IOR:zz"), ior::to_string(ior::Ior{}),
        std::string("corbaloc:rir:/RootPOA"), std::string("corbaloc:rir:/Nobody"), std::string("file:///nonexistent"),
        std::string(100'000, '\n')}) {
    says = nonsense;
    EXPECT_EQ(asking("it"), kNoObject) << nonsense.substr(0, 30);
  }
}

TEST_F(IorTables, ThatLeadInACircleEndTheCall) {
  table->bind("Circle", url("Circle"));
  EXPECT_NE(asking("Circle"), "none");
  EXPECT_NE(asking_here("Circle"), "none");
  locate_by([](const std::string& key) { return url(key); });
  EXPECT_NE(asking("Located"), "none");
  // It asks itself, on threads of the server, of which others need some.
  locate_by([this](const std::string& key) {
    number(orb->string_to_object(url(key)));
    return text(1);
  });
  EXPECT_EQ(asking("Inside").substr(0, 12), "NO_RESOURCES");
  EXPECT_EQ(asking_here("Inside").substr(0, 12), "NO_RESOURCES");
  EXPECT_LE(Locator::asked, 100);
  locate_by([](const std::string&) { return "corbaname:inproc:tabled/Itself#name"; });
  EXPECT_EQ(asking("Itself").substr(0, 12), "NO_RESOURCES");
}

TEST_F(IorTables, KeepALocatorThatIsReplacedUntilItHasAnswered) {
  std::promise<void> begun, go_on;
  std::shared_future<void> may_go_on = go_on.get_future();
  const std::string old_one = text(1);
  locate_by([&begun, may_go_on, old_one](const std::string&) {
    begun.set_value();
    may_go_on.wait();
    return old_one;
  });
  table->bind("Bound", text(3));
  std::thread slow([&] { EXPECT_EQ(number(client->string_to_object(url("Slow"))), 1); });
  begun.get_future().wait();
  const OrbRef other = make_orb("asks meanwhile");
  EXPECT_EQ(number(other->string_to_object(url("Bound"))), 3) << "nothing waits for the locator";
  locate_by([&](const std::string&) { return text(2); });
  EXPECT_EQ(Locator::destroyed, 0);
  EXPECT_EQ(number(other->string_to_object(url("New"))), 2);
  go_on.set_value();
  slow.join();
  table->set_locator(nullptr);
  EXPECT_EQ(asking("New"), kNoObject);
  other->destroy();
}

TEST_F(IorTables, MayBeChangedByTheLocator) {
  locate_by([this](const std::string& key) {
    table->bind(key, text(1));
    table->set_locator(nullptr);
    return table->find(key);
  });
  EXPECT_EQ(asking("New"), "none");
  EXPECT_EQ(Locator::destroyed, 1);
  EXPECT_EQ(asking("New"), "none");
}

TEST_F(IorTables, LetNoLocatorWaitForTheEndOfTheOrb) {
  std::string ending;
  locate_by([&](const std::string&) {
    ending = outcome([&] { orb->shutdown(true); });
    return text(1);
  });
  for (const bool here : {false, true}) {
    EXPECT_EQ(here ? asking_here("it") : asking("it"), "none");
    EXPECT_EQ(ending, "BAD_INV_ORDER 0x4f4d0003");
  }
}

TEST_F(IorTables, ForgetEverythingWhenTheOrbEnds) {
  locate_by([orb = orb](const std::string&) { return orb->id(); });
  table->bind("Probe", text(1));
  orb->destroy();
  orb = nullptr;
  EXPECT_EQ(Locator::destroyed, 1) << "it kept the ORB";
  const std::string gone = outcome([&] { (void)table->find("Probe"); });
  EXPECT_EQ(gone.substr(0, 16), "OBJECT_NOT_EXIST");
  EXPECT_EQ(outcome([&] { table->bind("Probe", ""); }), gone);
  EXPECT_EQ(outcome([&] { table->rebind("Probe", ""); }), gone);
  EXPECT_EQ(outcome([&] { table->unbind("Probe"); }), gone);
  EXPECT_EQ(outcome([&] { table->set_locator(CORBA::make_reference<Locator>(nullptr)); }), gone);
}

TEST_F(IorTables, AnswerLocateRequestsToo) {
  table->bind("Probe", text(1));
  locate_by([this](const std::string& key) {
    if (key == "nobody") throw IORTable::NotFound();
    if (key == "denied") throw CORBA::NO_PERMISSION(7);
    return text(2);
  });
  auto* const adapter = orb->_core().adapter();
  const auto located = [&](const char* key) -> std::string {
    try {
      adapter->locate(base::as_bytes(std::string_view(key)));
      return "here";
    } catch (const orb::LocationForward& forward) {
      return forward.permanent ? "moved for good" : std::to_string(forward.ior.profiles.size());
    } catch (const CORBA::SystemException& exception) {
      return exception._name();
    }
  };
  EXPECT_EQ(located("Probe"), "1");
  EXPECT_EQ(located("located"), "1");
  EXPECT_EQ(located("nobody"), "OBJECT_NOT_EXIST");
  EXPECT_EQ(located("denied"), "NO_PERMISSION");
}

}  // namespace
}  // namespace corbel::poa::testing
