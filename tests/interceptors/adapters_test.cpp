// SPDX-License-Identifier: Apache-2.0
// IORInterceptor_3_0: adapters that are made, and what makes their references (CORBA 3.3 part 1, 16.5).
#include "adapter_watch.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::interceptors_test {
namespace {

TEST(Adapters, AreToldOfWhenTheComponentsOfAllAreEstablished_16_5_4_2) {
  Story story;
  const auto first = CORBA::make_reference<AdapterWatch>("A", story);
  const auto second = CORBA::make_reference<AdapterWatch>("B", story);
  const Orb orb(Parts{.iors = {first, CORBA::make_reference<Plain>(story), second}});
  const auto resolved = orb->resolve_initial_references("RootPOA");
  EXPECT_EQ(story.take(), "A.establish P.establish B.establish A.established:/RootPOA B.established:/RootPOA");
  const auto root = IDL::traits<PortableServer::POA>::narrow(resolved);
  root->create_POA("shop", nullptr, {})->create_POA("orders", root->the_POAManager(), {});
  EXPECT_EQ(
      story.take(),
      "A.establish P.establish B.establish A.established:/RootPOA/shop B.established:/RootPOA/shop "
      "A.establish P.establish B.establish A.established:/RootPOA/shop/orders B.established:/RootPOA/shop/orders");
  EXPECT_EQ(ending_of([&] { root->create_POA("shop", nullptr, {}); }), "AdapterAlreadyExists");
  EXPECT_EQ(story.take(), "") << "it was not about to be made";
}

TEST(Adapters, HaveTemplatesWhenTheirComponentsAreEstablished_16_5_3) {
  Story story;
  const auto looks = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {looks}}, {"-ORBServerId=shop"});
  ObjectRef made;
  looks->on_establish = [](const IorInfoRef& info) {
    info->add_ior_component(IOP::TaggedComponent(0x41420000, {'x'}));
  };
  looks->on_established = [&](const IorInfoRef& info) {
    EXPECT_EQ(info->current_factory(), FactoryRef(info->adapter_template()));
    made = info->adapter_template()->make_object(kThing, {'i', 'd'});
  };
  const auto root = orb.root();
  const auto poa =
      root->create_POA("child", root->the_POAManager(),
                       {root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  const TemplateRef known = looks->made.back();
  EXPECT_EQ(known->adapter_name(), (PI::AdapterName{"RootPOA", "child"}));
  EXPECT_EQ(known->orb_id(), orb->id());
  EXPECT_EQ(known->server_id(), "shop");
  const auto same = poa->create_reference_with_id({'i', 'd'}, kThing);
  EXPECT_EQ(orb->object_to_string(made), orb->object_to_string(same)) << "components and all";
  EXPECT_EQ(orb->object_to_string(known->make_object(kThing, {'i', 'd'})), orb->object_to_string(same));
  const auto servant = CORBA::make_reference<Servant>();
  poa->activate_object_with_id({'i', 'd'}, servant);
  EXPECT_EQ(IDL::traits<Watched::Thing>::narrow(made)->ask("why"), "answer to why");
  poa->destroy(true, true);
  EXPECT_EQ(ending_of([&] { known->make_object(kThing, {'i', 'd'}); }).substr(0, 19), "OBJECT_NOT_EXIST NO");
  EXPECT_EQ(known->adapter_name().size(), 2U);
}

TEST(Adapters, TemplatesOfAnOrbThatHasEndedMakeNothing_16_5_3) {
  Story story;
  const auto looks = CORBA::make_reference<AdapterWatch>("A", story);
  {
    const Orb orb(Parts{.iors = {looks}});
    (void)orb.root();
  }
  EXPECT_EQ(ending_of([&] { looks->made.back()->make_object(kThing, {'1'}); }).substr(0, 19), "OBJECT_NOT_EXIST NO");
}

TEST(Adapters, TellWhatTheTableGivesAtEachPoint_16_5_5) {
  Story story;
  const auto looks = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {looks}});
  const auto root = orb.root();
  const auto manager = root->the_POAManagerFactory()->create_POAManager("till", {});
  manager->discard_requests(false);
  IorInfoRef kept;
  int points = 0;
  looks->on_establish = [&](const IorInfoRef& info) {
    kept = info;
    EXPECT_EQ(ending_of([&] { info->adapter_template(); }), "BAD_INV_ORDER NO 14");
    EXPECT_EQ(ending_of([&] { info->current_factory(); }), "BAD_INV_ORDER NO 14");
    EXPECT_EQ(ending_of([&] { info->current_factory(nullptr); }), "BAD_INV_ORDER NO 14");
    EXPECT_EQ(info->manager_id(), "till");
    EXPECT_EQ(info->state(), PI::DISCARDING);
    ++points;
  };
  looks->on_established = [&](const IorInfoRef& info) {
    EXPECT_EQ(info, kept) << "one for both";
    const IOP::TaggedComponent late(1, {});
    EXPECT_EQ(ending_of([&] { info->add_ior_component(late); }), "BAD_INV_ORDER NO 14");
    EXPECT_EQ(ending_of([&] { info->add_ior_component_to_profile(late, 0); }), "BAD_INV_ORDER NO 14");
    EXPECT_EQ(ending_of([&] { info->current_factory(nullptr); }), "BAD_PARAM NO");
    EXPECT_EQ(info->manager_id(), "till");
    EXPECT_EQ(info->state(), PI::DISCARDING);
    EXPECT_NE(info->get_effective_policy(PortableServer::THREAD_POLICY_ID), nullptr);
    ++points;
  };
  root->create_POA("child", manager, {});
  EXPECT_EQ(points, 2) << "what they throw would be ignored, or reported";
  EXPECT_EQ(ending_of([&] { kept->adapter_template(); }), "BAD_INV_ORDER NO 14");
  EXPECT_EQ(ending_of([&] { kept->current_factory(); }), "BAD_INV_ORDER NO 14");
  EXPECT_EQ(ending_of([&] { kept->manager_id(); }), "BAD_INV_ORDER NO 14");
  EXPECT_EQ(ending_of([&] { kept->state(); }), "BAD_INV_ORDER NO 14");
}

