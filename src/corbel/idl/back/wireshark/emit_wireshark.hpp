// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/back/back_end.hpp"

/// A dissector for Wireshark: tables of types and operations, and the Lua that reads messages by them (values.lua,
/// references.lua, messages.lua in this folder). docs/wireshark.md says how it is used.
namespace corbel::idl::back::wireshark {

/// NAME.lua.
std::vector<std::string> file_names(const std::string& idl_path);
/// Everything the model knows, included files too, so that the file needs no other.
std::vector<GeneratedFile> generate(const model::Model& model, const Options& options);

inline constexpr BackEnd kBackEnd{
    "wireshark", "a dissector for Wireshark and tshark, in Lua",
    true,        [](const Options&) { return passes::Wanted{}; },
    &file_names, &generate,
};

/// The Lua that is the same for all IDL.
std::string_view runtime() noexcept;

}  // namespace corbel::idl::back::wireshark
