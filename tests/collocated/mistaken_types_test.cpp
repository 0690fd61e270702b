// SPDX-License-Identifier: Apache-2.0
// A reference takes the static type of the parameter that it arrives as, whatever its sender put there. If the object
// is in this process, its skeleton must not take the caller's objects for its own: such a call comes out as over a
// connection.
#include <gtest/gtest.h>

#include "servants.hpp"

namespace corbel::collocated_test {
namespace {

class RegistryServant : public virtual CORBA::servant_traits<Registry>::base_type {
 public:
  std::string call(PeerRef peer, const std::string& operation) override {
    return outcome([&] { return kActions.at(operation)(*peer); });
  }
};

class Mistaken : public ::testing::TestWithParam<std::string> {};

TEST_P(Mistaken, TypesComeOutAsOverAConnection) {
  Server here("mistaken_here", "on"), there("mistaken_there", "off");
  const auto call = [](const ObjectRef& object) {
    return outcome([&] { return kActions.at(GetParam())(*as_peer(object)); });
  };
  EXPECT_EQ(call(here.first), call(there.first));
  EXPECT_EQ(call(here.second), call(there.second));
}

TEST_P(Mistaken, TypesOfAReferenceThatArrivesAsParameterComeOutAsOverAConnection) {
  Server here("mistaken_parameter_here", "on"), there("mistaken_parameter_there", "off");
  const auto client = make_orb("mistaken_parameter_client", "on");
  const auto call = [&](Server& server) {
    const auto text = server.orb->object_to_string(server.serve(CORBA::make_reference<RegistryServant>()));
    const auto registry = IDL::traits<Registry>::narrow(client->string_to_object(text));
    const auto notes = client->string_to_object(server.orb->object_to_string(server.second));
    return outcome([&] { return registry->call(as_peer(notes), GetParam()); });
  };
  EXPECT_EQ(call(here), call(there));
  client->destroy();
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, action] : kActions) all.push_back(name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Mistaken, ::testing::ValuesIn(names()), [](const auto& test) { return test.param; });

TEST(Mistaken, ArgumentsOfTheSameTypesAreStillHandedOverWhereTheyLie) {
  Server server("mistaken_same", "on");
  const One::Item item(1, 2);
  EXPECT_EQ(as_peer(server.first)->take(item), 3);
  EXPECT_EQ(seen_item, &item);
  seen_item = nullptr;
  const auto some = IDL::traits<Same::Some>::unchecked_narrow(server.first);
  EXPECT_EQ(some->take(item), 3) << "an interface of another name, the same operation";
  EXPECT_EQ(seen_item, &item);
  EXPECT_EQ(outcome([&] { return some->fail(), std::string(); }), "Oops first");
}

TEST(Mistaken, ExceptionsOfOneIdButOtherTypesAreReadAsTheCallersType) {
  Server server("mistaken_exceptions", "on");
  EXPECT_EQ(outcome([&] { return as_peer(server.second)->fail(), std::string("none"); }).substr(0, 7), "MARSHAL");
  EXPECT_EQ(outcome([&] { return as_peer(server.second)->fail_otherwise(), std::string("none"); }).substr(0, 7),
            "UNKNOWN");
}

}  // namespace
}  // namespace corbel::collocated_test
