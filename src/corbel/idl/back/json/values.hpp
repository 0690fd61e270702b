// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "corbel/idl/model/model.hpp"

namespace corbel::idl::back::json {

/// Keeps the order in which members are added.
using Json = nlohmann::ordered_json;

Json to_json(const model::Type& type);
Json to_json(const model::Value& value);
Json to_json(const model::Annotations& annotations);
Json to_json(const model::Location& where);

}  // namespace corbel::idl::back::json
