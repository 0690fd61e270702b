// SPDX-License-Identifier: Apache-2.0
// How the store is found and made, and how it is looked at.
#include "etcd_store.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <thread>
#include <utility>

#include "etcd_look.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;
using Fault = StoreError::Fault;

constexpr const char* kEtcdFormat = "1";
constexpr std::string_view kPlain = "etcd://";
constexpr std::string_view kEncrypted = "etcds://";

/// "HOST", "HOST:PORT", "[ADDRESS]:PORT" as a URL.
std::string endpoint_of(const std::string& scheme, std::string_view text) {
  constexpr std::string_view kHost = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  const bool six = text.starts_with('[');
  const std::size_t behind = six ? text.find(']') : text.find(':');
  const std::string_view host = six ? text.substr(1, std::min(behind, text.size()) - 1) : text.substr(0, behind);
  const std::size_t colon = six && behind != std::string_view::npos ? behind + 1 : behind;
  const bool has_port = colon < text.size();
  bool good =
      !host.empty() && host.find_first_not_of(six ? "0123456789abcdefABCDEF:." : kHost) == std::string_view::npos;
  good = good && (!six || behind != std::string_view::npos) && (!has_port || text[colon] == ':');
  std::string_view port = "2379";
  if (good && has_port) {
    port = text.substr(colon + 1);
    std::uint16_t number = 0;
    const auto [stopped, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    good = error == std::errc() && stopped == port.data() + port.size() && number != 0;
  }
  if (!good) {
    throw StoreError("--store: '" + std::string(text.substr(0, 64)) + "' is not HOST:PORT of a member of etcd",
                     Fault::broken);
  }
  return scheme + (six ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::string(port);
}

/// "etcd at HOST:PORT,HOST:PORT, prefix PREFIX".
std::string name_of(const EtcdAddress& address) {
  std::string name = "etcd at ";
  for (const std::string& each : address.endpoints) name += each.substr(each.find("//") + 2) + ",";
  return name + " prefix " + address.prefix;
}

}  // namespace

EtcdAddress etcd_address(const std::string& url) {
  constexpr std::size_t kMostMembers = 64;
  const bool encrypted = url.starts_with(kEncrypted);
  const std::string scheme = encrypted ? "https://" : "http://";
  std::string_view rest = std::string_view(url).substr(std::min(url.size(), (encrypted ? kEncrypted : kPlain).size()));
  if (rest.find('@') != std::string_view::npos) {
    throw StoreError("--store: no user and password here, where all see them: --store-user and --store-password-file",
                     Fault::broken);
  }
  EtcdAddress address;
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.prefix = rest.substr(slash);
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  if (address.prefix.empty()) address.prefix = "/corbel_naming";
  rest = rest.substr(0, slash);
  for (std::size_t at = 0; at <= rest.size() && address.endpoints.size() < kMostMembers;) {
    const std::size_t comma = std::min(rest.find(',', at), rest.size());
    address.endpoints.push_back(endpoint_of(scheme, rest.substr(at, comma - at)));
    at = comma + 1;
  }
  return address;
}

EtcdStore::EtcdStore(const std::string& url, StoreLimits limits, std::chrono::milliseconds patience,
                     EtcdOptions options, EtcdClient::Tell tell)
    : EtcdStore(etcd_address(url), limits, patience, std::move(options), std::move(tell)) {}

EtcdStore::EtcdStore(const EtcdAddress& address, StoreLimits limits, std::chrono::milliseconds patience,
                     EtcdOptions options, EtcdClient::Tell tell)
    : prefix_(address.prefix),
      limits_(limits),
      patience_(patience),
      client_(name_of(address), address.endpoints, std::move(options), std::move(tell)) {
  open();
}

EtcdStore::~EtcdStore() = default;

/// Makes what is to be there from the start, if it is not; of several that do so at the same time one wins.
void EtcdStore::open() {
  const Patience until = patience();
  const std::string generation = hex(random_number());
  const std::string base = prefix_ + "/g/" + generation + "/";
  EtcdTransaction make;
  make.compares.push_back({prefix_ + "/format"});
  make.puts = {{prefix_ + "/format", kEtcdFormat},
               {prefix_ + "/identity", hex(random_number())},
               {prefix_ + "/current", generation},
               {base + kEtcdTotals, pack(EtcdTotals{1, 0})},
               {base + context_key(kRoot), pack(EtcdContext{})}};
  const EtcdTransaction look{.ranges = {{prefix_ + "/format"}, {prefix_ + "/identity"}}};
  auto found = client_.run(look, until).ranges;
  while (found[0].empty()) {
    try {
      client_.run(make, until);
    } catch (const StoreError& error) {
      if (error.completed() != StoreError::Completed::maybe) throw;  // else it is looked whether it is there
    }
    found = client_.run(look, until).ranges;
    if (std::chrono::steady_clock::now() >= until) throw StoreError(client_.name() + ": is too slow", Fault::away);
  }
  if (const std::string& format = found[0].front().value; format != kEtcdFormat) {
    throw StoreError(
        client_.name() + ": is of format '" + format.substr(0, 32) + "'; this program reads format " + kEtcdFormat,
        Fault::broken);
  }
  const std::string text = found[1].empty() ? std::string() : found[1].front().value;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), identity_, 16);
  look_up_generation(until);
  EtcdView view = this->view(until);
  if (error != std::errc() || stopped != text.data() + text.size()) view.damaged("it has no identity");
  if (!view.read(context_key(kRoot))) view.damaged("it has no root context");
}

