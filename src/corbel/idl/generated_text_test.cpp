// SPDX-License-Identifier: Apache-2.0
// What the C++ that is generated says of the layout of types, the values of constants, and servants that answer later.
#include <gtest/gtest.h>

#include "corbel/idl/back/cpp11/generate.hpp"
#include "corbel/idl/front/front.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

std::string file_of(const std::string& text, const std::string& name, const Options& options) {
  front::Result result = front::parse(text, "test.idl");
  EXPECT_NE(result.model, nullptr) << text;
  if (result.model == nullptr) return {};
  for (const auto& generated : back::generate(kBackEnd, std::move(result.model), options)) {
    if (generated.name == name) return generated.text;
  }
  return {};
}

std::string header_of(const std::string& text) {
  return file_of(text, "test.hpp", {.version = "0"});
}

/// What follows `before`, to the end of its line, behind the first place of `behind`; "none" if there is none.
std::string what_follows(const std::string& text, const std::string& behind, const std::string& before) {
  const std::size_t at = text.find(behind);
  const std::size_t begin = at == std::string::npos ? at : text.find(before, at);
  if (begin == std::string::npos) return "none";
  return text.substr(begin + before.size(), text.find('\n', begin) - begin - before.size());
}

std::string least_size(const std::string& type, const std::string& text) {
  return what_follows(header_of(text), "Codec<::" + type + "> {", "kMinSize = ");
}

TEST(GeneratedConstants, OfFixedKeepTheirSign) {
  const std::string text = header_of("const fixed below = -12.5d; const fixed above = 12.5d;");
  EXPECT_EQ(what_follows(text, " below = ", "std::string"), "(\"-12.5\"));");
  EXPECT_EQ(what_follows(text, " above = ", "std::string"), "(\"12.5\"));");
}

TEST(GeneratedConstants, HaveNoTrigraphs) {
  const std::string text = header_of(R"(const string marks = "a??=b??c?d";)");
  EXPECT_EQ(what_follows(text, " marks ", "= "), R"("a?\?=b?\?c?d";)");
}

TEST(LeastSize, OfAUnionIsThatOfItsDiscriminatorIfSomeValueSelectsNothing) {
  EXPECT_EQ(least_size("U", "union U switch (long) { case 1: double a; case 2: long long b; };"), "4;");
  EXPECT_EQ(least_size("U", "union U switch (long) { case 1: double a; default: long b; };"), "8;");
  EXPECT_EQ(least_size("U", "union U switch (boolean) { case TRUE: double a; case FALSE: short b; };"), "3;");
}

TEST(CopiedAtOnce, StructsKnowThePaddingInside) {
  const auto padding = [](const std::string& text, const std::string& type) {
    return what_follows(header_of(text), "BulkLayout<::" + type + "> {", "has_padding = ");
  };
  EXPECT_EQ(padding("struct S { octet a; long b; };", "S"), "true;");
  EXPECT_EQ(padding("struct S { long a; long b; };", "S"), "false;");
  EXPECT_EQ(padding("struct T { octet a; long b; }; struct S { T gaps[2]; long c; };", "S"), "true;")
      << "further inside";
}

TEST(CopiedAtOnce, AreNoStructsWithPaddingBehindTheirLastMember) {
  const auto is_copied = [](const std::string& text) {
    return header_of(text).find("BulkLayout<::S> {") != std::string::npos;
  };
  EXPECT_FALSE(is_copied("struct S { long a; octet b; };"));
  EXPECT_TRUE(is_copied("struct S { long a; octet b[4]; };"));
}

std::string server_header_of(const std::string& text, const Options& options) {
  return file_of(text, "test_server.hpp", options);
}

TEST(DeferredReplies, AreWrittenWhenWanted) {
  const std::string text = "interface I { long f(in string a, inout string b, out string c); };";
  EXPECT_EQ(server_header_of(text, {.version = "0"}).find("amh"), std::string::npos);
  EXPECT_EQ(server_header_of(text, {.version = "0", .amh = true, .stubs = true}).find("amh"), std::string::npos);
  const std::string wanted = server_header_of(text, {.version = "0", .amh = true});
  EXPECT_EQ(what_follows(wanted, "class _answer_I", "void f("),
            "std::int32_t _result, const std::string& b, const std::string& c) {");
  EXPECT_EQ(what_follows(wanted, "class _amh_I", "virtual void f("),
            "corbel::base::SharedPtr<_answer_I> _response_handler, std::string a, std::string b) = 0;");
  EXPECT_NE(wanted.find("struct CORBA::amh_traits<::I>"), std::string::npos);
}

