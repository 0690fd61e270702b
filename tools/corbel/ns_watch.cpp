// SPDX-License-Identifier: Apache-2.0
// corbel ns watch: what changes in the names of any naming service. The standard has no word for it, so it looks again
// and again.
#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "names.hpp"
#include "ns.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;

/// What a name is bound to.
struct Bound {
  bool is_context = false;
  std::string reference;  ///< or why it cannot be resolved
  bool operator==(const Bound&) const = default;
};
using Picture = std::map<std::string, Bound>;

Picture look(Names& names, const CosNaming::Name& start) {
  Picture picture;
  names.count_anew();
  names.walk(names.context(start), {.resolve = true, .follow = true}, [&](const Entry& entry) {
    if (entry.object == nullptr) {
      if (entry.failure.ends_with("NotFound")) return;  // unbound meanwhile
      for (const char* gone : {"COMM_FAILURE", "TRANSIENT", "TIMEOUT"})
        if (entry.failure.ends_with(gone)) throw std::runtime_error(entry.failure);
    }
    picture[naming::to_string(entry.name)] = {
        entry.type == CosNaming::BindingType::ncontext,
        entry.object == nullptr ? entry.failure : names.orb()->object_to_string(entry.object)};
  });
  return picture;
}

class Watch {
 public:
  Watch(const NsOptions& options, const WatchOptions& watch) : options_(options), watch_(watch) {}

  int run(const std::string& start) {
    Names names(options_);
    const CosNaming::Name name = Names::read_name(start);
    Picture known = look(names, name);  // what is wrong from the start ends it
    if (watch_.initial) {
      for (const auto& [text, target] : known)
        if (tell("bound", text, &target)) return kDone;
    }
    // A program that waits for this line knows that nothing is missed from now on.
    if (!options_.json) std::cerr << "corbel: " << known.size() << " names are watched\n";
    bool away = false;
    for (;;) {
      std::this_thread::sleep_for(std::chrono::duration<double>(watch_.interval));
      Picture now;
      try {
        now = look(names, name);
      } catch (const std::exception& failure) {  // CORBA's exceptions, too
        if (!away && tell("away", failure.what(), nullptr)) return kDone;
        away = true;
        continue;
      }
      if (away && tell("back", "", nullptr)) return kDone;
      away = false;
      if (compare(known, now)) return kDone;
      known = std::move(now);
    }
  }

 private:
  /// True when enough has been told.
  bool compare(const Picture& known, const Picture& now) {
    for (const auto& [text, target] : known)
      if (!now.contains(text) && tell("unbound", text, &target)) return true;
    for (const auto& [text, target] : now) {
      const auto before = known.find(text);
      if (before == known.end() ? tell("bound", text, &target)
                                : !(before->second == target) && tell("rebound", text, &target))
        return true;
    }
    return false;
  }

  bool tell(const char* event, const std::string& text, const Bound* target) {
    if (options_.json) {
      Json json{{"event", event}};
      json["time"] = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
      if (target == nullptr && !text.empty()) json["detail"] = text;
      if (target != nullptr) {
        json["name"] = text;
        json["type"] = target->is_context ? "context" : "object";
        json["reference"] = target->reference;
      }
      std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    } else {
      std::cout << event << "  " << base::printable(text, 1 << 16)
                << (target != nullptr && target->is_context ? "/" : "") << std::endl;
    }
    return ++told_ == watch_.events;
  }

  const NsOptions& options_;
  const WatchOptions& watch_;
  long told_ = 0;
};

}  // namespace

int ns_watch(const NsOptions& options, const std::string& name, const WatchOptions& watch) {
  return Watch(options, watch).run(name);
}

}  // namespace corbel::tool