EtcdView EtcdStore::view(Patience until) const {
  const std::lock_guard lock(generation_mutex_);
  return {client_, prefix_, generation_, until};
}

void EtcdStore::look_up_generation(Patience until) {
  const auto found = client_.run({.ranges = {{prefix_ + "/current"}}}, until).ranges;
  if (found[0].empty()) {
    throw StoreError(client_.name() + ": is damaged: it does not say what counts", Fault::broken);
  }
  const std::lock_guard lock(generation_mutex_);
  generation_ = found[0].front().value;
}

bool EtcdStore::exists(ContextId context) {
  return look(patience(), [&](EtcdView view) { return view.read(context_key(context)).has_value(); });
}

Walk EtcdStore::walk(ContextId start, std::span<const NameComponent> name) {
  return follow(start, name, false);
}

Walk EtcdStore::resolve(ContextId start, std::span<const NameComponent> name) {
  return follow(start, name, true);
}

Walk EtcdStore::follow(ContextId start, std::span<const NameComponent> name, bool last_is_any) {
  return look(patience(), [&](EtcdView view) {
    const std::int64_t now = etcd_now();
    Walk walk;
    walk.context = start;
    for (; walk.at < name.size(); ++walk.at) {
      auto found = view.read({{binding_key(walk.context, name[walk.at])}, {context_key(walk.context)}});
      EtcdBinding binding;
      if (!found[0].empty()) binding = view.binding(found[0].front().value);
      if (found[0].empty() || binding.has_ended(now)) {
        walk.outcome = found[1].empty() ? Outcome::gone : Outcome::missing;
        return walk;
      }
      walk.bound = std::move(binding.bound);
      if (last_is_any && walk.at + 1 == name.size()) break;
      if (walk.bound.type != BindingType::ncontext) {
        walk.outcome = Outcome::not_context;
        return walk;
      }
      if (walk.bound.child == 0) {
        walk.outcome = Outcome::foreign;
        return walk;
      }
      walk.context = walk.bound.child;
    }
    if (!last_is_any && !view.read(context_key(walk.context))) walk.outcome = Outcome::gone;
    return walk;
  });
}

Listing EtcdStore::list(ContextId context, const std::optional<NameComponent>& after, std::size_t count,
                        std::size_t octets) {
  constexpr std::size_t kOctetsBeside = 24;  // lengths and type of a binding in the answer
  return look(patience(), [&](EtcdView view) {
    const std::int64_t now = etcd_now();
    const std::string end = etcd_end(bindings_of(context));
    std::string place = after ? binding_key(context, *after) + '\0' : bindings_of(context);
    Listing listing;
    for (std::size_t sum = 0;;) {
      // One more tells whether there is one.
      const std::size_t wanted = std::min(count - listing.bindings.size() + 1, kEtcdPiece);
      const auto found = view.read(std::vector<EtcdRange>{{place, end, wanted}});
      for (const EtcdPair& each : found.front()) {
        const EtcdBinding binding = view.binding(each.value);
        if (binding.has_ended(now)) continue;
        if (listing.bindings.size() == count || sum >= octets) {
          listing.more = true;
          return listing;
        }
        auto where = place_of(each.key);
        if (!where) view.damaged("a name cannot be read");
        sum += where->name.id().size() + where->name.kind().size() + kOctetsBeside;
        listing.bindings.push_back({std::move(where->name), binding.bound.type});
      }
      if (found.front().size() < wanted) return listing;
      place = found.front().back().key + '\0';
    }
  });
}

std::vector<Address> EtcdStore::announce(const std::string& member, std::span<const Address> addresses,
                                         std::chrono::milliseconds length) {
  constexpr std::size_t kMostMembers = 64;
  const std::string members = prefix_ + "/m/";
  const std::int64_t now = etcd_now();
  const Patience until = patience();
  EtcdTransaction note;
  if (addresses.empty()) {
    note.removals.push_back({members + member});
  } else {
    std::string text = std::to_string(now + length.count()) + '\n';
    for (const Address& each : addresses) text += each.host + ' ' + std::to_string(each.port) + '\n';
    note.puts.push_back({members + member, text});
  }
  client_.run(note, until);
  const auto all = client_.run({.ranges = {{members, etcd_end(members)}}}, until).ranges;
  std::vector<Address> found;
  std::size_t living = 0;
  EtcdTransaction forget;
  for (const EtcdPair& each : all.front()) {
    std::istringstream lines(each.value);
    std::int64_t ends = 0;
    if (!(lines >> ends) || ends <= now) {
      if (forget.removals.size() < kMostMembers) forget.removals.push_back({each.key});
      continue;
    }
    if (++living > kMostMembers) break;
    for (Address address; lines >> address.host >> address.port;) {
      if (std::find(found.begin(), found.end(), address) == found.end()) found.push_back(address);
    }
  }
  // One that is late and has announced itself meanwhile does so again.
  if (forget.changes()) client_.run(forget, until);
  return found;
}

std::optional<std::string> EtcdStore::setting(const char* name) {
  const auto found = client_.run({.ranges = {{prefix_ + "/s/" + name}}}, patience()).ranges;
  return found.front().empty() ? std::nullopt : std::optional(found.front().front().value);
}

void EtcdStore::set(const char* name, const std::string& value) {
  client_.run({.puts = {{prefix_ + "/s/" + name, value}}}, patience());
}

}  // namespace corbel::naming
