// SPDX-License-Identifier: Apache-2.0
// ORBs that compress: what passes between them, and who decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <corbel/dynamic/any.hpp>
#include <corbel/ior/ior.hpp>
#include <corbel/orb/parts.hpp>

#include "manager.hpp"
#include "test_support.hpp"
#include "wire.hpp"

namespace corbel::ziop {
namespace {

class BetweenOrbs : public WithOrbs {};

TEST_P(BetweenOrbs, IsOfRequestsAndRepliesThatAreLongEnough) {
  serve(Kind::ziop);
  const auto press = this->press(Kind::ziop);
  EXPECT_EQ(press->repeat("short"), "short");
  EXPECT_EQ(counts(), Counts(0, 0));
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 1));
  EXPECT_EQ(press->make(5000), std::string(5000, 'm'));  // the reply alone
  EXPECT_EQ(counts(), Counts(1, 2));
  const Traffic all = traffic(client_);
  EXPECT_GT(all.sent.octets, kBig.size());
  EXPECT_LT(all.sent.compressed, 1000U);
  EXPECT_EQ(all.refused, 0U);
  const Traffic served = traffic(server_);
  EXPECT_EQ(served.received.octets, all.sent.octets);
  EXPECT_EQ(served.sent.compressed, all.received.compressed);
}

TEST_P(BetweenOrbs, IsOfExceptionsOnewaysAndForwardsToo) {
  serve(Kind::ziop);
  const auto press = this->press(Kind::ziop);
  try {
    press->fail(kBig);
    FAIL();
  } catch (const Squeezed::Refused& refused) {
    EXPECT_EQ(refused.why(), kBig);
  }
  EXPECT_EQ(counts(), Counts(1, 1));
  EXPECT_THROW(press->fail("x"), CORBA::NO_PERMISSION);
  press->post(kBig);
  EXPECT_EQ(press->posted(), kBig);
  EXPECT_EQ(counts(), Counts(2, 2));

  const CORBA::PolicyList policies{
      root_->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
      root_->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)};
  const auto forwarding = root_->create_POA("forwarding", root_->the_POAManager(), policies);
  forwarding->set_servant_manager(CORBA::make_reference<Forwarder>(poa_->id_to_reference(id_)));
  const auto away = forwarding->create_reference_with_id({'a'}, "IDL:Squeezed/Press:1.0");
  const auto forwarded =
      IDL::traits<Squeezed::Press>::unchecked_narrow(client_->string_to_object(server_->object_to_string(away)));
  EXPECT_EQ(forwarded->repeat(kBig), kBig);
  EXPECT_EQ(forwarded->repeat(kBig), kBig);
  EXPECT_EQ(counts().second, 4U);
}

TEST_P(BetweenOrbs, IsDecidedAnewWhereACallIsSentElsewhere) {
  serve(Kind::plain);
  const auto plain = server_;
  const auto there = server_->object_to_string(poa_->id_to_reference(id_));
  serve(Kind::ziop);
  const auto forwarding = root_->create_POA(
      "forwarding", root_->the_POAManager(),
      {root_->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  forwarding->set_servant_manager(CORBA::make_reference<Forwarder>(server_->string_to_object(there)));
  client_ = make_orb(Kind::ziop);
  const auto press = IDL::traits<Squeezed::Press>::unchecked_narrow(
      client_->string_to_object(server_->object_to_string(forwarding->create_reference("IDL:Squeezed/Press:1.0"))));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_LE(counts().first, 1U);  // to the one that forwards
  EXPECT_EQ(counts().second, 0U);
  client_->destroy();
  client_ = nullptr;
  plain->destroy();
}

/// A reference to several servers, not all of which compress.
TEST_P(BetweenOrbs, IsNotWhereACallMayGoToOneThatHasNone) {
  serve(Kind::plain);
  const auto plain = server_;
  auto both = *ior::from_string(server_->object_to_string(poa_->id_to_reference(id_)));
  serve(Kind::ziop);
  const auto other = *ior::from_string(server_->object_to_string(poa_->id_to_reference(id_)));
  both.profiles.insert(both.profiles.begin(), other.profiles.begin(), other.profiles.end());
  client_ = make_orb(Kind::ziop);
  const auto press = IDL::traits<Squeezed::Press>::unchecked_narrow(client_->string_to_object(ior::to_string(both)));
  EXPECT_EQ(press->repeat(kBig), kBig);
  server_->destroy();
  server_ = nullptr;
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 0));
  plain->destroy();
}

