// SPDX-License-Identifier: Apache-2.0
// Layers over the protocols of an ORB, and the options that they bring.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "corbel/corba/exception.hpp"
#include "corbel/messaging/layer.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/orb/parts.hpp"

namespace corbel::orb {
namespace {

using Arguments = std::vector<std::string>;
using ProtocolPtr = std::shared_ptr<const messaging::Protocol>;

class Notes final : public messaging::Protocol {
 public:
  explicit Notes(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  messaging::Requirements requirements() const noexcept override { return {}; }
  messaging::Offers offers() const noexcept override { return {}; }
  messaging::Version version() const noexcept override { return {1, 2}; }
  std::unique_ptr<messaging::Session> open(const messaging::SessionSettings&) const override { return nullptr; }

 private:
  const std::string name_;
};

struct VeilSettings {
  std::uint32_t thickness = 3;
};
constexpr std::array kVeilRows = {base::OptionRow<VeilSettings>{
    "VeilThickness", base::NumberMember<VeilSettings>{base::member_v<&VeilSettings::thickness>}, 1, 9, "mm",
    "how thick"}};

/// What became of it, in the order of events.
struct Journal {
  std::vector<ProtocolPtr> below;
  std::vector<std::uint32_t> thickness;
};

class Veil final : public messaging::Layer {
 public:
  Veil(std::string name, std::string protocol, std::shared_ptr<Journal> journal, bool has_options = true)
      : name_(std::move(name)),
        protocol_(std::move(protocol)),
        journal_(std::move(journal)),
        has_options_(has_options) {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view protocol() const noexcept override { return protocol_; }
  std::unique_ptr<base::OptionSet> options() const override {
    return has_options_ ? base::option_set(VeilSettings(), kVeilRows) : nullptr;
  }
  ProtocolPtr over(ProtocolPtr below, const messaging::LayerSetup& setup) const override {
    journal_->below.push_back(below);
    const auto* const told = dynamic_cast<const base::OptionSetOf<VeilSettings>*>(setup.options);
    journal_->thickness.push_back(told == nullptr ? 0 : told->values.thickness);
    return std::make_shared<Notes>(std::string(below->name()));
  }

 private:
  const std::string name_;
  const std::string protocol_;
  const std::shared_ptr<Journal> journal_;
  const bool has_options_;
};

class Layers : public ::testing::Test {
 protected:
  Layers() { components_.protocols = {plain_, std::make_shared<Notes>("other")}; }
  std::string refusal(Arguments arguments = {}) {
    try {
      init(arguments, "veiled", components_)->destroy();
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
    return "accepted";
  }
  void add(const char* name, const char* protocol, bool has_options = true) {
    components_.layers.push_back(std::make_shared<Veil>(name, protocol, journal_, has_options));
  }

  const ProtocolPtr plain_ = std::make_shared<Notes>("notes");
  const std::shared_ptr<Journal> journal_ = std::make_shared<Journal>();
  Components components_;
};

TEST_F(Layers, LieOnTheirProtocolTheFirstNearestToIt) {
  add("veil", "notes");
  add("shroud", "notes", false);
  EXPECT_EQ(refusal({"-ORBVeilThickness", "7"}), "accepted");
  ASSERT_EQ(journal_->below.size(), 2U);
  EXPECT_EQ(journal_->below[0], plain_);
  EXPECT_NE(journal_->below[1], plain_);
  EXPECT_EQ(journal_->below[1]->name(), "notes");
  EXPECT_EQ(journal_->thickness, (std::vector<std::uint32_t>{7, 0}));
}

TEST_F(Layers, HaveTheirDefaultsWhereNothingIsSaid) {
  add("veil", "notes");
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_EQ(refusal({"-ORBVeilThickness=x"}),
            "-ORBVeilThickness: 'x' is not legal; legal is a number from 1 to 9 (mm)");
  EXPECT_EQ(journal_->thickness, std::vector<std::uint32_t>{3});
  EXPECT_NE(options_help(components_).find("-ORBVeilThickness <value>  how thick"), std::string::npos);
}

TEST_F(Layers, NeedTheirProtocol) {
  add("veil", "letters");
  EXPECT_EQ(refusal(), "no protocol 'letters' is there for the layer 'veil'");
}

TEST_F(Layers, HaveNoOptionThatAnotherHas) {
  add("veil", "notes");
  add("shroud", "notes");
  EXPECT_EQ(refusal(),
            "ORB_init was given the option -ORBVeilThickness of layer 'shroud', which layer 'veil' has already");
}

}  // namespace
}  // namespace corbel::orb
