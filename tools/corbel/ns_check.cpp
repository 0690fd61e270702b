// SPDX-License-Identifier: Apache-2.0
// corbel ns check: which bindings are dead.
#include <atomic>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "names.hpp"
#include "ns.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;

const char* text(Health::State state) {
  switch (state) {
    case Health::State::alive:
      return "alive";
    case Health::State::gone:
      return "gone";
    default:
      return "unreachable";
  }
}

/// Asks all of them, `jobs` at a time: one that does not answer keeps only its own thread waiting.
std::vector<Health> ask_all(const std::vector<Entry>& entries, int jobs) {
  std::vector<Health> healths(entries.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < jobs && static_cast<std::size_t>(i) < entries.size(); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < entries.size(); at = next++) {
        const Entry& entry = entries[at];
        if (entry.failure.empty()) {
          healths[at] = ask(entry.object);
        } else {
          healths[at] = {Health::State::unreachable, "cannot be resolved: " + entry.failure};
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return healths;
}

/// Unbinds the name if it still leads to the object that was asked.
bool unbind(Names& names, const ContextRef& start, const Entry& entry) {
  try {
    const ObjectRef now = start->resolve(entry.name);
    if (names.orb()->object_to_string(now) != names.orb()->object_to_string(entry.object)) return false;
    start->unbind(entry.name);
    return true;
  } catch (const CORBA::UserException&) {  // changed meanwhile
    return false;
  }
}

}  // namespace

int ns_check(const NsOptions& options, const std::string& name, int jobs, bool unbind_gone) {
  Names names(options);
  const ContextRef start = names.context(Names::read_name(name));
  std::vector<Entry> entries;
  names.walk(start, {.resolve = true, .follow = true}, [&](const Entry& entry) {
    if (!entry.was_met) entries.push_back(entry);
  });
  const std::vector<Health> healths = ask_all(entries, jobs);
  Json all = Json::array();
  std::size_t bad = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Health& health = healths[i];
    const std::string text_of_name = naming::to_string(entries[i].name);
    if (health.state != Health::State::alive) ++bad;
    const bool unbound = unbind_gone && health.state == Health::State::gone && unbind(names, start, entries[i]);
    if (options.json) {
      Json json{{"name", text_of_name}, {"state", text(health.state)}};
      if (!health.detail.empty()) json["detail"] = health.detail;
      if (unbound) json["unbound"] = true;
      all.push_back(std::move(json));
    } else if (health.state != Health::State::alive) {
      std::cout << text(health.state) << "  " << base::printable(text_of_name, 1 << 16)
                << (unbound ? "  (unbound)" : "") << "  " << base::printable(health.detail, 1 << 16) << '\n';
    }
  }
  if (options.json) {
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    std::cout << entries.size() - bad << " of " << entries.size() << " alive\n";
  }
  return bad == 0 ? kDone : kUserException;
}

}  // namespace corbel::tool
