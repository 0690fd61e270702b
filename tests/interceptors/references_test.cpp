// SPDX-License-Identifier: Apache-2.0
// IOR interceptors (CORBA 3.3 part 1, 16.5), and policies of the application's types (16.6).
#include <gtest/gtest.h>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/ior/profile.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

/// Tells the story, and adds what it is told to.
class IorWatch final : public PI::IORInterceptor {
 public:
  using Act = std::function<void(const IorInfoRef&)>;
  IorWatch(std::string name, Story& story, Act act) : name_(std::move(name)), story_(story), act_(std::move(act)) {}
  std::string name() override { return name_; }
  void establish_components(IorInfoRef info) override {
    story_.add(name_ + ".establish");
    act_(info);
  }

 private:
  const std::string name_;
  Story& story_;
  const Act act_;
};

IOP::TaggedComponent component(std::uint32_t tag, std::string_view text) {
  return IOP::TaggedComponent(tag, CORBA::OctetSeq(text.begin(), text.end()));
}

/// The components with the tag in the first profile: "one two ".
std::string components_of(const ObjectRef& object, std::uint32_t tag) {
  std::string all;
  const auto profile = ior::decode_iiop_profile(object->_target()->ior().profiles.at(0));
  EXPECT_TRUE(profile.ok());
  if (!profile) return all;
  for (const auto& one : profile->components) {
    if (one.tag == tag) all += std::string(one.data.begin(), one.data.end()) + ' ';
  }
  return all;
}

constexpr std::uint32_t kTag = 0x41420000;

TEST(References, SayWhatIorInterceptorsAdd_16_5_4_1) {
  Story story;
  const auto first = CORBA::make_reference<IorWatch>("A", story, [](const IorInfoRef& info) {
    info->add_ior_component(component(kTag, "one"));
    info->add_ior_component(component(kTag, "two"));  // several with one id
    info->add_ior_component_to_profile(component(kTag + 1, "iiop"), 0);
    info->add_ior_component_to_profile(component(kTag + 2, "uiop"), 0x54414f00);
    EXPECT_EQ(ending_of([&] { info->add_ior_component_to_profile(component(kTag, ""), 4711); }), "BAD_PARAM NO 29");
  });
  const auto second = CORBA::make_reference<IorWatch>(
      "B", story, [](const IorInfoRef& info) { info->add_ior_component(component(kTag, "three")); });
  const Orb orb(Parts{.iors = {first, second}});
  const auto servant = CORBA::make_reference<Servant>();
  const auto object = orb.root()->servant_to_reference(servant);
  EXPECT_EQ(story.take(), "A.establish B.establish");  // for the root
  EXPECT_EQ(components_of(object, kTag), "one two three ");
  EXPECT_EQ(components_of(object, kTag + 1), "iiop ");
  EXPECT_EQ(components_of(object, kTag + 2), "");
  EXPECT_NE(components_of(object, 1), "");  // the code sets are there as before
  const auto child = orb.root()->create_POA("child", nullptr, {});
  EXPECT_EQ(story.take(), "A.establish B.establish");
  EXPECT_EQ(components_of(child->create_reference("IDL:Watched/Thing:1.0"), kTag), "one two three ");
}

TEST(References, AreMadeWhateverAnIorInterceptorThrows_16_5_4_1) {
  Story story;
  const auto first =
      CORBA::make_reference<IorWatch>("A", story, [](const IorInfoRef&) { throw CORBA::NO_PERMISSION(); });
  const auto second = CORBA::make_reference<IorWatch>(
      "B", story, [](const IorInfoRef& info) { info->add_ior_component(component(kTag, "there")); });
  const auto third = CORBA::make_reference<IorWatch>("C", story, [](const IorInfoRef&) { throw 1; });
  const Orb orb(Parts{.iors = {first, second, third}});
  EXPECT_EQ(components_of(orb.root()->create_reference("IDL:Watched/Thing:1.0"), kTag), "there ");
}

TEST(References, AreSeenByClientInterceptorsWithTheirComponents_16_3_13_6) {
  Story story;
  const auto adds = CORBA::make_reference<IorWatch>("A", story, [](const IorInfoRef& info) {
    info->add_ior_component(component(kTag, "one"));
    info->add_ior_component(component(kTag, "two"));
  });
  for (const char* const endpoint : {"tcp://127.0.0.1:0", "udp://127.0.0.1:0", "unix://", "inproc://"}) {
    const auto client = CORBA::make_reference<ClientWatch>("C", story);
    const Orb server(Parts{.iors = {adds}}, {"-ORBListenEndpoints", endpoint});
    const Orb orb(Parts{.clients = {client}});
    std::string seen;
    client->set("send_request", [&](const ClientInfoRef& info) {
      for (const auto& one : info->get_effective_components(kTag)) {
        seen += std::string(one.component_data().begin(), one.component_data().end()) + ' ';
      }
    });
    const auto servant = CORBA::make_reference<Servant>();
    orb.thing(server->object_to_string(server.root()->servant_to_reference(servant)))->ask("");
    EXPECT_EQ(seen, "one two ") << endpoint;
  }
}

