// SPDX-License-Identifier: Apache-2.0
// Options that transports bring.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "corbel/corba/exception.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/orb/parts_setup.hpp"
#include "corbel/orb/read_options.hpp"

namespace corbel::orb {
namespace {

using Arguments = std::vector<std::string>;
using routing::FactoryPtr;

/// What an owl is told.
struct OwlSettings {
  std::uint32_t height = 20;
  int depth = 3;
  base::Duration nap = std::chrono::milliseconds(5);
  bool hoots = false;
  std::string tree{};
  std::vector<std::string> mice{};
};

constexpr std::array kOwlRows = {
    base::OptionRow<OwlSettings>{"OwlHeight", base::NumberMember<OwlSettings>{base::member_v<&OwlSettings::height>}, 1,
                                 100, "metres", "how high"},
    base::OptionRow<OwlSettings>{"OwlDepth", base::IntMember<OwlSettings>{base::member_v<&OwlSettings::depth>}, 0, 9,
                                 "", "how deep"},
    base::OptionRow<OwlSettings>{"OwlNap", base::DurationMember<OwlSettings>{base::member_v<&OwlSettings::nap>}, 0,
                                 1000, "us", "how long"},
    base::OptionRow<OwlSettings>{"OwlHoots", base::SwitchMember<OwlSettings>{base::member_v<&OwlSettings::hoots>}, 0, 0,
                                 "", "whether"},
    base::OptionRow<OwlSettings>{"OwlTree2", base::TextMember<OwlSettings>{base::member_v<&OwlSettings::tree>}, 0, 0,
                                 "", "where"},
    base::OptionRow<OwlSettings>{"OwlMouse",
                                 base::ParsedMember<OwlSettings>{[](OwlSettings& to, std::string_view text) {
                                                                   if (text.empty()) return false;
                                                                   to.mice.emplace_back(text);
                                                                   return true;
                                                                 },
                                                                 "a mouse", "none"},
                                 0, 0, "", "may be repeated", [](OwlSettings& to) { to.mice.clear(); }},
};

/// Keeps what an ORB told the last owl.
OwlSettings& owl_told() {
  static OwlSettings all;
  return all;
}

class Owl : public transport::Factory {
 public:
  explicit Owl(OwlSettings settings = {}) : settings_(std::move(settings)) {}
  std::string_view scheme() const noexcept override { return "owl"; }
  std::string_view address_form() const noexcept override { return "tree:hole"; }
  std::string_view standard_scheme() const noexcept override { return "strix"; }
  base::Result<transport::EndpointPtr> parse(std::string_view) const override {
    return base::error(base::Stage::resolve, base::Code::bad_argument);
  }
  std::unique_ptr<transport::Connector> make_connector() const override { return nullptr; }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint&,
                                                            const transport::Options&) const override {
    return base::error(base::Stage::listen, base::Code::unsupported);
  }
  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(settings_, kOwlRows); }
  std::shared_ptr<const transport::Factory> with(const transport::Setup& setup) const override {
    owl_told() = setup.settings<OwlSettings>();
    return nullptr;
  }

 private:
  const OwlSettings settings_;
};

struct OtherSettings {
  std::string text;
};

/// Brings one option, of the name that it is made with.
class Claims final : public Owl {
 public:
  explicit Claims(std::string_view name)
      : row_{{{name, base::TextMember<OtherSettings>{base::member_v<&OtherSettings::text>}}}} {}
  std::string_view scheme() const noexcept override { return "claims"; }
  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(OtherSettings(), row_); }

 private:
  const std::array<base::OptionRow<OtherSettings>, 1> row_;
};

Components with_owl(const OwlSettings& settings = {}) {
  return {{}, {std::make_shared<Owl>(settings)}};
}

/// What an ORB with these options tells its owl.
OwlSettings owl_told(Arguments arguments, const Components& components = with_owl()) {
  owl_told() = {};
  init(arguments, "owls", components)->destroy();
  EXPECT_EQ(arguments, Arguments());
  return owl_told();
}

std::string owl_refusal(Arguments arguments, const Components& components = with_owl()) {
  try {
    init(arguments, "owls", components)->destroy();
  } catch (const CORBA::BAD_PARAM& exception) {
    return exception.detail();
  } catch (const CORBA::INITIALIZE& exception) {
    return exception.detail();
  }
  return "accepted";
}

