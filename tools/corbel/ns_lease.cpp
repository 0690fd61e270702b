// SPDX-License-Identifier: Apache-2.0
// corbel ns bind --lease: a name that lasts as long as this process.
#include <signal.h>

#include <iostream>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel_naming_lease.hpp"
#include "ns.hpp"

namespace corbel::tool {

int ns_lease(const NsOptions& options, const std::string& name, const std::string& reference, long seconds,
             bool replace) {
  // Before any thread is made, so that they come to this one.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Names names(options);
  Names::read_name(name);  // says best what is wrong with it
  naming::Lease::Options lease;
  lease.length = std::chrono::seconds(seconds);
  lease.replace = replace;
  lease.service = names.root();
  lease.changed = [](bool held, const std::string& why) {
    std::cerr << (held ? "corbel: bound again\n" : "corbel: lost: " + base::printable(why) + "\n");
  };
  const ObjectRef object = find_object(names.orb(), reference);
  if (object == nullptr) throw std::runtime_error("a name cannot be bound to nil");
  try {
    const naming::Lease held(names.orb(), name, object, lease);
    std::cerr << "corbel: bound, for " << held.granted().count() << " s after a sudden end\n";
    int number = 0;
    ::sigwait(&signals, &number);
  } catch (const naming::LeaseRefused& refused) {
    std::cerr << "corbel: " << base::printable(refused.what()) << '\n';
    return kUserException;
  }
  return kDone;
}

}  // namespace corbel::tool