TEST_P(BetweenOrbs, ChangesNoOctet) {
  serve(Kind::ziop, {"-ORBZiopLowValue", "0", "-ORBZiopMinRatio", "1"});
  const auto press = this->press(Kind::ziop, {"-ORBZiopLowValue", "0", "-ORBZiopMinRatio", "1"});
  std::uint32_t state = 1;
  for (const std::size_t size : {0U, 1U, 50U, 1000U, 2047U, 2048U, 70'000U, 3'000'000U}) {
    Squeezed::Octets octets(size);
    for (auto& octet : octets) octet = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 30);
    const Squeezed::Octets expected(octets.rbegin(), octets.rend());
    EXPECT_EQ(press->turn(octets), expected) << size;
  }
  EXPECT_GE(counts().first, 5U);
  EXPECT_GE(counts().second, 5U);
}

TEST_P(BetweenOrbs, IsBetweenManyThreadsAtOnce) {
  serve(Kind::ziop);
  const auto press = this->press(Kind::ziop);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 40; ++round) {
        const std::string text(static_cast<std::size_t>(round % 2 == 0 ? 10 : 3000 + 100 * i),
                               static_cast<char>('a' + i));
        if (press->repeat(text) != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counts(), Counts(160, 160));
}

TEST_P(BetweenOrbs, IsNotWithOrbsThatHaveNone) {
  serve(Kind::plain);
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 0));
  EXPECT_THROW((void)traffic(server_), CORBA::BAD_PARAM);
}

TEST_P(BetweenOrbs, IsNotForClientsThatHaveNone) {
  serve(Kind::ziop);
  EXPECT_EQ(press(Kind::plain)->repeat(kBig), kBig);
  EXPECT_EQ(traffic(server_).sent.messages, 0U);
  EXPECT_EQ(traffic(server_).received.messages, 0U);
}

TEST_P(BetweenOrbs, ComesWithAPlugIn) {
  serve(Kind::plugin);
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 1));
}

TEST_P(BetweenOrbs, ObeysPoliciesOfReferencesThreadsAndOrbs) {
  serve(Kind::ziop);
  const auto press = this->press(Kind::ziop);
  EXPECT_EQ(with(press, make_enabling(false))->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 0));
  EXPECT_EQ(with(press, make_low_value(30'000))->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 1));  // its server has been told by now
  EXPECT_EQ(with(press, make_min_ratio(0))->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 2));
  EXPECT_EQ(with(press, make_compressors({Compression::CompressorIdLevel(101, 3)}))->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 3));
  EXPECT_EQ(
      with(press, make_compressors({Compression::CompressorIdLevel(101, 3), Compression::CompressorIdLevel(kZlib, 1)}))
          ->repeat(kBig),
      kBig);
  EXPECT_EQ(counts(), Counts(1, 4));

  const auto manager =
      IDL::traits<CORBA::PolicyManager>::narrow(client_->resolve_initial_references("ORBPolicyManager"));
  manager->set_policy_overrides({make_enabling(false)}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 5));
  const auto current = IDL::traits<CORBA::PolicyCurrent>::narrow(client_->resolve_initial_references("PolicyCurrent"));
  current->set_policy_overrides({make_enabling(true)}, CORBA::SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(2, 6));
  EXPECT_EQ(with(press, make_enabling(false))->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(2, 7));
  current->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
}

TEST_P(BetweenOrbs, ObeysPoliciesOfAdapters) {
  serve(Kind::ziop, {}, {make_enabling(false)});
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 0));
  // The root has none of its own: the ORB's hold. Both are served over one connection.
  id_ = root_->activate_object(CORBA::make_reference<Press>());
  const auto closed = press(Kind::ziop);
  std::swap(poa_, root_);
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 1));
  std::swap(poa_, root_);
  id_ = poa_->activate_object(CORBA::make_reference<Press>());
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 1));
}

