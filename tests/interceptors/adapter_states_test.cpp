// SPDX-License-Identifier: Apache-2.0
// IORInterceptor_3_0: what becomes of adapters and their managers (CORBA 3.3 part 1, 16.5).
#include <future>
#include <memory>
#include <thread>

#include "adapter_watch.hpp"

namespace corbel::interceptors_test {
namespace {

TEST(AdapterManagers, TellEachChangeOfTheirState_16_5_4_3) {
  Story story;
  const auto first = CORBA::make_reference<AdapterWatch>("A", story);
  const auto second = CORBA::make_reference<AdapterWatch>("B", story);
  const Orb orb(Parts{.iors = {first, CORBA::make_reference<Plain>(story), second}});
  const auto root = orb.root();
  EXPECT_EQ(story.take(),
            "A.establish P.establish B.establish A.established:/RootPOA B.established:/RootPOA "
            "A.manager:RootPOAManager=1 B.manager:RootPOAManager=1");
  const auto manager = root->the_POAManagerFactory()->create_POAManager("till", {});
  root->create_POA("one", manager, {});
  root->create_POA("two", manager, {});
  (void)story.take();
  first->on_manager = [&](PI::AdapterState state) { EXPECT_EQ(static_cast<int>(manager->get_state()), state); };
  manager->activate();
  EXPECT_EQ(story.take(), "A.manager:till=1 B.manager:till=1") << "once, however many adapters it has";
  manager->activate();
  EXPECT_EQ(story.take(), "") << "nothing has changed";
  manager->hold_requests(true);
  manager->discard_requests(false);
  EXPECT_EQ(story.take(), "A.manager:till=0 B.manager:till=0 A.manager:till=2 B.manager:till=2");
  manager->deactivate(true, true);
  EXPECT_EQ(story.take(), "A.manager:till=3 B.manager:till=3");
  EXPECT_EQ(ending_of([&] { manager->activate(); }), "AdapterInactive");
  manager->deactivate(true, true);
  EXPECT_EQ(story.take(), "");
  first->on_manager = nullptr;
  root->the_POAManagerFactory()->create_POAManager("without adapters", {})->activate();
  EXPECT_EQ(story.take(), "A.manager:without adapters=1 B.manager:without adapters=1");
}

TEST(AdapterManagers, TellChangesInTheirOrderWhoeverMakesThem_16_5_4_3) {
  Story story;
  const auto changes = CORBA::make_reference<AdapterWatch>("A", story);
  const auto sees = CORBA::make_reference<AdapterWatch>("B", story);
  const Orb orb(Parts{.iors = {changes, sees}});
  const auto manager = orb.root()->the_POAManagerFactory()->create_POAManager("till", {});
  (void)story.take();
  changes->on_manager = [&](PI::AdapterState state) {
    if (state == PI::ACTIVE) std::thread([&] { manager->hold_requests(false); }).join();
    if (state == PI::HOLDING) manager->discard_requests(false);
  };
  manager->activate();
  EXPECT_EQ(story.take(),
            "A.manager:till=1 B.manager:till=1 A.manager:till=0 B.manager:till=0 A.manager:till=2 B.manager:till=2");
}

TEST(AdapterManagers, ChangeWhateverInterceptorsThrow_16_5_4_3) {
  Story story;
  const auto throws = CORBA::make_reference<AdapterWatch>("A", story);
  const auto sees = CORBA::make_reference<AdapterWatch>("B", story);
  const Orb orb(Parts{.iors = {throws, sees}});
  const auto manager = orb.root()->the_POAManager();
  (void)story.take();
  throws->on_manager = [&](PI::AdapterState) { throw CORBA::NO_PERMISSION(); };
  manager->hold_requests(false);
  EXPECT_EQ(manager->get_state(), PortableServer::POAManager::State::HOLDING);
  EXPECT_EQ(story.take(), "A.manager:RootPOAManager=0 B.manager:RootPOAManager=0");
}

TEST(Adapters, ThatEndTogetherAreToldOfTogether_16_5_4_4) {
  Story story;
  const auto first = CORBA::make_reference<AdapterWatch>("A", story);
  const auto second = CORBA::make_reference<AdapterWatch>("B", story);
  first->on_gone = [] { throw 1; };
  const Orb orb(Parts{.iors = {first, second}});
  const auto root = orb.root();
  const auto manager = root->the_POAManager();
  const auto parent = root->create_POA("parent", manager, {});
  parent->create_POA("a", manager, {})->create_POA("deep", manager, {});
  parent->create_POA("b", nullptr, {});
  root->create_POA("other", manager, {});
  (void)story.take();
  const auto all = [](const std::string& name) {
    return name + ".gone:/RootPOA/parent:/RootPOA/parent/a:/RootPOA/parent/a/deep:/RootPOA/parent/b";
  };
  parent->destroy(true, true);
  EXPECT_EQ(story.take(), all("A") + ' ' + all("B"));
  root->create_POA("parent", manager, {});
  EXPECT_EQ(story.take(), "A.establish B.establish A.established:/RootPOA/parent B.established:/RootPOA/parent");
}

TEST(Adapters, AreToldToBeGoneWhenNewRequestsFindThemNoMore_16_5_2_2) {
  Story story;
  const auto sees = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {sees}});
  const auto root = orb.root();
  const auto poa = root->create_POA("child", root->the_POAManager(), {});
  const auto servant = CORBA::make_reference<Servant>();
  const auto thing = IDL::traits<Watched::Thing>::narrow(poa->id_to_reference(poa->activate_object(servant)));
  (void)story.take();
  servant->on_ask = [&](const std::string&) {
    poa->destroy(true, false);  // while this request runs
    EXPECT_EQ(story.take(), "A.gone:/RootPOA/child");
    EXPECT_EQ(ending_of([&] { (void)thing->_non_existent(); }).substr(0, 9), "TRANSIENT");
    EXPECT_EQ(ending_of([&] { root->create_POA("child", root->the_POAManager(), {}); }), "BAD_INV_ORDER NO 3");
    EXPECT_EQ(story.take(), "") << "it would have to wait for this request";
    return "done";
  };
  EXPECT_EQ(thing->ask("why"), "done");
  root->create_POA("child", root->the_POAManager(), {});
  EXPECT_EQ(story.take(), "A.establish A.established:/RootPOA/child") << "the old one's end is not told after it";
}

