// SPDX-License-Identifier: Apache-2.0
// Servants that answer later under the policies of object adapters.
#include "support.hpp"

namespace corbel::deferred_test {
namespace {

using CounterAnswer = CORBA::amh_traits<Deferred::Counter>::response_handler_ref_type;

class Counting final : public virtual CORBA::amh_traits<Deferred::Counter>::base_type, public Keeper {
 public:
  void ask_excep(CounterAnswer answer) override { answer->ami_ask_excep(); }
  void get_title(CounterAnswer answer) override { answer->ami_get_title(); }
  void count(CounterAnswer answer) override { answer->count(7); }
};

PoaRef poa_of_a_locator(const World& world) {
  return world.root->create_POA(
      "located", world.root->the_POAManager(),
      {world.root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       world.root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
}

PoaRef poa_of_a_default_servant(const World& world) {
  return world.root->create_POA(
      "default", world.root->the_POAManager(),
      {world.root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID),
       world.root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
}

TEST(DeferringServant, InheritsOperationsWithTheirHandlers) {
  World world;
  const auto counting = CORBA::make_reference<Counting>();
  const auto counter = IDL::traits<Deferred::Counter>::unchecked_narrow(
      world.client->string_to_object(world.server->object_to_string(counting->Counting::_this())));
  EXPECT_TRUE(counter->_is_a("IDL:Deferred/Base:1.0"));
  EXPECT_EQ(counter->count(), 7);
  EXPECT_EQ(counter->name(), "desk");
  EXPECT_EQ(counter->title(), "desk");
  counter->ask_excep();
  counter->get_title();
  Caller caller([&] { return counter->ask("a"); });
  counting->take().answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
}

TEST(DeferringServant, LeavesItsTurnWhenItReturns) {
  World world;
  const auto poa = world.root->create_POA(
      "turns", world.root->the_POAManager(),
      {world.root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  const auto keeper = CORBA::make_reference<Keeper>();
  const auto local = IDL::traits<Deferred::Desk>::narrow(poa->id_to_reference(poa->activate_object(keeper)));
  for (const auto& desk : {world.remote(local), local}) {
    Caller caller([&] { return desk->ask("a"); });
    const Keeper::Asked asked = keeper->take();
    EXPECT_EQ(desk->ask("now"), "at once");
    asked.answer->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
  }
}

TEST(DeferringServant, HasNoCurrentLater) {
  World world;
  Caller caller([&] { return world.desk->ask("a"); });
  const Keeper::Asked asked = world.servant->take();
  const auto current =
      IDL::traits<PortableServer::Current>::narrow(world.server->resolve_initial_references("POACurrent"));
  EXPECT_THROW(current->get_object_id(), PortableServer::Current::NoContext);
  asked.answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
}

class Locator final : public PortableServer::ServantLocator {
 public:
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&,
                                                           IDL::traits<PortableServer::POA>::ref_type,
                                                           const std::string&, Cookie&) override {
    ++pre;
    return keeper;
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type, const std::string&,
                  Cookie, IDL::traits<PortableServer::Servant>::ref_type) override {
    ++post;
    if (throws) throw CORBA::NO_PERMISSION(1, CORBA::COMPLETED_NO);
  }

  CORBA::servant_reference<Keeper> keeper = CORBA::make_reference<Keeper>();
  std::atomic<int> pre{0};
  std::atomic<int> post{0};
  std::atomic<bool> throws{false};
};

TEST(DeferringServant, OfALocatorIsLeftWhenItReturns) {
  World world;
  const auto poa = poa_of_a_locator(world);
  const auto locator = CORBA::make_reference<Locator>();
  poa->set_servant_manager(locator);
  const auto local = IDL::traits<Deferred::Desk>::unchecked_narrow(poa->create_reference("IDL:Deferred/Desk:1.0"));
  int calls = 0;
  for (const auto& desk : {world.remote(local), local}) {
    locator->throws = false;
    Caller caller([&] { return desk->ask("a"); });
    const Keeper::Asked asked = locator->keeper->take();
    ++calls;
    EXPECT_TRUE(test::eventually([&] { return locator->post == calls; }));
    EXPECT_EQ(locator->pre, calls);
    asked.answer->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
    EXPECT_EQ(locator->post, calls);
    Caller refused([&] { return desk->ask("throw"); });
    EXPECT_EQ(refused.outcome(), "Refused thrown");
    ++calls;
  }
  // What postinvoke throws comes too late for a client elsewhere; the log has it.
  locator->throws = true;
  const auto desk = world.remote(local);
  Caller caller([&] { return desk->ask("a"); });
  const Keeper::Asked asked = locator->keeper->take();
  EXPECT_TRUE(world.logs("postinvoke threw"));
  asked.answer->ask("b");
  EXPECT_EQ(caller.outcome(), "b");
  locator->throws = false;
}

TEST(DeferringServant, MayBeTheDefaultServant) {
  World world;
  const auto poa = poa_of_a_default_servant(world);
  const auto keeper = CORBA::make_reference<Keeper>();
  poa->set_servant(keeper);
  const auto local = IDL::traits<Deferred::Desk>::unchecked_narrow(poa->create_reference("IDL:Deferred/Desk:1.0"));
  for (const auto& desk : {world.remote(local), local}) {
    Caller caller([&] { return desk->ask("a"); });
    keeper->take().answer->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
  }
  poa->destroy(true, true);
}

/// Answers to be given, of all threads.
class Answers {
 public:
  void add(Answer answer) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(answer));
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }
  Answer take() {
    const std::lock_guard lock(mutex_);
    Answer first = std::move(all_.front());
    all_.erase(all_.begin());
    return first;
  }

 private:
  std::mutex mutex_;
  std::vector<Answer> all_;
};

/// Nobody but the adapter and the requests keeps these.
struct Gone final : Keeper {
  explicit Gone(std::atomic<int>& all, Answers& answers) : living(all), kept(answers) { ++living; }
  Gone(const Gone&) = delete;
  Gone& operator=(const Gone&) = delete;
  ~Gone() override { --living; }
  void ask(Answer answer, std::string) override { kept.add(std::move(answer)); }

  std::atomic<int>& living;
  Answers& kept;
};

class Passing final : public PortableServer::ServantLocator {
 public:
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&,
                                                           IDL::traits<PortableServer::POA>::ref_type,
                                                           const std::string&, Cookie&) override {
    return CORBA::make_reference<Gone>(living, kept);
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type, const std::string&,
                  Cookie, IDL::traits<PortableServer::Servant>::ref_type) override {
    ++post;
  }

  Answers kept;
  std::atomic<int> living{0};
  std::atomic<int> post{0};
};

TEST(DeferringServant, OfALocatorIsThereUntilTheAnswer) {
  World world;
  const auto poa = poa_of_a_locator(world);
  const auto locator = CORBA::make_reference<Passing>();
  poa->set_servant_manager(locator);
  const auto local = IDL::traits<Deferred::Desk>::unchecked_narrow(poa->create_reference("IDL:Deferred/Desk:1.0"));
  int calls = 0;
  for (const auto& desk : {world.remote(local), local}) {
    Caller caller([&] { return desk->ask("a"); });
    ++calls;
    EXPECT_TRUE(test::eventually([&] { return locator->post == calls; }));
    EXPECT_EQ(locator->living, 1);
    locator->kept.take()->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
    EXPECT_TRUE(test::eventually([&] { return locator->living == 0; }));
  }
}

TEST(DeferringServant, ThatIsNoLongerTheDefaultIsThereUntilTheAnswer) {
  World world;
  const auto poa = poa_of_a_default_servant(world);
  const auto local = IDL::traits<Deferred::Desk>::unchecked_narrow(poa->create_reference("IDL:Deferred/Desk:1.0"));
  std::atomic<int> living{0};
  Answers kept;
  for (const auto& desk : {world.remote(local), local}) {
    poa->set_servant(CORBA::make_reference<Gone>(living, kept));
    Caller caller([&] { return desk->ask("a"); });
    EXPECT_EQ(desk->title(), "desk") << "the other request has come before this one, or comes with it";
    EXPECT_TRUE(test::eventually([&] { return kept.count() == 1; }));
    poa->set_servant(CORBA::make_reference<Keeper>());
    EXPECT_EQ(living, 1);
    kept.take()->ask("b");
    EXPECT_EQ(caller.outcome(), "b");
    EXPECT_TRUE(test::eventually([&] { return living == 0; }));
  }
}

}  // namespace
}  // namespace corbel::deferred_test
