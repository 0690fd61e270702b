// SPDX-License-Identifier: Apache-2.0
// Skeletons that find their operations by linear search or by number, called over a connection and collocated.
#include <corbel/corbel.hpp>

#include <gtest/gtest.h>

#include "indexed_server.hpp"
#include "linear_server.hpp"

namespace {

struct LinearSide {
  using Base = Linear::Base;
  using Derived = Linear::Derived;
  using Full = Linear::Full;
};
struct IndexedSide {
  using Base = Indexed::Base;
  using Derived = Indexed::Derived;
  using Full = Indexed::Full;
};

template <class Side>
class Servant : public CORBA::servant_traits<typename Side::Derived>::base_type {
 public:
  std::int32_t first(std::int32_t value) override { return value + 1; }
  std::string label() override { return label_; }
  void label(const std::string& value) override { label_ = value; }
  void note(std::int32_t value) override { noted_ = value; }
  std::int32_t last(std::string& text) override {
    if (text.size() > 8) throw typename Side::Full(8);
    text += "!";
    return noted_;
  }

 private:
  std::string label_ = "new";
  std::int32_t noted_ = 0;
};

template <class Side>
class Dispatched : public testing::Test {
 protected:
  static IDL::traits<CORBA::ORB>::ref_type orb_with(const char* collocation) {
    std::vector<std::string> arguments{"-ORBListenEndpoints", "giop+inproc://dispatch", "-ORBCollocation", collocation};
    return CORBA::ORB_init(arguments);
  }
};
using Sides = testing::Types<LinearSide, IndexedSide>;
TYPED_TEST_SUITE(Dispatched, Sides);

TYPED_TEST(Dispatched, EveryOperationIsFoundOverAConnectionAndCollocated) {
  for (const char* const collocation : {"off", "on"}) {
    const auto orb = this->orb_with(collocation);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const auto object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Servant<TypeParam>>()));
    const auto derived = IDL::traits<typename TypeParam::Derived>::narrow(object);
    const auto base = IDL::traits<typename TypeParam::Base>::narrow(object);
    ASSERT_TRUE(derived && base) << collocation;
    EXPECT_EQ(base->first(1), 2);
    base->label("old");
    EXPECT_EQ(derived->label(), "old");
    derived->note(42);
    std::string text = "text";
    EXPECT_EQ(derived->last(text), 42);
    EXPECT_EQ(text, "text!");
    text = "longer than that";
    EXPECT_THROW(derived->last(text), typename TypeParam::Full);
    EXPECT_EQ(derived->first(2), 3) << "through the derived stub";
    orb->destroy();
  }
}

TEST(IndexedDispatch, NumbersThatDoNotExistAreNoOperations) {
  using corbel::mapping::IndexedOperations;
  using corbel::mapping::OperationEntry;
  static constexpr auto nothing = [](int&, corbel::corba::ServerCall&) {};
  static constexpr OperationEntry<int> entries[] = {{"1", nothing}, {"0", nothing}, {"2", nothing}};
  constexpr IndexedOperations operations(entries);
  for (const char* const good : {"0", "1", "2"}) {
    ASSERT_NE(operations.find(good), nullptr) << good;
    EXPECT_EQ(operations.find(good)->name, good);
  }
  for (const char* const bad :
       {"", "3", "00", "01", "-1", "1 ", "+1", "a", "99999", "18446744073709551616", "operation"}) {
    EXPECT_EQ(operations.find(bad), nullptr) << bad;
  }
}

TEST(LinearDispatch, ComparesNamesInFull) {
  using corbel::mapping::LinearOperations;
  using corbel::mapping::OperationEntry;
  static constexpr auto nothing = [](int&, corbel::corba::ServerCall&) {};
  static constexpr OperationEntry<int> entries[] = {{"get", nothing}, {"get_all", nothing}};
  constexpr LinearOperations operations(entries);
  ASSERT_NE(operations.find("get_all"), nullptr);
  EXPECT_EQ(operations.find("get_all")->name, "get_all");
  for (const char* const bad : {"", "ge", "get_", "get_all_"}) EXPECT_EQ(operations.find(bad), nullptr) << bad;
}

}  // namespace
