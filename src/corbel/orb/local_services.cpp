// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/local_services.hpp"

#include <algorithm>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/ipc/service_folder.hpp"

namespace corbel::orb {
namespace {

constexpr std::string_view kNowhere = "none";
constexpr std::string_view kTransport = "unix";

/// Sockets whose names do not matter begin with a digit.
bool is_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto plain = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), plain);
}

bool has_transport(const Core& core) {
  const auto there = core.registry().transports();
  return std::any_of(there.begin(), there.end(),
                     [](const auto& each) { return each->factory().scheme() == kTransport; });
}

}  // namespace

std::string local_service_path(const Core& core, const std::string& name, std::string& why) {
  const std::string& wanted = core.options().local_services;
  const auto folder = wanted.empty() ? ipc::service_folder() : base::Result<std::string>(wanted);
  if (!is_name(name)) {
    why = "'" + name + "' cannot be the name of a socket";
  } else if (wanted == kNowhere) {
    why = "-ORBLocalServices is none";
  } else if (!folder) {
    why = "no folder to listen in: " + base::to_string(folder.error());
  } else if (!ipc::is_believed(*folder)) {
    why = "clients would not believe the folder '" + *folder + "': it has to be there, and no others may write there";
  }
  return why.empty() ? *folder + '/' + name : std::string();
}

std::string admit_to_local_service(const std::string& path) {
  const auto address = ipc::UnixAddress::path(path);
  const base::Status done = address ? ipc::admit_all(*address) : base::Status(address.error());
  return done ? std::string() : path + ": " + base::to_string(done.error());
}

ior::ObjectUrl find_local_service(const Core& core, const std::string& name) {
  ior::ObjectUrl url;
  const std::string& wanted = core.options().local_services;
  if (!is_name(name) || wanted == kNowhere || !has_transport(core)) return url;
  for (const auto& folder : wanted.empty() ? ipc::service_folders() : std::vector<std::string>{wanted}) {
    const std::string path = folder + '/' + name;
    const auto address = ipc::UnixAddress::path(path);
    if (!address || !ipc::is_served(*address)) continue;
    if (!ipc::is_believed(folder)) {
      CORBEL_LOG(core.log(), orb, warning, "local service not believed", {"socket", path});
      continue;
    }
    url.addresses.push_back({.scheme = "uiop", .version = {1, 2}, .host = path});
    const auto key = base::as_bytes(name);
    url.object_key.assign(key.begin(), key.end());
    break;
  }
  return url;
}

}  // namespace corbel::orb
