// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/plain_uring.h"
#include "suites/fanout.hpp"
#include "suites/giop_client.hpp"

namespace bench {
namespace {

constexpr const char* kMany = "1000000";

bool has_one_of(const std::string& text, const auto& parts) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace

std::size_t raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::vector<Multiplexing> all_multiplexing(Machine& machine, const std::vector<std::string>& only) {
  std::vector<Multiplexing> all;
  for (const Mechanism& mechanism : find_all_mechanisms(machine, only)) {
    if (mechanism.orb == "raw" && mechanism.protocol == "none") {
      all.push_back({mechanism, "thread per connection", {"CORBEL_BENCH_THREADS=1"}, {}});
      all.push_back({mechanism, "poll", {"CORBEL_BENCH_MULTIPLEXER=poll"}, {}});
      all.push_back({mechanism, "epoll", {"CORBEL_BENCH_MULTIPLEXER=epoll"}, {}});
      if (plain_has_uring() != 0) all.push_back({mechanism, "io_uring", {"CORBEL_BENCH_MULTIPLEXER=io_uring"}, {}});
    } else if (mechanism.orb == "corbel" && mechanism.protocol == "giop") {
      for (const char* const name : {"adaptive", "pool", "single"}) {
        all.push_back(
            {mechanism,
             name,
             {std::string("CORBEL_CONCURRENCY=") + name, std::string("CORBEL_MAX_CONNECTIONS=") + kMany,
              std::string("CORBEL_MAX_CONNECTIONS_PER_PEER=") + kMany},
             {"CORBEL_CONNECTIONS_PER_ENDPOINT=64", std::string("CORBEL_MAX_OUTGOING_CONNECTIONS=") + kMany}});
      }
    } else if (mechanism.orb.starts_with("omniORB")) {
      const std::vector<std::string> client{"ORBmaxGIOPConnectionPerServer=64"};
      all.push_back({mechanism, "thread per connection", {"ORBthreadPerConnectionPolicy=1"}, client});
      all.push_back({mechanism, "pool", {"ORBthreadPerConnectionPolicy=0"}, client});
    }
  }
  return all;
}

ServerNames::ServerNames(const std::string& folder, std::size_t count) : folder_(folder), path_(folder + "/socket") {
  for (std::size_t i = 0; i < count; ++i) {
    std::filesystem::create_symlink("socket", folder_ + "/name" + std::to_string(i));
  }
}

std::string ServerNames::reference(const Mechanism& mechanism, const std::string& reference) const {
  if (mechanism.orb == "raw") return "unix:" + folder_ + "/name*";
  return "corbaloc:uiop:1.2@" + folder_ + "/name*|" + url_key(read_reference(reference).key);
}

bool finds_octets(const std::string& function) {
  constexpr std::array kParts = {"corbel::reactor::", "epoll_wait", "poll",
                                 "plain_serve_all",   "serve_by_",  "serve_polled"};
  return has_one_of(function, kParts);
}

bool chooses_connection(const std::string& function) {
  constexpr std::array kParts = {"ConnectionCache::", "RemoteTarget::choose", "RemoteTarget::connection"};
  return has_one_of(function, kParts);
}

}  // namespace bench
