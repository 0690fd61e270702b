// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