TEST_P(BetweenOrbs, MayBeOfOneAdapterAlone) {
  serve(Kind::ziop, {"-ORBZiop", "off"},
        {make_enabling(true), make_compressors({Compression::CompressorIdLevel(kZlib, 9)}), make_low_value(100),
         make_min_ratio(1)});
  EXPECT_EQ(press(Kind::ziop)->make(500), std::string(500, 'm'));
  EXPECT_EQ(counts(), Counts(0, 1));
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 2));
}

TEST_P(BetweenOrbs, IsSwitchedByOptions) {
  serve(Kind::ziop, {"-ORBZiop", "off"});
  EXPECT_EQ(press(Kind::ziop)->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(0, 0));
}

/// Takes runs of equal octets together.
class Runs final : public Compression::Compressor {
 public:
  void compress(const Compression::Buffer& source, Compression::Buffer& target) override {
    target.clear();
    for (std::size_t i = 0; i < source.size();) {
      std::size_t end = i;
      while (end < source.size() && end - i < 255 && source[end] == source[i]) ++end;
      target.insert(target.end(), {static_cast<std::uint8_t>(end - i), source[i]});
      i = end;
    }
  }
  void decompress(const Compression::Buffer& source, Compression::Buffer& target) override {
    Compression::Buffer octets;
    for (std::size_t i = 0; i + 1 < source.size(); i += 2) octets.insert(octets.end(), source[i], source[i + 1]);
    if (octets.size() > target.size()) throw Compression::CompressionException(1, "no room");
    target = std::move(octets);
  }
  IDL::traits<Compression::CompressorFactory>::ref_type compressor_factory() override { return nullptr; }
  Compression::CompressionLevel compression_level() override { return 1; }
  std::uint64_t compressed_bytes() override { return 0; }
  std::uint64_t uncompressed_bytes() override { return 0; }
  Compression::CompressionRatio compression_ratio() override { return 1; }
};

class RunsFactory final : public Compression::CompressorFactory {
 public:
  Compression::CompressorId compressor_id() override { return 200; }
  IDL::traits<Compression::Compressor>::ref_type get_compressor(Compression::CompressionLevel level) override {
    if (level != 3) throw CORBA::BAD_PARAM();  // it has one level only
    return CORBA::make_reference<Runs>();
  }
};

IDL::traits<Compression::CompressionManager>::ref_type manager_of(const OrbRef& orb) {
  return IDL::traits<Compression::CompressionManager>::narrow(orb->resolve_initial_references("CompressionManager"));
}

TEST_P(BetweenOrbs, GoesThroughCompressorsOfTheApplication) {
  server_ = make_orb(Kind::ziop, {"-ORBListenEndpoints", endpoint(), "-ORBZiop", "200:3,zlib:6"});
  manager_of(server_)->register_factory(CORBA::make_reference<RunsFactory>());
  root_ = poa_ = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
  id_ = poa_->activate_object(CORBA::make_reference<Press>());
  root_->the_POAManager()->activate();
  const auto press = this->press(Kind::ziop, {"-ORBZiop", "200:3,zlib"});
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(1, 1));
  const auto zlib = traffic(client_).sent.compressed;
  manager_of(client_)->register_factory(CORBA::make_reference<RunsFactory>());
  EXPECT_EQ(press->repeat(kBig), kBig);
  EXPECT_EQ(counts(), Counts(2, 2));
  EXPECT_GT(traffic(client_).sent.compressed, 2 * zlib);  // runs are longer than what zlib makes of this
  EXPECT_EQ(traffic(server_).refused, 0U);
}

TEST(AnyLevel, DoesToDecompress) {
  Manager manager;
  manager.register_factory(CORBA::make_reference<RunsFactory>());
  EXPECT_NE(manager.of_any_level(200), nullptr);
  EXPECT_EQ(manager.of_any_level(200), manager.shared({200, 3}));
  EXPECT_EQ(manager.of_any_level(201), nullptr);
}

