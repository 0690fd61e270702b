// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "corbel/base/error.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::orb {

/// One line of the error map. The first line that matches decides.
struct ErrorRow {
  base::Stage stage;           ///< none: any
  base::Code code;             ///< none: any
  std::string_view exception;  ///< "TRANSIENT"
  std::uint32_t minor;         ///< 0: Corbel's own, made of stage and code
  corba::Completed completed;
};

/// The whole map; its last line matches everything.
std::span<const ErrorRow> error_table() noexcept;
/// The line that decides about a failure.
const ErrorRow& classify(base::Stage stage, base::Code code) noexcept;
/// docs/errors.md.
std::string errors_document();

}  // namespace corbel::orb
