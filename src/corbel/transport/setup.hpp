// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/option_rows.hpp"

namespace corbel::transport {

/// What an ORB gives its transports before it uses them.
struct Setup {
  const base::Log* log = &base::Log::none();  ///< outlives whatever is made with it
  /// What Factory::options() made, set as the ORB's options say; null if it made nothing. Not for later.
  const base::OptionSet* options = nullptr;

  /// The values that they hold, or `otherwise` if there are none of this type.
  template <class V>
  V settings(V otherwise = {}) const {
    const auto* own = dynamic_cast<const base::OptionSetOf<V>*>(options);
    return own == nullptr ? std::move(otherwise) : own->values;
  }
};

}  // namespace corbel::transport