/// Calls when it ends: after the values of its thread that are younger.
struct CallsAtTheEnd {
  ~CallsAtTheEnd() {
    if (press != nullptr) said = press->repeat(kBig);
  }
  PressRef press;
  inline static std::string said;
};

TEST_P(BetweenOrbs, IsOfCallsOfThreadsThatEnd) {
  serve(Kind::ziop);
  CallsAtTheEnd::said = "";
  std::thread([&] {
    thread_local CallsAtTheEnd last;
    last.press = press(Kind::ziop);
    EXPECT_EQ(last.press->repeat(kBig), kBig);
  }).join();
  EXPECT_EQ(CallsAtTheEnd::said, kBig);
  EXPECT_EQ(counts(), Counts(2, 2));
}

TEST_P(BetweenOrbs, OutlivesServersThatEndWhileCallsAreUnderWay) {
  serve(Kind::ziop);
  const auto press = this->press(Kind::ziop);
  EXPECT_EQ(press->repeat(kBig), kBig);
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        try {
          (void)press->repeat(kBig);
        } catch (const CORBA::SystemException&) {
          over = true;
        }
      }
    });
  }
  server_->shutdown(true);
  for (auto& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Over, BetweenOrbs, ::testing::Values("tcp", "unix"),
                         [](const auto& one) { return one.param; });

TEST(ZiopOptions, AreChecked) {
  const auto refusal = [](const Words& words) -> std::string {
    try {
      make_orb(Kind::ziop, words)->destroy();
      return "";
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
  };
  EXPECT_EQ(refusal({"-ORBZiop", "zlib:9", "-ORBZiopLowValue", "10", "-ORBZiopMinRatio", "0.9"}), "");
  EXPECT_NE(refusal({"-ORBZiop", "zlob:9"}).find("-ORBZiop: 'zlob:9' is not legal"), std::string::npos);
  EXPECT_NE(refusal({"-ORBZiopMinRatio", "1.5"}).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal({"-ORBZiopMinRatio", "nan"}), "");
  EXPECT_NE(refusal({"-ORBZiopLowValue", "-1"}), "");
  EXPECT_THROW(make_orb(Kind::plain, {"-ORBZiop", "zlib:9"}), CORBA::BAD_PARAM);
}

TEST(ZiopPlugIn, IsForOrbsThatAreBeingMade) {
  const auto orb = make_orb(Kind::plain);
  try {
    orb::load_plugin(*orb, CORBEL_ZIOP_PLUGIN);
    FAIL();
  } catch (const CORBA::INITIALIZE& exception) {
    EXPECT_NE(exception.detail().find("what it brings is for ORBs that are being made"), std::string::npos);
  }
  orb->destroy();
  try {  // twice
    (void)make_orb(Kind::ziop, {"-ORBLoad", CORBEL_ZIOP_PLUGIN});
    FAIL();
  } catch (const CORBA::INITIALIZE& exception) {
    EXPECT_NE(exception.detail().find("it brings a layer 'ziop', which is there"), std::string::npos);
  }
}

TEST(ZiopPolicies, AreMadeOfAnys) {
  const auto orb = make_orb(Kind::ziop);
  CORBA::Any any;
  any <<= true;
  EXPECT_TRUE(IDL::traits<ZIOP::CompressionEnablingPolicy>::narrow(orb->create_policy(64, any))->compression_enabled());
  any <<= std::uint32_t{17};
  EXPECT_EQ(IDL::traits<ZIOP::CompressionLowValuePolicy>::narrow(orb->create_policy(66, any))->low_value(), 17U);
  try {
    (void)orb->create_policy(64, any);
    FAIL();
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::BAD_POLICY_TYPE);
  }
  any <<= 2.0F;
  try {
    (void)orb->create_policy(67, any);
    FAIL();
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::BAD_POLICY_VALUE);
  }
  any <<= 0.25F;
  EXPECT_EQ(IDL::traits<ZIOP::CompressionMinRatioPolicy>::narrow(orb->create_policy(67, any))->ratio(), 0.25F);
  EXPECT_THROW((void)make_min_ratio(-1), CORBA::BAD_PARAM);
  orb->destroy();
}

}  // namespace
}  // namespace corbel::ziop
