// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "corbel/dynamic/type_factory.hpp"
#include "repository.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;
using Told = CorbelRepository::FullInterfaceDescription;
using Code = CORBA::typecode_reference;

class RepositoryModelTest : public testing::Test {
 protected:
  RepositoryModelTest() {
    told_.name("I");
    told_.id("IDL:acme/M/I:1.0");
    told_.type(factory_->create_interface_tc(told_.id(), told_.name()));
  }

  void attribute(const std::string& name, const Code& type, const std::string& defined_in = "") {
    CorbelRepository::AttributeDescription one;
    one.name(name);
    one.defined_in(defined_in);
    one.type(type);
    told_.attributes().push_back(one);
  }
  const model::Interface* made(std::string_view name = "::M::I") {
    model_ = model_of(told_, name);
    return model::as<model::Interface>(model_->contents.front());
  }
  std::string refusal() try {
    made();
    return "none";
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
  Code sequence(const Code& element) { return factory_->create_sequence_tc(0, element); }
  Code structure(const std::string& name, const CORBA::TypeCodeFactory::StructMemberSeq& members) {
    return factory_->create_struct_tc("IDL:acme/M/" + name + ":1.0", name, members);
  }
  static const model::Declaration* type_of(const model::Declaration* attribute) {
    return static_cast<const model::Attribute*>(attribute)->type->declaration;
  }

  const IDL::traits<CORBA::TypeCodeFactory>::ref_type factory_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
  Told told_;
  std::unique_ptr<model::Model> model_;
};

CORBA::Any label(std::int32_t value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

TEST_F(RepositoryModelTest, AnInterfaceIsAsItsIdlDeclaredIt) {
  CorbelRepository::OperationDescription call;
  call.name("f");
  call.id("IDL:acme/M/I/f:1.0");
  call.defined_in(told_.id());
  call.result(CORBA::_tc_void);
  CorbelRepository::ParameterDescription parameter;
  parameter.name("a");
  parameter.type(factory_->create_alias_tc("IDL:acme/M/Names:1.0", "Names", sequence(CORBA::_tc_string)));
  parameter.mode(CorbelRepository::ParameterMode::PARAM_OUT);
  call.parameters().push_back(parameter);
  CorbelRepository::ExceptionDescription refused;
  refused.type(factory_->create_exception_tc("IDL:acme/M/I/Refused:1.0", "Refused", {{"why", CORBA::_tc_string}}));
  call.exceptions().push_back(refused);
  told_.operations().push_back(call);
  attribute("x", CORBA::_tc_long, "IDL:other.org/N/Base:1.0");

  const model::Interface* const interface = made();
  EXPECT_EQ(model::scoped_name(*interface), "M::I");
  EXPECT_EQ(interface->repository_id, "IDL:acme/M/I:1.0");
  ASSERT_EQ(interface->contents.size(), 1U);
  const auto& operation = static_cast<const model::Operation&>(*interface->contents[0]);
  EXPECT_EQ(model::spelling(*operation.parameters[0].type), "M::Names");
  EXPECT_EQ(operation.parameters[0].direction, model::Direction::out);
  EXPECT_EQ(model::scoped_name(*operation.raises.at(0)), "M::I::Refused");
  ASSERT_EQ(interface->ancestors.size(), 1U);
  EXPECT_EQ(model::scoped_name(*interface->ancestors[0]), "N::Base");
  EXPECT_EQ(interface->ancestors[0]->contents.at(0)->name, "x");
}

TEST_F(RepositoryModelTest, TypesMayReferToThemselvesThroughSequencesAndValues) {
  const auto node = [&] { return factory_->create_recursive_tc("IDL:acme/M/Node:1.0"); };
  attribute("tree", structure("Node", {{"children", sequence(node())}}));
  const auto list = factory_->create_recursive_tc("IDL:acme/M/List:1.0");
  attribute("list", factory_->create_value_tc("IDL:acme/M/List:1.0", "List", CORBA::VM_NONE, nullptr,
                                              CORBA::TypeCodeFactory::ValueMemberSeq{{"next", list}}));
  const auto* const interface = made();
  const auto* const tree = static_cast<const model::Struct*>(type_of(interface->contents[0]));
  EXPECT_EQ(tree->members.at(0).type->element->declaration, tree);
  const auto* const value = static_cast<const model::ValueType*>(type_of(interface->contents[1]));
  EXPECT_EQ(value->state.at(0).type->declaration, value);
}

TEST_F(RepositoryModelTest, UnionsHaveTheirLabels) {
  CORBA::Any fallback;
  fallback <<= std::uint8_t{0};
  attribute("u", factory_->create_union_tc("IDL:acme/M/U:1.0", "U", CORBA::_tc_long,
                                           CORBA::TypeCodeFactory::UnionMemberSeq{{"a", label(-1), CORBA::_tc_long},
                                                                                  {"a", label(2), CORBA::_tc_long},
                                                                                  {"b", fallback, CORBA::_tc_string}}));
  const auto* const made_union = static_cast<const model::Union*>(type_of(made()->contents[0]));
  ASSERT_EQ(made_union->cases.size(), 2U);
  EXPECT_EQ(made_union->cases[0].labels, (std::vector<model::Value>{std::int64_t{-1}, std::int64_t{2}}));
  EXPECT_FALSE(made_union->cases[0].is_default);
  EXPECT_TRUE(made_union->cases[1].is_default);
}

TEST_F(RepositoryModelTest, WithoutAnAbsoluteNameAPrefixIsWhatIsNoIdentifier) {
  told_.id("IDL:omg.org/M/I:1.0");
  EXPECT_EQ(model::scoped_name(*made("")), "M::I");
  told_.id("RMI:M.I:0000");
  EXPECT_EQ(model::scoped_name(*made("")), "I");
}

TEST_F(RepositoryModelTest, WhatNoIdlDeclaresIsRefused) {
  const Told good = told_;
  const auto check = [&](const char* said) {
    EXPECT_NE(refusal().find(said), std::string::npos) << refusal();
    told_ = good;
  };
  told_.name("I\x1b[2J");
  check("no identifier");
  told_.id("nonsense");
  check("no repository id");
  told_.id("IDL:M/\n:1.0");
  check("no repository id");
  attribute("x", nullptr);
  check("nothing for a type");
  attribute("x", CORBA::_tc_null);
  check("of no use");
  attribute("x", factory_->create_interface_tc("IDL:acme/M/Twice:1.0", "Twice"));
  attribute("y", structure("Twice", {}));
  check("two different types");
  CorbelRepository::OperationDescription call;
  call.name("f");
  call.result(CORBA::_tc_void);
  call.exceptions().emplace_back().type(CORBA::_tc_long);
  told_.operations().push_back(call);
  check("whose type is none");
}

TEST_F(RepositoryModelTest, TypesWithoutAnEndAreRefused) {
  const auto node = factory_->create_recursive_tc("IDL:acme/M/Node:1.0");
  attribute("x", structure("Node", {{"inner", node}}));
  EXPECT_NE(refusal().find("contain themselves"), std::string::npos);
  told_.attributes().clear();
  attribute("x", structure("Node", {{"inner", factory_->create_array_tc(2, node)}}));
  EXPECT_NE(refusal().find("contain themselves"), std::string::npos);
  told_.attributes().clear();
  // First met through a sequence, where it would be allowed.
  const auto other = structure("Other", {{"node", node}});
  attribute("x", structure("Node", {{"some", sequence(other)}, {"one", other}}));
  EXPECT_NE(refusal().find("contain themselves"), std::string::npos);
}

TEST_F(RepositoryModelTest, NestingAndNumberHaveBounds) {
  Code deep = CORBA::_tc_long;
  for (int i = 0; i < 300; ++i) deep = sequence(deep);
  attribute("x", deep);
  EXPECT_NE(refusal().find("nested too deeply"), std::string::npos);
  told_.attributes().clear();
  // Each attribute's type is not deep, and has the one before inside.
  deep = CORBA::_tc_long;
  for (int i = 0; i < 300; ++i) {
    deep = structure("S" + std::to_string(i), {{"m", deep}});
    attribute("x", deep);
  }
  EXPECT_NE(refusal().find("nested too deeply"), std::string::npos);
  told_.attributes().clear();
  for (int i = 0; i < 100'000; ++i) attribute("x", CORBA::_tc_long);
  EXPECT_NE(refusal().find("more than is read"), std::string::npos);
}

}  // namespace
}  // namespace corbel::tool
