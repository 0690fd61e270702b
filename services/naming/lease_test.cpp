// SPDX-License-Identifier: Apache-2.0
// Leases as clients see them, and those of servers that renew them.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "NamingLeases.hpp"
#include "corbel_naming_lease.hpp"
#include "test_support.hpp"

namespace corbel::naming {
namespace {

using namespace test;  // NOLINT: the fixture's names
using CorbelNaming::LeasingContext;

constexpr auto kPatience = std::chrono::minutes(2);
/// Renewed three times in it, however slow the machine is.
constexpr std::chrono::seconds kLength(9);

class LeaseTest : public ServiceFixture {
 protected:
  auto leasing() { return IDL::traits<LeasingContext>::narrow(root_); }
  Lease::Options options(std::chrono::seconds length) {
    Lease::Options given;
    given.length = length;
    given.service = root_;
    return given;
  }
  std::string resolved(const std::string& what) {
    try {
      return text(root_->resolve(name(what)));
    } catch (const NamingContext::NotFound&) {
      return "nothing";
    } catch (const CORBA::SystemException& exception) {
      return exception._name();
    }
  }
  /// Until it is resolved to that, or much time has passed.
  bool becomes(const std::string& what, const std::string& wanted) {
    for (const auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;) {
      if (resolved(what) == wanted) return true;
      std::this_thread::yield();
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(Collocation, LeaseTest, testing::Values("off", "on"));

TEST_P(LeaseTest, ANameBeyondAServiceThatIsAwayIsHeldUntilItsLeaseEnds) {
  auto beyond = std::make_unique<Server>("beyond");
  root_->bind_context(name("beyond"),
                      ext(IDL::traits<NamingContext>::narrow(client_->string_to_object(beyond->reference()))));
  std::atomic<int> told{0};
  Lease::Options given = options(kLength);
  given.changed = [&](bool, const std::string&) { ++told; };
  const auto begun = std::chrono::steady_clock::now();
  const Lease lease(client_, "beyond/name", object("thing"), given);
  beyond.reset();
  // It has been asked for once at least, and in vain.
  while (std::chrono::steady_clock::now() < begun + kLength * 2 / 3) {
    if (told != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(told, 0);
  EXPECT_TRUE(lease.held());
}

TEST_P(LeaseTest, WhatIsLeasedEndsByItselfUnlessItIsRenewed) {
  const auto context = leasing();
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->bind_leased(name("long"), object("thing"), 7, 3600), 3600U);
  EXPECT_EQ(context->bind_leased(name("long"), object("thing"), 7, 3600), 3600U) << "the same call again";
  EXPECT_THROW(context->bind_leased(name("long"), object("other"), 8, 3600), NamingContext::AlreadyBound);
  EXPECT_EQ(context->renew(name("long"), 7, 1800), 1800U);
  EXPECT_THROW(context->renew(name("long"), 8, 1800), CorbelNaming::NotHeld);
  EXPECT_THROW(context->release(name("long"), 8), CorbelNaming::NotHeld);
  EXPECT_EQ(resolved("long"), text(object("thing")));
  EXPECT_EQ(context->rebind_leased(name("long"), object("other"), 8, 3600), 3600U);
  EXPECT_THROW(context->renew(name("long"), 7, 1800), CorbelNaming::NotHeld);
  context->release(name("long"), 8);
  EXPECT_EQ(resolved("long"), "nothing");

  context->bind_leased(name("short"), object("thing"), 7, 1);
  EXPECT_TRUE(becomes("short", "nothing"));
  EXPECT_EQ(not_found([&] { context->renew(name("short"), 7, 3600); }), "missing_node short");
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type iterator;
  root_->list(10, bindings, iterator);
  EXPECT_TRUE(bindings.empty());
  root_->bind(name("short"), object("other"));
}

TEST_P(LeaseTest, LeasesHaveLimits) {
  ServiceLimits limits;
  limits.lease = std::chrono::seconds(60);
  start(limits, {.bindings = 1});
  const auto context = leasing();
  EXPECT_EQ(context->bind_leased(name("a"), object("thing"), 7, 3600), 60U);
  EXPECT_EQ(context->renew(name("a"), 7, 0xffffffff), 60U);
  EXPECT_THROW(context->bind_leased(name("b"), object("thing"), 7, 60), CORBA::NO_RESOURCES);
  EXPECT_THROW(context->bind_leased(name("a"), object("thing"), 0, 60), CORBA::BAD_PARAM);
  EXPECT_THROW(context->bind_leased(name("a"), object("thing"), 7, 0), CORBA::BAD_PARAM);
  EXPECT_THROW(context->renew(name("a"), 7, 0), CORBA::BAD_PARAM);
  EXPECT_THROW(context->bind_leased(name("a"), nullptr, 7, 60), CORBA::BAD_PARAM);
  EXPECT_THROW(context->bind_leased({}, object("thing"), 7, 60), NamingContext::InvalidName);
}

TEST_P(LeaseTest, NamesThatLeadElsewhereAreLeasedThere) {
  Server other("other");
  root_->bind_context(name("there"), IDL::traits<NamingContext>::narrow(client_->string_to_object(other.reference())));
  const auto context = leasing();
  context->bind_leased(name("there/x"), object("thing"), 7, 60);
  EXPECT_EQ(resolved("there/x"), text(object("thing")));
  EXPECT_EQ(context->renew(name("there/x"), 7, 30), 30U);
  EXPECT_THROW(context->renew(name("there/x"), 8, 30), CorbelNaming::NotHeld);
  context->release(name("there/x"), 7);
  EXPECT_EQ(other.store.census().bindings, 0);
}

TEST_P(LeaseTest, AServerKeepsItsName) {
  {
    Lease lease(client_, "server", object("thing"), options(kLength));
    EXPECT_TRUE(lease.held());
    EXPECT_EQ(lease.granted(), kLength);
    EXPECT_EQ(resolved("server"), text(object("thing")));
    EXPECT_THROW(Lease(client_, "server", object("other"), options(kLength)), LeaseRefused);
    // Somebody unbinds it: it comes back.
    root_->unbind(name("server"));
    EXPECT_TRUE(becomes("server", text(object("thing"))));
  }
  EXPECT_EQ(resolved("server"), "nothing") << "at once";
  EXPECT_THROW(Lease(client_, "a//b", object("thing"), options(kLength)), std::invalid_argument);
  EXPECT_THROW(Lease(client_, "missing/a", object("thing"), options(kLength)), LeaseRefused);
  EXPECT_THROW(Lease(client_, "a", nullptr, options(kLength)), std::invalid_argument);
}

TEST_P(LeaseTest, AServerThatLostItsNameTakesItBackWhenItMay) {
  std::mutex mutex;
  std::string said;
  auto given = options(kLength);
  given.changed = [&](bool held, const std::string&) {
    const std::lock_guard lock(mutex);
    said += held ? '+' : '-';
  };
  Lease lease(client_, "server", object("thing"), given);
  root_->rebind(name("server"), object("other"));
  for (const auto end = std::chrono::steady_clock::now() + kPatience;
       lease.held() && std::chrono::steady_clock::now() < end;) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(lease.held());
  EXPECT_EQ(resolved("server"), text(object("other"))) << "it is the other's now";
  root_->unbind(name("server"));
  EXPECT_TRUE(becomes("server", text(object("thing"))));
  // The call-back may come after the binding.
  for (const auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;) {
    const std::lock_guard lock(mutex);
    if (said == "-+") break;
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(said, "-+");
}

}  // namespace
}  // namespace corbel::naming
