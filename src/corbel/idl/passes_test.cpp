// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "corbel/idl/front/front.hpp"
#include "corbel/idl/passes/library.hpp"
#include "corbel/idl/passes/passes.hpp"

namespace corbel::idl::passes {
namespace {

std::unique_ptr<const model::Model> finished(const std::string& text, const Wanted& wanted) {
  front::Result result = front::parse(text, "test.idl");
  EXPECT_NE(result.model, nullptr) << text;
  return run(std::move(result.model), wanted);
}

const model::Interface& interface_at(const model::Model& model, std::size_t place) {
  return *model::as<model::Interface>(model.contents.at(place));
}

std::string operations_of(const model::Interface& handler) {
  std::string text;
  for (const auto* declaration : handler.contents) {
    text += declaration->name + "(";
    for (const auto& p : model::as<model::Operation>(declaration)->parameters) {
      EXPECT_EQ(p.direction, model::Direction::in);
      text += p.name + " ";
    }
    text += ") ";
  }
  return text;
}

TEST(Passes, ReplyHandlersGetWhatComesBackOfEverythingThatHasAReply) {
  const auto model = finished(
      "interface I { oneway void tell(in long a); long f(in long a, inout string b, out short c);"
      "readonly attribute long level; attribute string name; };",
      {.handlers = Handlers::all});
  ASSERT_EQ(model->contents.size(), 2U);
  const auto& handler = interface_at(*model, 1);
  EXPECT_EQ(handler.name, "AMI_IHandler");
  EXPECT_EQ(interface_at(*model, 0).reply_handler, &handler);
  EXPECT_EQ(operations_of(handler),
            "f(ami_return_val b c ) f_excep(excep_holder ) get_level(ami_return_val ) get_level_excep(excep_holder ) "
            "get_name(ami_return_val ) get_name_excep(excep_holder ) set_name() set_name_excep(excep_holder ) ");
}

TEST(Passes, ReplyHandlersAreForWhatAsksForThem) {
  const std::string text = "interface I { void f(); @ami void g(); }; interface J { void h(); };";
  const auto model = finished(text, {.handlers = Handlers::annotated});
  ASSERT_EQ(model->contents.size(), 3U);
  EXPECT_EQ(operations_of(interface_at(*model, 1)), "g() g_excep(excep_holder ) ");
  EXPECT_EQ(interface_at(*model, 2).reply_handler, nullptr);
  EXPECT_EQ(finished(text, {})->contents.size(), 2U);
}

/// All names that the interface's asynchronous forms give to handlers and stubs: "f=f,f_excep,sendc_f,async_f ".
std::string forms_of(const model::Interface& interface) {
  std::string text;
  for (const auto& [wire_name, names] : interface.async_names) {
    text += wire_name + "=" + names.reply + "," + names.fail + "," + names.send + "," + names.future + " ";
  }
  return text;
}

TEST(Passes, NamesOfAsynchronousFormsAvoidThoseOfBases) {
  const auto model = finished(
      "interface A { attribute long x; }; interface D : A { void get_x(); };"
      "interface E { void f(); }; interface F : E { void f_excep(); };"
      "interface G { void get_y(); }; interface H : G { readonly attribute long y; };",
      {.handlers = Handlers::all});
  EXPECT_EQ(operations_of(interface_at(*model, 3)), "ami_get_x() ami_get_x_excep(excep_holder ) ");
  EXPECT_EQ(forms_of(interface_at(*model, 2)), "get_x=ami_get_x,ami_get_x_excep,sendc_ami_get_x,async_ami_get_x ");
  EXPECT_EQ(operations_of(interface_at(*model, 7)), "ami_f_excep() ami_f_excep_excep(excep_holder ) ");
  EXPECT_EQ(operations_of(interface_at(*model, 11)), "ami_get_y(ami_return_val ) ami_get_y_excep(excep_holder ) ");
}

TEST(Passes, NamesOfAsynchronousFormsAvoidEachOther) {
  const auto model = finished(
      "interface Q { attribute long w; void set_w(in long q); void set_w_excep(); };"
      "interface R { attribute long x; void ami_get_x(); void get_x(); void ami_get_x_excep(); };"
      "interface S { void f(); void sendc_f(); void ami_f(); };",
      {.handlers = Handlers::all});
  for (const std::size_t place : {0U, 2U, 4U}) {
    const auto& interface = interface_at(*model, place);
    std::set<std::string> handler;
    std::set<std::string> stub;
    for (const auto* declaration : interface.contents) stub.insert(declaration->name);
    for (const auto& [wire_name, names] : interface.async_names) {
      for (const auto& name : {names.reply, names.fail}) EXPECT_TRUE(handler.insert(name).second) << name;
      for (const auto& name : {names.send, names.future, names.polled}) EXPECT_TRUE(stub.insert(name).second) << name;
    }
  }
  EXPECT_EQ(operations_of(interface_at(*model, 1)),
            "get_w(ami_return_val ) get_w_excep(excep_holder ) ami_set_w() ami_set_w_excep(excep_holder ) "
            "set_w() ami_ami_set_w_excep(excep_holder ) set_w_excep() set_w_excep_excep(excep_holder ) ");
}

TEST(Passes, AHandlerHasOnlyBasesWhoseMethodsDoNotMeet) {
  const auto model = finished(
      "interface A { attribute long x; }; interface B { void get_x(); }; interface C { void g(); };"
      "interface D : A, B, C {}; interface E : D, B { void h(); }; interface F : A { void k(); }; interface G : A, F "
      "{};",
      {.handlers = Handlers::all});
  const auto bases = [&](std::size_t place) {
    std::string text;
    for (const auto* base : interface_at(*model, place).bases) text += base->name + " ";
    return text;
  };
  EXPECT_EQ(bases(7), "AMI_AHandler AMI_CHandler ");
  EXPECT_EQ(bases(9), "AMI_DHandler ");
  EXPECT_EQ(bases(13), "AMI_AHandler AMI_FHandler ") << "what comes twice from one place is the same";
}

TEST(Passes, HandlersAvoidNamesOfAllPartsOfTheirModule) {
  const auto model = finished(
      "module M { interface Q { void f(); }; }; module M { interface AMI_QHandler { void z(); }; };"
      "module N { interface AMI_QHandler { void z(); }; };",
      {.handlers = Handlers::all});
  const auto& module = *model::as<model::Module>(model->contents.at(0));
  EXPECT_EQ(module.contents.at(1)->name, "AMI_AMI_QHandler");
}

const model::ValueType& value_at(const model::Model& model, std::size_t place) {
  return *model::as<model::ValueType>(model.contents.at(place));
}

/// "f(in ul_timeout, out b) " for each operation of a poller.
std::string polls_of(const model::ValueType& poller) {
  std::string text;
  for (const auto* declaration : poller.contents) {
    const auto& operation = *model::as<model::Operation>(declaration);
    EXPECT_EQ(operation.result->kind, model::TypeKind::void_);
    text += operation.name + "(";
    for (const auto& p : operation.parameters) {
      EXPECT_NE(p.direction, model::Direction::inout);
      text += (p.direction == model::Direction::in ? "in " : "out ") + p.name + ", ";
    }
    if (!operation.parameters.empty()) text.resize(text.size() - 2);
    text += ") ";
  }
  return text;
}

// CORBA 3.3 part 1, 22.10.1.
TEST(Passes, PollersGiveWhatComesBackOfEverythingThatHasAReply) {
  const auto model = finished(
      "interface I { oneway void tell(in long a); long f(in long a, inout string b, out short c);"
      "readonly attribute long level; attribute string name; };",
      {.handlers = Handlers::all, .pollers = true});
  ASSERT_EQ(model->contents.size(), 3U);
  const auto& poller = value_at(*model, 2);
  EXPECT_EQ(poller.name, "AMI_IPoller");
  EXPECT_EQ(poller.repository_id, "IDL:AMI_IPoller:1.0");
  EXPECT_EQ(interface_at(*model, 0).poller, &poller);
  EXPECT_EQ(poller.polled, &interface_at(*model, 0));
  EXPECT_EQ(polls_of(poller),
            "f(in ul_timeout, out ami_return_val, out b, out c) get_level(in ul_timeout, out ami_return_val) "
            "get_name(in ul_timeout, out ami_return_val) set_name(in ul_timeout) ");
}

TEST(Passes, PollersAreWhereHandlersAreAndOnlyIfAskedFor) {
  const std::string text = "interface I { void f(); @ami void g(); }; interface J { void h(); };";
  const auto model = finished(text, {.handlers = Handlers::annotated, .pollers = true});
  ASSERT_EQ(model->contents.size(), 4U);
  EXPECT_EQ(polls_of(value_at(*model, 2)), "g(in ul_timeout) ");
  EXPECT_EQ(interface_at(*model, 3).poller, nullptr);
  EXPECT_EQ(finished(text, {.handlers = Handlers::all})->contents.size(), 4U);
  EXPECT_EQ(finished(text, {.pollers = true})->contents.size(), 2U);
}

TEST(Passes, PollersDeriveFromThoseOfTheBases) {
  const auto model = finished(
      "interface A { void f(); }; abstract interface X { void h(); }; interface B : A {}; interface C : A, X {};"
      "interface D : B, C {};",
      {.handlers = Handlers::all, .pollers = true});
  const auto& a = value_at(*model, 2);
  const auto& b = value_at(*model, 6);
  const auto& c = value_at(*model, 9);
  const auto& d = value_at(*model, 12);
  EXPECT_TRUE(a.bases.empty());
  EXPECT_EQ(b.bases, std::vector{&a});
  EXPECT_EQ(c.bases, std::vector{&a});
  EXPECT_EQ(d.bases, (std::vector{&b, &c}));
  EXPECT_EQ(d.ancestors, (std::vector{&b, &a, &c}));
}

TEST(Passes, NamesOfPollersAreNotTaken) {
  const auto model = finished(
      "interface AMI_QPoller { void z(); };"
      "interface Q { boolean is_ready(in long ul_timeout, out long ami_return_val, out long ul_timeout_);"
      "attribute long x; void get_x(); void operation_target(out long ul_timeout); };"
      "interface R : Q { void ami_get_x(); void create_pollable_set(); };",
      {.handlers = Handlers::all, .pollers = true});
  const auto& q = value_at(*model, 5);
  EXPECT_EQ(q.name, "AMI_AMI_QPoller");
  EXPECT_EQ(polls_of(q),
            "ami_is_ready(in ul_timeout, out ami_ami_return_val, out ami_return_val, out ul_timeout_) "
            "ami_get_x(in ul_timeout, out ami_return_val) set_x(in ul_timeout) get_x(in ul_timeout) "
            "ami_operation_target(in ami_ul_timeout, out ul_timeout) ");
  EXPECT_EQ(polls_of(value_at(*model, 8)), "ami_ami_get_x(in ul_timeout) ami_create_pollable_set(in ul_timeout) ");
}

TEST(Passes, WhatTheLibraryDefinesIsNotTheMainFiles) {
  const std::string text =
      "#pragma prefix \"omg.org\"\nmodule CORBA { interface Policy {}; interface Own {}; };\n#pragma prefix \"\"\n"
      "interface Mine : CORBA::Policy {};";
  const auto model = finished(text, {.library = true});
  const auto& corba = *model::as<model::Module>(model->contents.at(0));
  EXPECT_EQ(library_part(*corba.contents.at(0)), LibraryPart::corba);
  EXPECT_FALSE(corba.contents.at(0)->in_main_file);
  EXPECT_TRUE(corba.contents.at(1)->in_main_file);
  EXPECT_TRUE(interface_at(*model, 1).is_local) << "what derives from a policy is local, as that is";
  EXPECT_FALSE(model::as<model::Interface>(finished(text, {})->contents.at(1))->is_local);
}

}  // namespace
}  // namespace corbel::idl::passes
