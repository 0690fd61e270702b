// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// How many names may be looked up at the same time.
struct ResolverLimits {
  unsigned prompt = 16;                               ///< of those that are waited for and are younger than `patience`
  unsigned threads = 128;                             ///< in all: name servers that are silent keep no other names out
  base::Duration patience = std::chrono::seconds(1);  ///< a lookup that takes longer is slow
  base::Duration memory = std::chrono::seconds(3);    ///< for so long a slow name that timed out has one caller wait
};

/// Host names into addresses by a deadline. The system's resolver knows none (a name server that does not answer costs
/// it many seconds), so it runs on a thread of its own, and a caller that has waited long enough goes away. Numeric
/// addresses and callers without a deadline need no thread. Any thread may call it.
///
/// Lookups that no caller waits for any more end by themselves, also when this has gone. Lookups for the same name
/// share one. Slow ones take no place of the prompt ones (ResolverLimits). While one is slow and a caller has just
/// given it up, a single other caller may wait for it. The next are refused at once, so that a silent name server does
/// not hold all threads of a process.
class CORBEL_API Resolver final {
 public:
  /// What asks the system: like InetAddress::resolve.
  using Lookup = std::function<base::Result<std::vector<InetAddress>>(std::string_view host, std::uint16_t port)>;

  explicit Resolver(Lookup lookup = &InetAddress::resolve, ResolverLimits limits = {});
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// As InetAddress::resolve; also timed_out.
  base::Result<std::vector<InetAddress>> resolve(std::string_view host, std::uint16_t port, base::Deadline deadline);
  /// Lookups under way.
  unsigned threads() const;
  /// The callers that wait for the lookup of `host`.
  unsigned callers(std::string_view host) const;

 private:
  struct Job;
  struct State;
  class Wait;
  void after_fork() noexcept;

  std::shared_ptr<State> state_;
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<Resolver*>(self)->after_fork(); }, this};
};

}  // namespace corbel::ipc