TEST(References, TellTheirInterceptorsTheAdaptersPolicies_16_5_5_1) {
  Story story;
  IorInfoRef kept;
  std::string seen;
  int known = 0;
  BiDirPolicy::BidirectionalPolicyValue both = 2;
  const auto looks = CORBA::make_reference<IorWatch>("A", story, [&](const IorInfoRef& info) {
    kept = info;
    known = 0;
    const auto policy = IDL::traits<PortableServer::LifespanPolicy>::narrow(
        info->get_effective_policy(PortableServer::LIFESPAN_POLICY_ID));
    seen = policy->value() == PortableServer::LifespanPolicyValue::PERSISTENT ? "persistent" : "transient";
    for (CORBA::PolicyType type = PortableServer::THREAD_POLICY_ID;
         type <= PortableServer::REQUEST_PROCESSING_POLICY_ID; ++type) {
      EXPECT_EQ(info->get_effective_policy(type)->policy_type(), type);
      ++known;
    }
    EXPECT_EQ(ending_of([&] { info->get_effective_policy(4711); }), "INV_POLICY NO 2");
    both = IDL::traits<BiDirPolicy::BidirectionalPolicy>::narrow(
               info->get_effective_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE))
               ->value();
  });
  const Orb orb(Parts{.iors = {looks}});
  const auto root = orb.root();
  EXPECT_EQ(seen, "transient");
  EXPECT_EQ(known, 7) << "what an interceptor throws here ends nothing but itself";
  root->create_POA("child", nullptr, {root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT)});
  EXPECT_EQ(seen, "persistent");
  EXPECT_EQ(both, BiDirPolicy::NORMAL);
  root->create_POA("both", nullptr, {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
  EXPECT_EQ(both, BiDirPolicy::BOTH);
  EXPECT_EQ(ending_of([&] { kept->add_ior_component(component(kTag, "late")); }), "BAD_INV_ORDER NO 14");
}

constexpr CORBA::PolicyType kPolicyType = 0x41424344;

class Colour final : public CORBA::Policy {
 public:
  explicit Colour(std::string value) : value_(std::move(value)) {}
  CORBA::PolicyType policy_type() override { return kPolicyType; }
  IDL::traits<CORBA::Policy>::ref_type copy() override { return CORBA::make_reference<Colour>(value_); }
  const std::string& value() const { return value_; }

 private:
  const std::string value_;
};

class Colours final : public PI::PolicyFactory {
 public:
  IDL::traits<CORBA::Policy>::ref_type create_policy(CORBA::PolicyType type, const CORBA::Any& value) override {
    EXPECT_EQ(type, kPolicyType);
    std::string colour;
    if (!(value >>= colour)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE);
    return CORBA::make_reference<Colour>(colour);
  }
};

std::string colour_of(const IDL::traits<CORBA::Policy>::ref_type& policy) {
  const auto* colour = dynamic_cast<const Colour*>(policy._shared().get());
  return colour == nullptr ? "none" : colour->value();
}

TEST(Policies, OfTheApplicationAreMadeByItsFactory_16_6) {
  Parts parts;
  parts.pre_init = [](const InitInfoRef& info) {
    info->register_policy_factory(kPolicyType, CORBA::make_reference<Colours>());
    EXPECT_EQ(ending_of([&] { info->register_policy_factory(kPolicyType, CORBA::make_reference<Colours>()); }),
              "BAD_INV_ORDER NO 16");
    EXPECT_EQ(ending_of([&] { info->register_policy_factory(kPolicyType + 1, nullptr); }), "BAD_PARAM NO");
  };
  const Orb orb(parts);
  CORBA::Any red;
  red <<= std::string("red");
  EXPECT_EQ(colour_of(orb->create_policy(kPolicyType, red)), "red");
  CORBA::Any wrong;
  wrong <<= std::int32_t{1};
  try {
    orb->create_policy(kPolicyType, wrong);
    ADD_FAILURE();
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::BAD_POLICY_TYPE);
  }
  const Orb plain(Parts{});
  try {
    plain->create_policy(kPolicyType, red);
    ADD_FAILURE();
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::BAD_POLICY);
  }
}

