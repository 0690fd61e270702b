// SPDX-License-Identifier: Apache-2.0
// corbel ns watch: what changes in the names of any naming service. The standard has no word for it, so it looks again
// and again.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "names.hpp"
#include "ns.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;

/// What a name is bound to.
struct Bound {
  bool is_context = false;
  std::string reference;  ///< or why it cannot be resolved

  /// A context stays the same when the addresses change that lead there: services of several processes come and go.
  bool operator==(const Bound& other) const {
    if (is_context != other.is_context) return false;
    if (reference == other.reference) return true;
    return is_context && is_same_context(reference, other.reference);
  }

 private:
  static bool is_same_context(const std::string& one, const std::string& other) {
    const auto a = places(one);
    const auto b = places(other);
    return std::any_of(a.begin(), a.end(), [&](const auto& each) { return b.contains(each); });
  }
  /// Addresses with keys.
  static std::set<std::string> places(const std::string& reference) {
    std::set<std::string> found;
    const auto ior = ior::from_string(reference);
    if (!ior) return found;
    for (const auto& profile : ior->profiles) {
      const auto body = ior::decode_iiop_profile(profile);
      if (!body) continue;
      const auto add = [&](const std::string& host, std::uint16_t port) {
        found.insert(host + ':' + std::to_string(port) + '/' + std::string(base::as_text(body->object_key)));
      };
      if (body->port != 0) add(body->host, body->port);
      for (const auto& component : body->components) {
        if (const auto address = ior::decode_alternate_address(component)) add(address->host, address->port);
      }
    }
    return found;
  }
};
using Picture = std::map<std::string, Bound>;

Picture look(Names& names, const CosNaming::Name& start) {
  Picture picture;
  names.count_anew();
  names.walk(names.context(start), {.resolve = true, .follow = true}, [&](const Entry& entry) {
    if (entry.object == nullptr) {
      if (entry.failure.ends_with("NotFound")) return;  // unbound meanwhile
      for (const char* gone : {"COMM_FAILURE", "TRANSIENT", "TIMEOUT", "BAD_INV_ORDER"})
        if (entry.failure.ends_with(gone)) throw std::runtime_error(entry.failure);
    }
    picture[naming::to_string(entry.name)] = {
        .is_context = entry.type == CosNaming::BindingType::ncontext,
        .reference = entry.object == nullptr ? entry.failure : names.orb()->object_to_string(entry.object)};
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
    return ++told_ == watch_.events || !output_written();  // the latter is said at the end
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
