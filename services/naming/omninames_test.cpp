// SPDX-License-Identifier: Apache-2.0
#include "omninames.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "open_store.hpp"
#include "temporary_folder.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NameComponent;

std::string reference(const std::string& key, const std::string& type = "IDL:omg.org/CosNaming/NamingContextExt:1.0") {
  ior::IiopProfile profile;
  profile.host = "host";
  profile.port = 2809;
  profile.object_key.assign(key.begin(), key.end());
  return ior::to_string({type, {ior::encode_profile(profile)}});
}

const std::string kRootReference = reference("NameService");
const std::string kChildReference = reference(std::string("\xff\0\x1fY\3k\1\0o\xda\0\0\0\1", 14));
const std::string kObject = reference("object", "IDL:Thing:1.0");

class OmninamesTest : public testing::Test {
 protected:
  Imported import(const std::string& text) {
    std::istringstream file(text);
    return import_omninames(file, store_, {.components = 128, .component_octets = 20});
  }
  Walk resolve(const Name& name) { return store_.resolve(kRoot, name); }

  TemporaryFolder folder_;
  const std::unique_ptr<Store> kept_ =
      open_store({.data = folder_.path() + "/names.db", .durability = Durability::process}, {});
  Store& store_ = *kept_;
};

TEST_F(OmninamesTest, ReplaysTheJournal) {
  const Imported imported = import(
      "port 29001\npersistent 1f59036b01006fda\ncreate 4e616d6553657276696365\n"
      "create 1f59036b01006fda00000001\n"
      "bind " +
      kRootReference + " ctx k ncontext " + kChildReference +
      "\n"
      "bind " +
      kChildReference + " a\\ b\\\\c\\nd  nobject " + kObject +
      "\n"
      "bind " +
      kChildReference + " gone  nobject " + kObject +
      "\n"
      "bind " +
      kRootReference + "   nobject " + kObject +
      "\n"
      "unbind " +
      kChildReference +
      " gone \n"
      "create 1f59036b01006fda00000002\n"
      "destroy " +
      reference(std::string("\xff\0\x1fY\3k\1\0o\xda\0\0\0\2", 14)) + "\n");
  EXPECT_EQ(imported.port, "29001");
  EXPECT_EQ(imported.skipped, 0U);
  const NameComponent context("ctx", "k");
  EXPECT_NE(resolve({context}).bound.child, 0);
  EXPECT_EQ(resolve({context, NameComponent("a b\\c\nd", "")}).outcome, Outcome::done);
  EXPECT_EQ(resolve({context, NameComponent("gone", "")}).outcome, Outcome::missing);
  EXPECT_EQ(resolve({NameComponent("", "")}).outcome, Outcome::done);
  EXPECT_EQ(store_.census().contexts, 2);
  EXPECT_EQ(store_.census().bindings, 3);
  EXPECT_EQ(store_.census().unreachable, 0);
}

TEST_F(OmninamesTest, ABindOfABoundNameReplacesIt) {
  import("create 1f59036b01006fda00000001\nbind " + kRootReference + " x  nobject " + kObject + "\nbind " +
         kRootReference + " x  ncontext " + kChildReference + "\nbind " + kRootReference + " y  ncontext " +
         kChildReference + "\nbind " + kRootReference + " y  nobject " + kObject + "\n");
  EXPECT_NE(resolve({NameComponent("x", "")}).bound.child, 0);
  EXPECT_EQ(resolve({NameComponent("y", "")}).bound.type, BindingType::nobject);
}

TEST_F(OmninamesTest, ContextsOfOthersStayReferences) {
  import("bind " + kRootReference + " x  ncontext " + kChildReference + "\n");
  EXPECT_EQ(resolve({NameComponent("x", "")}).bound.child, 0);
  EXPECT_EQ(resolve({NameComponent("x", "")}).bound.reference.size(), (kChildReference.size() - 4) / 2);
}

/// A file that never ends, nor has lines, such as /dev/zero.
class Endless : public std::streambuf {
 public:
  std::size_t read = 0;

 private:
  int underflow() override {
    read += piece_.size();
    if (read > 8U << 20) return traits_type::eof();
    setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
    return 0;
  }
  std::string piece_ = std::string(4096, '\0');
};

TEST_F(OmninamesTest, ReadsNoMoreOfALineThanItMayHave) {
  Endless octets;
  std::istream file(&octets);
  EXPECT_THROW(import_omninames(file, store_, {.components = 128, .component_octets = 20}), std::runtime_error);
  EXPECT_LT(octets.read, 2U << 20);
  const std::string longest = "port 1\nport 2\r\npersistent ";
  EXPECT_EQ(import(longest + std::string((1U << 20) - 11, '0')).port, "2");
  EXPECT_THROW(import(longest + std::string(1U << 20, '0')), std::runtime_error);
}

TEST_F(OmninamesTest, WhatMakesNoSenseIsNamedByItsLineAndNothingIsImported) {
  const std::string good = "bind " + kRootReference + " x  nobject " + kObject + "\n";
  for (const std::string& bad :
       {std::string("hello"), std::string("create 123"), std::string("create xy"),
        std::string("bind IOR:00 a b nobject IOR:00"), "bind " + kRootReference + " a b what " + kObject,
        "bind " + kRootReference + " a", std::string("\\"), std::string("port x"), std::string("port 0"),
        std::string("port 65536"), std::string("port 1 "),
        "bind " + kRootReference + " " + std::string(21, 'x') + "  nobject " + kObject,
        "bind " + kRootReference + " a " + std::string(21, 'x') + " nobject " + kObject}) {
    try {
      import(good + bad + "\n");
      ADD_FAILURE() << bad;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
    EXPECT_EQ(store_.census().bindings, 0);
  }
  EXPECT_THROW(import(""), std::runtime_error);
  import(good);
  EXPECT_THROW(import(good), std::runtime_error) << "the store is not empty";
}

}  // namespace
}  // namespace corbel::naming
