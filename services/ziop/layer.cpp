// SPDX-License-Identifier: Apache-2.0
#include "layer.hpp"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "session.hpp"

namespace corbel::ziop {
namespace {

bool set_compressors(Settings& settings, std::string_view text) {
  const auto levels = read_levels(text);
  if (!levels) return false;
  settings.compressors.clear();
  for (const IdLevel& one : *levels) settings.compressors.emplace_back(one.id, one.level);
  return true;
}

bool set_ratio(Settings& settings, std::string_view text) {
  float ratio = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), ratio, std::chars_format::fixed);
  if (failed != std::errc() || end != text.data() + text.size() || !(ratio >= 0 && ratio <= 1)) return false;
  settings.min_ratio = ratio;
  return true;
}

constexpr std::array kRows = {
    base::OptionRow<Settings>{
        "Ziop",
        base::ParsedMember<Settings>{&set_compressors, "compressor:level, several separated by commas, or off",
                                     "zlib:6"},
        0, 0, "", "with what messages are compressed, the preferred one first; off: none is, and none need be"},
    base::OptionRow<Settings>{"ZiopLowValue", base::NumberMember<Settings>{base::member_v<&Settings::low_value>}, 0,
                              1U << 30, "octets", "shorter messages are not compressed"},
    base::OptionRow<Settings>{"ZiopMinRatio", base::ParsedMember<Settings>{&set_ratio, "a number from 0 to 1", "0.75"},
                              0, 0, "", "what does not become that much shorter, compressed to not, is sent as it is"},
};

class ZiopProtocol final : public messaging::Protocol {
 public:
  ZiopProtocol(std::shared_ptr<const messaging::Protocol> below, EnginePtr engine)
      : below_(std::move(below)), engine_(std::move(engine)) {}

  std::string_view name() const noexcept override { return below_->name(); }
  messaging::Requirements requirements() const noexcept override { return below_->requirements(); }
  messaging::Offers offers() const noexcept override { return below_->offers(); }
  messaging::Version version() const noexcept override { return below_->version(); }
  std::unique_ptr<messaging::Session> open(const messaging::SessionSettings& settings) const override {
    return std::make_unique<ZiopSession>(below_->open(settings), engine_, settings);
  }

 private:
  const std::shared_ptr<const messaging::Protocol> below_;
  const EnginePtr engine_;
};

class ZiopLayer final : public messaging::Layer {
 public:
  ZiopLayer(MakingPtr making, Settings settings) : making_(std::move(making)), settings_(std::move(settings)) {}

  std::string_view name() const noexcept override { return "ziop"; }
  std::string_view protocol() const noexcept override { return "giop"; }
  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(settings_, kRows); }
  std::shared_ptr<const messaging::Protocol> over(std::shared_ptr<const messaging::Protocol> below,
                                                  const messaging::LayerSetup& setup) const override {
    const auto* const told = dynamic_cast<const base::OptionSetOf<Settings>*>(setup.options);
    auto engine = std::make_shared<Engine>(told == nullptr ? settings_ : told->values);
    making_->put(engine);
    return std::make_shared<ZiopProtocol>(std::move(below), std::move(engine));
  }

 private:
  const MakingPtr making_;
  const Settings settings_;
};

}  // namespace

std::shared_ptr<const messaging::Layer> make_layer(MakingPtr making, Settings settings) {
  return std::make_shared<ZiopLayer>(std::move(making), std::move(settings));
}

void add_to(orb::Components& components, const Settings& settings) {
  if (!(settings.min_ratio >= 0 && settings.min_ratio <= 1)) {
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "a ratio of compression is a number from 0 to 1");
  }
  const auto making = std::make_shared<Making>();
  components.layers.push_back(make_layer(making, settings));
  components.initialisers.push_back(make_initializer(making));
}

}  // namespace corbel::ziop
