// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "corbel/base/log.hpp"
#include "corbel/base/option_rows.hpp"
#include "corbel/messaging/protocol.hpp"

namespace corbel::messaging {

/// What an ORB gives a layer before it uses it.
struct LayerSetup {
  const base::Log* log = &base::Log::none();  ///< outlives whatever is made with it
  /// What Layer::options() made, set as the ORB's options say; null if it made nothing. Not for later.
  const base::OptionSet* options = nullptr;
};

/// Takes the place of a message protocol that an ORB has, under its name, and passes on to it what it does not do
/// itself: what it writes and reads are that one's messages in another form. References, endpoints and preferences
/// remain as they are. Immutable and thread-safe; services/ziop is one.
class CORBEL_API Layer {
 public:
  virtual ~Layer();

  /// For messages about it: "ziop".
  virtual std::string_view name() const noexcept = 0;
  /// Whose place it takes: "giop".
  virtual std::string_view protocol() const noexcept = 0;
  /// The options that it brings to an ORB, as a transport's (transport::Factory::options); null: none.
  virtual std::unique_ptr<base::OptionSet> options() const { return nullptr; }
  /// What the ORB uses instead of `below`, which goes by the same name.
  virtual std::shared_ptr<const Protocol> over(std::shared_ptr<const Protocol> below,
                                               const LayerSetup& setup) const = 0;
};

}  // namespace corbel::messaging
