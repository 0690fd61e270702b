// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/ior/url.hpp"
#include "corbel/orb/core.hpp"

/// Servers that other processes of their host find without an option: each listens at the UNIX-domain socket
/// FOLDER/NAME, where NAME is the initial reference that it serves. The folder is -ORBLocalServices, else one of
/// ipc/service_folder.hpp. Thread-safe.
namespace corbel::orb {

/// What leads to the initial reference `name` of a server of this host; no addresses if there is none. Folders that
/// another user may have made are passed over.
ior::ObjectUrl find_local_service(const Core& core, const std::string& name);

/// The path at which this process listens as a server of that name. If clients would not look there, or not believe
/// what they find, it is empty, and `why` says so.
std::string local_service_path(const Core& core, const std::string& name, std::string& why);

/// Lets all users connect to the socket who may enter its folder; why not, or nothing.
std::string admit_to_local_service(const std::string& path);

}  // namespace corbel::orb
