// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/initial_references.hpp"

#include <algorithm>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/local_references.hpp"
#include "corbel/orb/local_services.hpp"
#include "corbel/orb/object_urls.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {
namespace {

constexpr std::string_view kProvided[] = {"RootPOA", "POACurrent", "IORTable"};

CORBA::InvalidName taken(const std::string& name) {
  return CORBA::InvalidName("there is an initial reference '" + name + "' already");
}

CORBA::InvalidName unknown(const std::string& name, const std::vector<std::string>& known) {
  const std::string shown = base::printable(name, 100);  // corbaloc:rir:/ brings any octets
  std::string text = "no initial reference '" + shown + "'; give -ORBInitRef " + shown + "=URL. There are:";
  for (const auto& other : known) text += ' ' + other;
  return CORBA::InvalidName(std::move(text));
}

}  // namespace

void InitialReferences::add(const std::string& name, ObjectRef object) {
  const bool provided = std::find(std::begin(kProvided), std::end(kProvided), name) != std::end(kProvided);
  if (name.empty()) throw CORBA::InvalidName("an initial reference needs a name");
  if (provided || find_local(name) != nullptr) throw taken(name);
  if (object == nullptr) throw CORBA::BAD_PARAM(corba::minor::kNilInitialReference);
  const std::lock_guard lock(mutex_);
  if (!added_.try_emplace(name, std::move(object)).second) throw taken(name);
}

InitialReferences::ObjectRef InitialReferences::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto removed = added_.extract(name);
  if (removed.empty()) {
    throw CORBA::InvalidName("no initial reference '" + base::printable(name, 100) + "' was registered");
  }
  return removed.mapped();
}

InitialReferences::ObjectRef InitialReferences::resolve(const std::string& name) {
  if (ObjectRef object = find_added(name); object != nullptr) return object;
  for (const auto& configured : core_.options().initial_references) {
    if (configured.name == name) return read_reference(core_, configured.url);
  }
  if (const LocalInitialReference* local = find_local(name)) return local->make(face_);
  if (auto* const adapter = dynamic_cast<LocalReferences*>(core_.adapter())) {
    if (ObjectRef object = adapter->initial_reference(name); object != nullptr) return object;
  }
  const std::string& prefix = core_.options().default_initial_reference;
  if (!name.empty() && !prefix.empty()) return read_reference(core_, prefix + '/' + name);
  const ior::ObjectUrl local = find_local_service(core_, name);
  if (local.addresses.empty()) throw unknown(name, names());
  return face_.make_object(core_.make_ior(local));
}

std::vector<std::string> InitialReferences::names() const {
  std::vector<std::string> names;
  if (core_.adapter() != nullptr) names.assign(std::begin(kProvided), std::end(kProvided));
  for (const auto& local : locals_) names.emplace_back(local.name);
  for (const auto& configured : core_.options().initial_references) names.push_back(configured.name);
  const std::lock_guard lock(mutex_);
  for (const auto& [name, object] : added_) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

InitialReferences::ObjectRef InitialReferences::find_added(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(name);
  return found == added_.end() ? nullptr : found->second;
}

const LocalInitialReference* InitialReferences::find_local(std::string_view name) const noexcept {
  const auto found =
      std::find_if(locals_.begin(), locals_.end(), [&](const auto& local) { return local.name == name; });
  return found == locals_.end() ? nullptr : &*found;
}

void InitialReferences::clear() {
  std::map<std::string, ObjectRef, std::less<>> forgotten;
  const std::lock_guard lock(mutex_);
  forgotten.swap(added_);
}

}  // namespace corbel::orb