TEST(Policies, OfTheApplicationAreKeptByAdaptersAndTold_16_6) {
  Story story;
  std::string established = "none";
  std::string served = "none";
  const auto looks = CORBA::make_reference<IorWatch>("A", story, [&](const IorInfoRef& info) {
    const auto policy = info->get_effective_policy(kPolicyType);
    if (policy != nullptr) established = colour_of(policy);
  });
  const auto server = CORBA::make_reference<ServerWatch>("S", story);
  server->set("receive_request", [&](const ServerInfoRef& info) {
    const auto policy = info->get_server_policy(kPolicyType);
    served = policy == nullptr ? "nil" : colour_of(policy);
  });
  Parts parts{.servers = {server}, .iors = {looks}};
  parts.pre_init = [](const InitInfoRef& info) {
    info->register_policy_factory(kPolicyType, CORBA::make_reference<Colours>());
  };
  const Orb orb(parts);
  const auto root = orb.root();
  EXPECT_EQ(established, "none");  // the root has none: nil
  const auto poa = root->create_POA("blue", root->the_POAManager(), {CORBA::make_reference<Colour>("blue")});
  EXPECT_EQ(established, "blue");
  const auto servant = CORBA::make_reference<Servant>();
  const auto id = poa->activate_object(servant);
  IDL::traits<Watched::Thing>::narrow(poa->id_to_reference(id))->ask("");
  EXPECT_EQ(served, "blue");
  served = "none";
  IDL::traits<Watched::Thing>::narrow(root->servant_to_reference(CORBA::make_reference<Servant>()))->ask("");
  EXPECT_EQ(served, "nil");
  const Orb plain(Parts{});
  EXPECT_EQ(ending_of([&] { plain.root()->create_POA("x", nullptr, {CORBA::make_reference<Colour>("blue")}); }),
            "InvalidPolicy");
}

/// Makes adapters, that outlive the run or do not, when they are asked for.
class Makes final : public PortableServer::AdapterActivator {
 public:
  bool unknown_adapter(IDL::traits<PortableServer::POA>::ref_type parent, const std::string& name) override {
    const auto poa =
        parent->create_POA(name, parent->the_POAManager(),
                           {CORBA::make_reference<Colour>(name),
                            parent->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
                            parent->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
    poa->activate_object_with_id({'a'}, CORBA::make_reference<Servant>());
    return true;
  }
};

TEST(Policies, AreToldBeforeTheServantIsLookedFor_16_3_14) {
  Story story;
  const auto server = CORBA::make_reference<ServerWatch>("S", story);
  std::string policies;
  const auto look = [&](const ServerInfoRef& info) {
    const auto policy = info->get_server_policy(kPolicyType);
    policies += (policy == nullptr ? "nil" : colour_of(policy)) + ' ';
    EXPECT_EQ(ending_of([&] { info->get_server_policy(kPolicyType + 1); }), "INV_POLICY NO 2");
  };
  for (const char* const point : {"contexts", "receive_request", "send_reply", "send_exception"})
    server->set(point, look);
  Parts parts{.servers = {server}};
  parts.pre_init = [](const InitInfoRef& info) {
    info->register_policy_factory(kPolicyType, CORBA::make_reference<Colours>());
  };
  const Orb orb(parts);
  const Orb client(Parts{});
  const auto root = orb.root();
  const auto ask = [&](const ObjectRef& object) {
    policies.clear();
    IDL::traits<Watched::Thing>::unchecked_narrow(object)->ask("");
    const std::string here = policies;
    policies.clear();
    client.thing(orb->object_to_string(object))->ask("");
    EXPECT_EQ(policies, here) << "over the wire";
    return policies;
  };
  const auto red = root->create_POA("red", root->the_POAManager(), {CORBA::make_reference<Colour>("red")});
  EXPECT_EQ(ask(red->id_to_reference(red->activate_object(CORBA::make_reference<Servant>()))), "red red red ");
  EXPECT_EQ(ask(root->id_to_reference(root->activate_object(CORBA::make_reference<Servant>()))), "nil nil nil ");
  EXPECT_EQ(ending_of([&] { ask(red->create_reference("IDL:Watched/Thing:1.0")); }), "OBJECT_NOT_EXIST NO 1");
  EXPECT_EQ(policies, "red red ") << "no servant was found";
  const auto makes = CORBA::make_reference<Makes>();
  root->the_activator(makes);
  makes->unknown_adapter(root, "green");
  const auto green = root->find_POA("green", false);
  const auto object = green->id_to_reference({'a'});
  EXPECT_EQ(ask(object), "green green green ");
  green->destroy(false, true);
  policies.clear();
  client.thing(orb->object_to_string(object))->ask("");
  EXPECT_EQ(policies, "nil green green ") << "the adapter is made after the first point";
}

}  // namespace
}  // namespace corbel::interceptors_test