class OwlVariable {
 public:
  OwlVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~OwlVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(OptionsOfTransports, OfEveryKindArrive) {
  const OwlSettings all = owl_told({"-ORBOwlHeight", "7", "-ORBOwlDepth=8", "-ORBOwlNap", "250", "-ORBOwlHoots=yes",
                                    "-ORBOwlTree2", "-ORBOak", "-ORBOwlMouse", "a", "-ORBOwlMouse=b=c"});
  EXPECT_EQ(all.height, 7U);
  EXPECT_EQ(all.depth, 8);
  EXPECT_EQ(all.nap, std::chrono::microseconds(250));
  EXPECT_TRUE(all.hoots);
  EXPECT_EQ(all.tree, "-ORBOak");
  EXPECT_EQ(all.mice, (Arguments{"a", "b=c"}));
}

TEST(OptionsOfTransports, AreThoseOfTheFactoryWhereNothingIsSaid) {
  EXPECT_EQ(owl_told({}).height, 20U);
  EXPECT_EQ(owl_told({}, with_owl({.height = 99})).height, 99U);
  EXPECT_EQ(owl_told({"-ORBOwlHeight", "1"}, with_owl({.height = 99})).height, 1U);
  EXPECT_EQ(owl_told({}, with_owl({.height = 99})).height, 99U);
}

TEST(OptionsOfTransports, CommandLineWinsOverEnvironment) {
  const OwlVariable height("CORBEL_OWL_HEIGHT", "30");
  const OwlVariable mouse("CORBEL_OWL_MOUSE", "grey");
  const OwlVariable tree("CORBEL_OWL_TREE2", "fir");
  EXPECT_EQ(owl_told({}).height, 30U);
  EXPECT_EQ(owl_told({}).tree, "fir");
  EXPECT_EQ(owl_told({"-ORBOwlHeight", "31"}).height, 31U);
  EXPECT_EQ(owl_told({}).mice, (Arguments{"grey"}));
  EXPECT_EQ(owl_told({"-ORBOwlMouse", "white"}).mice, (Arguments{"white"}));
  OwlSettings fed;
  fed.mice = {"in code"};
  EXPECT_EQ(owl_told({}, with_owl(fed)).mice, (Arguments{"grey"}));
  EXPECT_EQ(owl_told({"-ORBOwlMouse", "white"}, with_owl(fed)).mice, (Arguments{"white"}));
}

TEST(OptionsOfTransports, BadValuesAreRefusedAsTheOrbsAre) {
  EXPECT_EQ(owl_refusal({"-ORBOwlHeight", "0"}),
            "-ORBOwlHeight: '0' is not legal; legal is a number from 1 to 100 (metres)");
  EXPECT_EQ(owl_refusal({"-ORBOwlHeight=101"}),
            "-ORBOwlHeight: '101' is not legal; legal is a number from 1 to 100 (metres)");
  EXPECT_EQ(owl_refusal({"-ORBOwlHoots", "loud"}), "-ORBOwlHoots: 'loud' is not legal; legal is on or off");
  EXPECT_EQ(owl_refusal({"-ORBOwlMouse="}), "-ORBOwlMouse: '' is not legal; legal is a mouse");
  EXPECT_EQ(owl_refusal({"-ORBOwlDepth"}), "-ORBOwlDepth needs a value: a number from 0 to 9");
  EXPECT_EQ(owl_refusal({"-ORBOwlHieght", "1"}),
            "unknown option -ORBOwlHieght; did you mean -ORBOwlHeight? (-ORBHelp lists the options)");
  const OwlVariable height("CORBEL_OWL_HEIGHT", "high");
  EXPECT_EQ(owl_refusal({}), "CORBEL_OWL_HEIGHT: 'high' is not legal; legal is a number from 1 to 100 (metres)");
}

TEST(OptionsOfTransports, AreUnknownToOrbsWithoutTheTransport) {
  EXPECT_EQ(owl_refusal({"-ORBOwlHeight", "1"}, {}), "unknown option -ORBOwlHeight (-ORBHelp lists the options)");
  const OwlVariable height("CORBEL_OWL_HEIGHT", "30");
  Arguments none;
  const auto nothing = [](const std::vector<PluginFile>&) { return std::vector<FactoryPtr>(); };
  const auto owl = [](const std::vector<PluginFile>&) { return with_owl().transports; };
  EXPECT_EQ(read_options(none, nothing).unknown_variables, (Arguments{"CORBEL_OWL_HEIGHT"}));
  EXPECT_EQ(read_options(none, owl).unknown_variables, Arguments());
}

TEST(OptionsOfTransports, TheHelpShowsThemAndWhatAddressesLookLike) {
  const std::string help = options_help(with_owl({.height = 77}));
  for (const char* part :
       {"-ORBOwlHeight <value>  how high (a number from 1 to 100 (metres); default 77; CORBEL_OWL_HEIGHT)",
        "addresses are owl://tree:hole (or strix://...)", "has a default: none"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << " is not in " << help;
  }
  EXPECT_EQ(owl_refusal({"-ORBOwlHeight=x", "-ORBHelp"}, with_owl({.height = 77})), "options:\n" + help);
  EXPECT_NE(owl_refusal({"-ORBListenEndpoints", "hole"}).find("'hole' is not legal; legal is [protocol+]address"),
            std::string::npos);
  EXPECT_NE(owl_refusal({"-ORBListenEndpoints", "hole"}).find("owl://tree:hole"), std::string::npos);
}

TEST(OptionsOfTransports, NamesThatAreTakenAreRefused) {
  const auto both = [](std::string_view name) {
    Components components = with_owl();
    components.transports.push_back(std::make_shared<Claims>(name));
    return owl_refusal({}, components);
  };
  EXPECT_EQ(both("OwlWing"), "accepted");
  EXPECT_EQ(both("OwlHeight"),
            "ORB_init was given the option -ORBOwlHeight of transport 'claims', which transport "
            "'owl' has already");
  EXPECT_EQ(both("Threads"),
            "ORB_init was given the option -ORBThreads of transport 'claims', which the ORB has already");
  for (const char* bad : {"", "Help", "owl", "Owl-Wing", "Owl Wing", "Owl=", "2Owls"}) {
    EXPECT_NE(both(bad).find("which is no name of an option"), std::string::npos) << bad;
  }
}

TEST(OptionsOfTransports, TwoOrbsHaveTheirOwn) {
  const Components shared = with_owl();
  Arguments high{"-ORBOwlHeight", "50"};
  const auto one = init(high, "high owl", shared);
  EXPECT_EQ(owl_told().height, 50U);
  Arguments low{"-ORBOwlHeight", "2"};
  const auto other = init(low, "low owl", shared);
  EXPECT_EQ(owl_told().height, 2U);
  // One of the same name is the first, but what it is told has to make sense.
  Arguments again{"-ORBOwlHeight", "3"};
  EXPECT_EQ(init(again, "low owl", shared), other);
  EXPECT_EQ(again, Arguments());
  EXPECT_EQ(owl_told().height, 2U);
  one->destroy();
  other->destroy();
}

TEST(OptionsOfTransports, OfOneThatComesLaterAreThoseOfTheEnvironment) {
  Arguments none;
  const auto orb = init(none, "owls", Components{});
  const auto owl = std::make_shared<Owl>(OwlSettings{.height = 40});
  {
    const OwlVariable height("CORBEL_OWL_HEIGHT", "high");
    EXPECT_THROW(add_transport(*orb, owl), CORBA::BAD_PARAM);
  }
  {
    const OwlVariable depth("CORBEL_OWL_DEPTH", "9");
    add_transport(*orb, owl);
  }
  EXPECT_EQ(owl_told().height, 40U);
  EXPECT_EQ(owl_told().depth, 9);
  EXPECT_THROW(add_transport(*orb, std::make_shared<Claims>("OwlNap")), CORBA::BAD_PARAM);
  EXPECT_THROW(add_transport(*orb, owl), CORBA::BAD_PARAM);
  orb->destroy();
}

TEST(OptionsOfTransports, OfOneThatCameWithTheOrbAndComesBackAreAsBefore) {
  const Components components = with_owl();
  Arguments high{"-ORBOwlHeight", "50", "-ORBOwlMouse", "a", "-ORBOwlMouse", "b"};
  const auto orb = init(high, "owls", components);
  EXPECT_TRUE(withdraw_transport(*orb, "owl"));
  owl_told() = {};
  add_transport(*orb, components.transports.front());
  EXPECT_EQ(owl_told().height, 50U);
  // Another one of the kind: the ORB was told of owls, not of this owl.
  EXPECT_TRUE(withdraw_transport(*orb, "owl"));
  OwlSettings other{.height = 40, .depth = 8};
  other.mice = {"its own"};
  add_transport(*orb, std::make_shared<Owl>(other));
  EXPECT_EQ(owl_told().height, 50U);
  EXPECT_EQ(owl_told().depth, 8);
  EXPECT_EQ(owl_told().mice, (Arguments{"a", "b"}));
  orb->destroy();
}

}  // namespace
}  // namespace corbel::orb