TEST(Adapters, EndWithTheirOrbBeforeItsInterceptors_16_5_4_4) {
  Story story;
  const auto sees = CORBA::make_reference<AdapterWatch>("A", story);
  {
    const Orb orb(Parts{.iors = {sees}});
    const auto root = orb.root();
    root->create_POA("child", root->the_POAManager(), {});
    (void)story.take();
  }
  EXPECT_EQ(story.take(), "A.gone:/RootPOA:/RootPOA/child A.manager:RootPOAManager=3 A.destroy");
}

TEST(Adapters, CannotBeWaitedForByWhatIsToldOfThem_16_5_4) {
  Story story;
  const auto waits = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {waits}});
  const auto root = orb.root();
  const auto poa = root->create_POA("child", root->the_POAManager(), {});
  std::string endings;
  const auto wait = [&] {
    endings += ending_of([&] { orb->shutdown(true); }) + ", ";
    endings += ending_of([&] { root->destroy(true, true); }) + ". ";
  };
  waits->on_gone = wait;
  poa->destroy(true, true);
  EXPECT_EQ(endings, "BAD_INV_ORDER NO 3, BAD_INV_ORDER NO 3. ");
  endings.clear();
  waits->on_manager = [&](PI::AdapterState) { endings = ending_of([&] { orb->shutdown(true); }); };
  root->the_POAManager()->hold_requests(false);
  EXPECT_EQ(endings, "BAD_INV_ORDER NO 3");
  waits->on_gone = nullptr;
  waits->on_manager = nullptr;
}

TEST(Adapters, AreToldOfUntilTheEndOfTheOrbHasWaitedForThat_16_5_4) {
  Story story;
  const auto slow = CORBA::make_reference<AdapterWatch>("A", story);
  auto orb = std::make_unique<Orb>(Parts{.iors = {slow}});
  const auto manager = orb->root()->the_POAManager();
  (void)story.take();
  std::promise<void> entered, go_on;
  slow->on_manager = [&](PI::AdapterState state) {
    if (state != PI::HOLDING) return;
    entered.set_value();
    go_on.get_future().wait();
    story.add("told");
  };
  std::thread changes([&] { manager->hold_requests(false); });
  entered.get_future().wait();
  std::thread ends([&] { orb.reset(); });
  while (manager->get_state() != PortableServer::POAManager::State::INACTIVE) std::this_thread::yield();
  go_on.set_value();
  ends.join();
  changes.join();
  EXPECT_EQ(story.take(), "A.manager:RootPOAManager=0 A.gone:/RootPOA told A.manager:RootPOAManager=3 A.destroy");
}

}  // namespace
}  // namespace corbel::interceptors_test
