// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/unix_address.hpp"

/// Folders in which servers of a host listen at UNIX-domain sockets whose names all clients know: the user's own
/// (SocketFolder), which no other user may enter, and /run/corbel for all users, which root makes and may give to the
/// user that serves there. Thread-safe.
namespace corbel::ipc {

/// Where clients of this user look, in order. Those that do not exist are among them.
CORBEL_API std::vector<std::string> service_folders();
/// Where a server of this user listens: /run/corbel, which root makes, if it may write there, else the user's own
/// folder. Errors: stage listen.
CORBEL_API base::Result<std::string> service_folder();
/// True if no user can have put a socket there whom the caller would not believe: nobody but its owner may write there,
/// and that is the caller, or root, or somebody to whom root gave it, since only root can make it where it lies.
CORBEL_API bool is_believed(const std::string& folder);
/// Lets every user connect to the socket of that address who may enter its folder. Errors: stage listen.
CORBEL_API base::Status admit_all(const UnixAddress& address);
/// True if a process listens at that address.
CORBEL_API bool is_served(const UnixAddress& address);

}  // namespace corbel::ipc
