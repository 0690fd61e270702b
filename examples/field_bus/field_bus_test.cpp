// SPDX-License-Identifier: Apache-2.0
// The transport as it should be: the conformance suite, and calls over it.
#include "field_bus.hpp"

#include "../carriers/calls.hpp"
#include "conformance/transport_conformance.hpp"
#include "test_bus.hpp"

namespace field_bus {
namespace {

std::vector<corbel::conformance::Carrier> field_buses() {
  static const TestBus bus("conformance");
  corbel::conformance::Carrier carrier{.name = "field_bus", .make = make_field_bus, .listen = bus.at(5)};
  carrier.nowhere = "/nowhere/bus/1";
  carrier.spelled = {{"/run/bus/7", "/run/bus/7"},
                     {"/run/bus/07", "/run/bus/7"},
                     {"board/run/bus/0", "board/run/bus/0"},
                     {"@bus/30", "@bus/30"},
                     {"/run/bus/", "/run/bus/"}};
  carrier.bad = {"", "bus", "bus/1", "/1", "/run/bus/31", "/run/bus/x", "/run/b us/1", "/run/bus/1\n"};
  return {carrier};
}

const std::vector<std::string> kLoad{"-ORBLoad", FIELD_BUS_PLUGIN};

TEST(FieldBus, CarriesCalls) {
  const TestBus bus("calls");
  carriers::call_over(make_field_bus(), "field_bus://" + bus.at(3));
  EXPECT_GT(bus.controller->counts().messages, 200U);
}

TEST(FieldBus, CarriesCallsAtTheSpeedOfARealBus) {
  BusSettings settings;
  settings.silence = quick().silence;
  const TestBus bus("real", settings);
  carriers::call_over(nullptr, "field_bus://" + bus.at(3), kLoad);
  EXPECT_GT(bus.controller->counts().busy, std::chrono::milliseconds(100));
}

TEST(FieldBus, CarriesCallsOfOtherMessageProtocols) {
  const TestBus bus("lite");
  carriers::call_over(nullptr, "giop_lite+field_bus://" + bus.at(3), kLoad);
}

TEST(FieldBus, CutsMessagesIntoTheWordsThatTheBusHas) {
  BusSettings settings = quick();
  settings.words = 4;
  const TestBus bus("narrow", settings);
  carriers::call_over(nullptr, "field_bus://" + bus.at(3), kLoad);
  const BusCounts counts = bus.controller->counts();
  EXPECT_LE(counts.words, 4 * counts.messages);
  EXPECT_GT(counts.messages, 200U * 10);
}

/// What ORB_init, and then listening, say to these options.
std::string answer(std::vector<std::string> options) {
  options.insert(options.end(), kLoad.begin(), kLoad.end());
  try {
    const auto orb = carriers::make_orb("asked", nullptr, options);
    std::string text = "taken";
    try {
      const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
      poa->create_reference("IDL:Nothing:1.0");
    } catch (const CORBA::SystemException& exception) {
      text = exception.detail();
    }
    orb->destroy();
    return text;
  } catch (const CORBA::SystemException& exception) {
    return exception.detail();
  }
}

TEST(FieldBus, MayBeControlledByAnOrbsProcess) {
  const std::string bus = "@corbel-field-bus-own-" + std::to_string(::getpid());
  const std::string at = "field_bus://" + bus + "/4";
  auto board = carriers::make_orb(
      "board", nullptr,
      {kLoad[0], kLoad[1], "-ORBFieldBusControl", bus, "-ORBFieldBusWordTime", "0", "-ORBFieldBusSilence", "60000"});
  carriers::call_over(nullptr, at, kLoad);
  EXPECT_EQ(answer({"-ORBListenEndpoints", at}), "taken");
  EXPECT_NE(answer({"-ORBListenEndpoints", at, "-ORBFieldBusControl", bus}), "taken") << "a bus has one controller";
  board->destroy();
  board = nullptr;
  EXPECT_NE(answer({"-ORBListenEndpoints", at}), "taken") << "and ends with it";
}

TEST(FieldBus, BringsOptionsOfItsOwn) {
  EXPECT_EQ(answer({"-ORBFieldBusWords", "33"}),
            "-ORBFieldBusWords: '33' is not legal; legal is a number from 4 to 32 (words)");
  EXPECT_EQ(answer({"-ORBFieldBusWords", "3"}),
            "-ORBFieldBusWords: '3' is not legal; legal is a number from 4 to 32 (words)");
  EXPECT_NE(answer({"-ORBHelp"}).find("-ORBFieldBusMinorFrame"), std::string::npos);
}

}  // namespace
}  // namespace field_bus

CORBEL_TRANSPORT_CONFORMANCE(FieldBus, field_bus::field_buses())
