// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/service_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/socket_folder.hpp"

namespace corbel::ipc {
namespace {

constexpr const char* kOfAllUsers = "/run/corbel";

/// The owner of a folder that nobody else may write to; nothing if it is another one, or none.
std::optional<uid_t> sole_owner(const std::string& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  return status.st_uid;
}

}  // namespace

std::vector<std::string> service_folders() {
  std::vector<std::string> folders;
  // The second is that of servers without a session, such as cron's.
  for (const auto& own : {SocketFolder::open(), SocketFolder::open_below("/tmp")}) {
    if (own.ok() && (folders.empty() || folders.front() != own->path())) folders.push_back(own->path());
  }
  folders.emplace_back(kOfAllUsers);
  return folders;
}

base::Result<std::string> service_folder() {
  if (::geteuid() == 0 && ::mkdir(kOfAllUsers, 0755) == 0 && ::chmod(kOfAllUsers, 0755) != 0) {  // despite the umask
    return last_failure(base::Stage::listen);
  }
  if (::access(kOfAllUsers, W_OK) == 0) return std::string(kOfAllUsers);
  CORBEL_TRY(SocketFolder own, SocketFolder::open());
  return own.keep();
}

bool is_believed(const std::string& folder) {
  const auto owner = sole_owner(folder);
  if (!owner) return false;
  return *owner == ::geteuid() || *owner == 0 || sole_owner(std::filesystem::path(folder).parent_path()) == uid_t{0};
}

base::Status admit_all(const UnixAddress& address) {
  if (::chmod(address.to_string().c_str(), 0666) != 0) return last_failure(base::Stage::listen);
  return {};
}

bool is_served(const UnixAddress& address) {
  const auto stream = UnixConnector().connect(address, base::Deadline::now());
  // One that has much to do is there all the same.
  return stream.ok() || stream.error().code == base::Code::would_block || stream.error().code == base::Code::timed_out;
}

}  // namespace corbel::ipc
