// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/option_rows.hpp"
#include "corbel/messaging/layer.hpp"
#include "corbel/orb/options.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::orb {

using LayerPtr = std::shared_ptr<const messaging::Layer>;

/// All options that an ORB of these transports has: those of the table, then those that the transports and the layers
/// over its protocols bring, in their order. Setting one changes `options`, which has to outlive this and stay where it
/// is. Those that are brought are noted there as they were given, for set_up().
class OptionList {
 public:
  /// Leaves out what option_clash() tells of.
  OptionList(Options& options, std::span<const routing::FactoryPtr> transports, std::span<const LayerPtr> layers = {});

  const std::vector<base::Option>& all() const noexcept { return all_; }
  /// Null if there is none of this name.
  const base::Option* find(std::string_view name) const noexcept;
  /// One line per option, for -ORBHelp.
  std::string help() const;
  /// docs/options.md.
  std::string document() const;

 private:
  void add(Options& options, std::unique_ptr<base::OptionSet> brought);

  std::unique_ptr<const Options> initial_;
  std::vector<std::unique_ptr<base::OptionSet>> brought_;  // they are tried out with these
  std::vector<base::Option> all_;
};

/// An option of one of these transports or layers that cannot be: its name is no name, or that of an option of the ORB
/// or of another. In words that follow "it brings"; empty if there is none. Of transports with the same scheme only the
/// first counts.
std::string option_clash(std::span<const transport::Factory* const> transports, std::span<const LayerPtr> layers = {});
std::string option_clash(std::span<const routing::FactoryPtr> transports, std::span<const LayerPtr> layers = {});

}  // namespace corbel::orb