TEST(DeferredReplies, OfOnewaysAndReplyHandlersAreNone) {
  const std::string text =
      server_header_of("interface I { oneway void f(in string a); };", {.version = "0", .amh = true});
  EXPECT_EQ(what_follows(text, "class _answer_I", "void f("), "const std::string& a) = 0;") << "that of the skeleton";
  EXPECT_EQ(what_follows(text, "class _amh_I", "virtual void f("), "const std::string& a) = 0;");
  const std::string handlers =
      server_header_of("interface I { void f(); };", {.version = "0", .ami = true, .amh = true});
  EXPECT_NE(handlers.find("class AMI_IHandler"), std::string::npos);
  EXPECT_EQ(handlers.find("_amh_AMI_IHandler"), std::string::npos);
}

TEST(Pollers, AreForThoseWhoAskForThem) {
  const std::string text = "interface I { long f(inout string b, out short c); };";
  EXPECT_EQ(file_of(text, "test.hpp", {.version = "0", .ami = true}).find("oller"), std::string::npos);
  EXPECT_EQ(file_of(text, "test.hpp", {.version = "0", .pollers = true}).find("oller"), std::string::npos);
  const Options all{.version = "0", .ami = true, .pollers = true};
  const std::string header = file_of(text, "test.hpp", all);
  EXPECT_EQ(what_follows(header, "class I ", "::AMI_IPoller>::ref_type "), "sendp_f(const std::string& b);");
  EXPECT_EQ(what_follows(header, "class AMI_IPoller ", "void f("),
            "std::uint32_t ul_timeout, std::int32_t& ami_return_val, std::string& b, std::int16_t& c);");
  EXPECT_EQ(file_of(text, "test_any.cpp", all), file_of(text, "test_any.cpp", {.version = "0", .ami = true}));
}

TEST(DeferredReplies, HaveNamesThatNoOperationHas) {
  const std::string text = server_header_of(
      "interface I { attribute long a; void f(); void get_a(); void f_excep(); };", {.version = "0", .amh = true});
  EXPECT_EQ(what_follows(text, "class _answer_I", "void ami_get_a("),
            "std::int32_t _result) { _reply<std::int32_t>(0, _result); }");
  EXPECT_EQ(what_follows(text, "class _answer_I", "void ami_f_excep("),
            "const _exception_type& _exception) { _raise(2, _exception); }");
}

TEST(DeferredReplies, OfAbstractInterfacesAreOfTheFirstThatAdoptsThem) {
  const std::string text =
      server_header_of("abstract interface A { void f(); }; interface B : A {}; interface C : B, A { void g(); };",
                       {.version = "0", .amh = true});
  EXPECT_EQ(what_follows(text, "class _answer_B", "void f("), ") { _reply<>(0); }");
  EXPECT_EQ(what_follows(text, "class _amh_B", "virtual void f("),
            "corbel::base::SharedPtr<_answer_B> _response_handler) = 0;");
  EXPECT_EQ(what_follows(text, "class _answer_C", "void f("), "none");
}

}  // namespace
TEST(Interfaces, OfManyOperationsTakeLinearTime) {
  std::string text = "interface I {";
  for (int i = 0; i < 5000; ++i) text += "void f" + std::to_string(i) + "();";
  for (const Options& options :
       {Options{.version = "0", .ami = true, .pollers = true}, Options{.version = "0", .amh = true}}) {
    EXPECT_NE(file_of(text + "};", "test.cpp", options).find("::f4999("), std::string::npos);
  }
}

TEST(Dispatch, NumbersOperationsBehindThoseOfTheirBases) {
  const std::string text = "interface A { void f(); attribute long x; }; interface B : A { void g(); };";
  const Options indexed{.version = "0", .dispatch = Dispatch::indexed};
  const std::string stubs = file_of(text, "test.cpp", indexed);
  EXPECT_NE(stubs.find("_kA_f{\"0\","), std::string::npos) << stubs;
  EXPECT_NE(stubs.find("_kA_set_x{\"2\","), std::string::npos) << stubs;
  EXPECT_NE(stubs.find("_kB_g{\"3\","), std::string::npos) << stubs;
  EXPECT_NE(file_of(text, "test_server.cpp", indexed).find("corbel::mapping::IndexedOperations _kB_table("),
            std::string::npos);
  EXPECT_NE(server_header_of(text, indexed).find("operation_schemes.hpp"), std::string::npos);
}

TEST(Dispatch, ByLinearSearchChangesNoName) {
  const std::string text = "interface A { void f(); };";
  const Options linear{.version = "0", .dispatch = Dispatch::linear};
  EXPECT_EQ(file_of(text, "test.cpp", linear), file_of(text, "test.cpp", {.version = "0"}));
  EXPECT_NE(file_of(text, "test_server.cpp", linear).find("corbel::mapping::LinearOperations _kA_table("),
            std::string::npos);
  EXPECT_EQ(file_of(text, "test_server.cpp", {.version = "0"}).find("LinearOperations"), std::string::npos);
}

}  // namespace corbel::idl::back::cpp11