/// Names what it makes by another type: "X" before the one that was asked for.
class Renames final : public PI::ObjectReferenceFactory {
 public:
  Renames(std::string prefix, FactoryRef next) : prefix_(std::move(prefix)), next_(std::move(next)) {}
  ObjectRef make_object(const std::string& repository_id, const PI::ObjectId& id) override {
    if (repository_id == "throw") throw CORBA::NO_PERMISSION();
    if (repository_id == "nil") return nullptr;
    return next_->make_object(prefix_ + repository_id, id);
  }

 private:
  const std::string prefix_;
  const FactoryRef next_;
};

std::string type_of(const ObjectRef& object) {
  return object->_target()->ior().type_id;
}

TEST(Adapters, MakeTheirReferencesByTheCurrentFactory_16_5_5_8) {
  Story story;
  const auto first = CORBA::make_reference<AdapterWatch>("A", story);
  const auto second = CORBA::make_reference<AdapterWatch>("B", story);
  const auto wrap = [](const std::string& prefix) {
    return [prefix](const IorInfoRef& info) {
      info->current_factory(CORBA::make_reference<Renames>(prefix, info->current_factory()));
    };
  };
  first->on_established = wrap("1");
  second->on_established = wrap("2");
  const Orb orb(Parts{.iors = {first, second}});
  const auto poa = orb.root();
  const auto servant = CORBA::make_reference<Servant>();
  EXPECT_EQ(type_of(poa->create_reference("X")), "12X") << "the second was given what the first had set";
  EXPECT_EQ(type_of(poa->create_reference_with_id(poa->activate_object(servant), "X")), "12X");
  EXPECT_EQ(type_of(poa->servant_to_reference(servant)), "12" + kThing);
  EXPECT_EQ(type_of(poa->id_to_reference(poa->servant_to_id(servant))), "12" + kThing);
  const auto thing = servant->_this();
  EXPECT_EQ(type_of(thing), "12" + kThing);
  EXPECT_EQ(thing->ask("why"), "answer to why");
  EXPECT_EQ(poa->reference_to_id(thing), poa->servant_to_id(servant));
  EXPECT_EQ(type_of(first->made.front()->make_object("X", {'1'})), "X") << "the template is what it was";
  const Orb plain(Parts{});
  EXPECT_EQ(type_of(plain.root()->create_reference("X")), "X");
}

TEST(Adapters, ThrowWhatTheCurrentFactoryThrows_16_5_3) {
  Story story;
  const auto sets = CORBA::make_reference<AdapterWatch>("A", story);
  sets->on_established = [](const IorInfoRef& info) {
    info->current_factory(CORBA::make_reference<Renames>("", info->current_factory()));
  };
  const Orb orb(Parts{.iors = {sets}});
  const auto poa = orb.root();
  EXPECT_EQ(ending_of([&] { poa->create_reference("throw"); }).substr(0, 13), "NO_PERMISSION");
  EXPECT_EQ(ending_of([&] { poa->create_reference("nil"); }), "INV_OBJREF NO");
  EXPECT_EQ(type_of(poa->create_reference("X")), "X");
}

