// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "corbel/idl/model/model.hpp"

/// What is worked into a model after the front end has checked it and before a back end sees it. This is the only place
/// that changes a finished model: back ends get it const.
namespace corbel::idl::passes {

/// Which reply handlers of asynchronous calls are added.
enum class Handlers : std::uint8_t { none, annotated, all };

/// What a back end wants done.
struct Wanted {
  bool library = false;                ///< leave_to_library()
  Handlers handlers = Handlers::none;  ///< imply_reply_handlers()
  bool pollers = false;                ///< imply_pollers(), where there are handlers
};

/// Runs the passes that are wanted, in their order. The model must come from the front end, and not have been here.
std::unique_ptr<const model::Model> run(std::unique_ptr<model::Model> model, const Wanted& wanted);

}  // namespace corbel::idl::passes
