// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/option_list.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "corbel/orb/option_table.hpp"
#include "corbel/orb/part_failure.hpp"

namespace corbel::orb {
namespace {

using routing::FactoryPtr;

bool is_option_name(std::string_view name) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !name.empty() && is_capital(name.front()) && name != "Help" && name != "NoProprietaryActivation" &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_capital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

std::string address_forms(std::span<const FactoryPtr> transports) {
  std::string text;
  for (const FactoryPtr& each : transports) {
    if (each == nullptr) continue;
    text.append(text.empty() ? "" : ", ").append(each->scheme()).append("://").append(each->address_form());
    if (!each->standard_scheme().empty()) text.append(" (or ").append(each->standard_scheme()).append("://...)");
  }
  return text.empty() ? "none" : text;
}

std::string listening_by_default(std::span<const FactoryPtr> transports) {
  std::string text;
  for (const FactoryPtr& each : transports) {
    if (each == nullptr || !each->default_address()) continue;
    text.append(text.empty() ? "" : ", ").append(each->scheme());
  }
  return text.empty() ? "none" : text;
}

/// The option, which also notes in `options` what it is given.
base::Option noted(Options& options, base::Option option) {
  option.set = [&options, name = option.name, set = std::move(option.set)](std::string_view text) {
    if (!set(text)) return false;
    options.of_transports.push_back({std::string(name), std::string(text)});
    return true;
  };
  if (option.clear != nullptr) {
    option.clear = [&options, name = option.name, clear = std::move(option.clear)] {
      clear();
      std::erase_if(options.of_transports, [&](const TransportOption& one) { return one.name == name; });
    };
  }
  return option;
}

/// The text with a blank in it filled in.
std::function<std::string()> filled_in(std::function<std::string()> text, std::string_view blank,
                                       std::string (*with)(std::span<const FactoryPtr>),
                                       std::vector<FactoryPtr> transports) {
  return [text = std::move(text), blank, with, transports = std::move(transports)] {
    std::string all = text();
    if (const std::size_t at = all.find(blank); at != std::string::npos)
      all.replace(at, blank.size(), with(transports));
    return all;
  };
}

}  // namespace

OptionList::OptionList(Options& options, std::span<const FactoryPtr> transports, std::span<const LayerPtr> layers)
    : initial_(std::make_unique<Options>(options)), all_(base::list_options(options, *initial_, option_table())) {
  for (base::Option& each : all_) {
    if (each.name != "ListenEndpoints") continue;
    each.legal = filled_in(std::move(each.legal), "{addresses}", address_forms, {transports.begin(), transports.end()});
    each.default_text = filled_in(std::move(each.default_text), "{defaults}", listening_by_default,
                                  {transports.begin(), transports.end()});
  }
  for (const FactoryPtr& transport : transports) {
    if (transport != nullptr) add(options, transport->options());
  }
  for (const LayerPtr& layer : layers) {
    if (layer != nullptr) add(options, layer->options());
  }
}

void OptionList::add(Options& options, std::unique_ptr<base::OptionSet> brought) {
  if (brought == nullptr) return;
  for (base::Option& each : brought->list()) {
    if (find(each.name) == nullptr) all_.push_back(noted(options, std::move(each)));
  }
  brought_.push_back(std::move(brought));
}

const base::Option* OptionList::find(std::string_view name) const noexcept {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.name == name; });
  return found == all_.end() ? nullptr : &*found;
}

std::string OptionList::help() const {
  std::string text;
  for (const base::Option& each : all_) {
    text.append("  -ORB").append(each.name).append(" <value>  ").append(each.help);
    text.append(" (").append(each.legal()).append("; default ").append(each.default_text()).append("; ");
    text.append(base::environment_name(each.name)).append(")\n");
  }
  return text;
}

std::string OptionList::document() const {
  std::string text =
      "# Options of an ORB\n\n"
      "Generated from the table in `src/corbel/orb/option_table.cpp` and those of the transports that ship; a test\n"
      "compares them.\n\n"
      "An option is given on the command line as `-ORBName value` or `-ORBName=value` and taken out of it by\n"
      "`CORBA::ORB_init`, as an environment variable, which the command line overrides, or in a file that\n"
      "`-ORBConfigFile` names, which both override ([how](deployment.md#a-file-of-options)). What a source says of an "
      "option that may be repeated takes the place of all that weaker ones say of it. `--` ends the search for\n"
      "options. Unknown options and illegal values are refused with `CORBA::BAD_PARAM`. `-ORBHelp` makes `ORB_init` "
      "throw\n"
      "`CORBA::INITIALIZE` with this list as its text. Transports and layers that [plug-ins](plugins.md) bring may "
      "have\n"
      "options of their own ([ZIOP's](ziop.md#switching-it-on)), which that list shows as well; those of what an ORB "
      "does not have are unknown to it.\n\n"
      "As the OMG has it (CORBA 3.3 part 1, 8.5.1) `-ORBId NAME` is also `-ORBid NAME` and `-ORBidNAME`.\n"
      "`-ORBNoProprietaryActivation` is taken, has no value and changes nothing: Corbel's servers are started by no "
      "activation framework.\n\n"
      "| option | environment | legal values | default | meaning |\n|---|---|---|---|---|\n";
  for (const base::Option& each : all_) {
    text.append("| `-ORB").append(each.name).append("` | `").append(base::environment_name(each.name)).append("` | ");
    text.append(each.legal()).append(" | ").append(each.default_text()).append(" | ").append(each.help).append(" |\n");
  }
  return text;
}

std::string option_clash(std::span<const transport::Factory* const> transports, std::span<const LayerPtr> layers) {
  struct Owner {
    std::string_view kind;
    std::string_view name;
    std::string text() const { return name.empty() ? std::string(kind) : std::string(kind).append(name).append("'"); }
  };
  std::unordered_map<std::string_view, Owner> owners;
  std::set<std::string_view> schemes;
  for (const OptionRow& row : option_table()) owners.emplace(row.name, Owner{"the ORB", {}});
  const auto clash = [&](const std::unique_ptr<base::OptionSet>& own, Owner owner) -> std::string {
    if (own == nullptr) return {};
    for (const base::Option& each : own->list()) {
      const auto option = [&] { return "the option -ORB" + std::string(each.name) + " of " + owner.text(); };
      if (!is_option_name(each.name)) return option() + ", which is no name of an option";
      const auto [at, is_new] = owners.emplace(each.name, owner);
      if (!is_new) return option() + ", which " + at->second.text() + " has already";
    }
    return {};
  };
  for (const transport::Factory* transport : transports) {
    if (transport == nullptr || !schemes.insert(transport->scheme()).second) continue;
    const auto own = made_by("transport", transport->scheme(), [&] { return transport->options(); });
    auto why = clash(own, {"transport '", transport->scheme()});
    if (!why.empty()) return why;
  }
  for (const LayerPtr& layer : layers) {
    if (layer == nullptr) continue;
    const auto own = made_by("layer", layer->name(), [&] { return layer->options(); });
    auto why = clash(own, {"layer '", layer->name()});
    if (!why.empty()) return why;
  }
  return {};
}

std::string option_clash(std::span<const FactoryPtr> transports, std::span<const LayerPtr> layers) {
  std::vector<const transport::Factory*> all;
  all.reserve(transports.size());
  for (const FactoryPtr& each : transports) all.push_back(each.get());
  return option_clash(all, layers);
}

}  // namespace corbel::orb