TEST(Adapters, KeepTemplatesInTheirProcess) {
  Story story;
  const auto looks = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {looks}});
  (void)orb.root();
  EXPECT_EQ(ending_of([&] { looks->made.back()->_copy_value(); }), "MARSHAL NO 4");
  EXPECT_EQ(looks->made.back()->_value_type().id, "IDL:omg.org/PortableInterceptor/ObjectReferenceTemplate:1.0");
  EXPECT_TRUE(looks->_is_a("IDL:omg.org/PortableInterceptor/IORInterceptor_3_0:1.0"));
  EXPECT_TRUE(looks->_is_a("IDL:omg.org/PortableInterceptor/IORInterceptor:1.0"));
}

TEST(Adapters, AreNotMadeIfComponentsEstablishedThrows_16_5_4_2) {
  Story story;
  const auto first = CORBA::make_reference<AdapterWatch>("A", story);
  const auto fails = CORBA::make_reference<AdapterWatch>("B", story);
  const auto last = CORBA::make_reference<AdapterWatch>("C", story);
  const Orb orb(Parts{.iors = {first, fails, last}});
  fails->on_established = [](const IorInfoRef&) { throw CORBA::NO_PERMISSION(); };
  EXPECT_EQ(ending_of([&] { orb->resolve_initial_references("RootPOA"); }), "OBJ_ADAPTER NO 6");
  fails->on_established = nullptr;
  const auto root = orb.root();
  (void)story.take();
  ObjectRef early;
  first->on_established = [&](const IorInfoRef& info) { early = info->adapter_template()->make_object(kThing, {'1'}); };
  for (const bool system : {true, false}) {
    fails->on_established = [=](const IorInfoRef&) {
      if (system) throw CORBA::NO_PERMISSION();
      throw 1;
    };
    EXPECT_EQ(ending_of([&] { root->create_POA("child", root->the_POAManager(), {}); }), "OBJ_ADAPTER NO 6");
    EXPECT_EQ(story.take(),
              "A.establish B.establish C.establish A.established:/RootPOA/child B.established:/RootPOA/child "
              "A.gone:/RootPOA/child");
    EXPECT_EQ(ending_of([&] { root->find_POA("child", false); }), "AdapterNonExistent");
    EXPECT_TRUE(root->the_children().empty());
  }
  fails->on_established = nullptr;
  first->on_established = nullptr;
  const auto child = root->create_POA("child", root->the_POAManager(), {});
  child->activate_object(CORBA::make_reference<Servant>());
  EXPECT_TRUE(early->_non_existent()) << "the place that was given back is another's now";
}

TEST(Adapters, MayBeMadeByInterceptorsButNotTwice_16_5_4_2) {
  Story story;
  const auto makes = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {makes}});
  std::string root_ending, same_ending, found;
  makes->on_established = [&](const IorInfoRef&) {
    root_ending = ending_of([&] { orb->resolve_initial_references("RootPOA"); });
  };
  const auto root = orb.root();
  EXPECT_EQ(root_ending, "BAD_INV_ORDER NO 14");
  (void)story.take();
  makes->on_established = [&](const IorInfoRef& info) {
    if (info->adapter_template()->adapter_name().back() != "child") return;
    same_ending = ending_of([&] { root->create_POA("child", nullptr, {}); });
    found = ending_of([&] { root->find_POA("child", false); });
    root->create_POA("other", nullptr, {});
  };
  root->create_POA("child", nullptr, {});
  EXPECT_EQ(same_ending, "AdapterAlreadyExists");
  EXPECT_EQ(found, "AdapterNonExistent");
  EXPECT_EQ(story.take(), "A.establish A.established:/RootPOA/child A.establish A.established:/RootPOA/other");
  EXPECT_EQ(root->the_children().size(), 2U);
}

TEST(Adapters, WhoseParentEndsMeanwhileAreGone_16_5_4_4) {
  Story story;
  const auto ends = CORBA::make_reference<AdapterWatch>("A", story);
  const Orb orb(Parts{.iors = {ends}});
  const auto parent = orb.root()->create_POA("parent", nullptr, {});
  (void)story.take();
  ends->on_established = [&](const IorInfoRef&) { parent->destroy(true, false); };
  EXPECT_EQ(ending_of([&] { parent->create_POA("child", nullptr, {}); }), "BAD_INV_ORDER NO 17");
  EXPECT_EQ(story.take(),
            "A.establish A.established:/RootPOA/parent/child A.gone:/RootPOA/parent A.gone:/RootPOA/parent/child");
}

}  // namespace
}  // namespace corbel::interceptors_test
