// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/ior_table.hpp"

#include <mutex>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/local_interface.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/object_urls.hpp"
#include "corbel/poa/ior_table_impl.hpp"
#include "corbel/poa/upcall.hpp"

template struct corbel::corba::KnownLocalInterface<IORTable::Locator>;
template struct corbel::corba::KnownLocalInterface<IORTable::Table>;

namespace corbel::poa {
namespace {

constexpr unsigned kMostInside = 16;  // of what this thread looks up, each inside of another

// Requests for one key at a time, where looking it up may call somebody: what asks for itself over a connection would
// else take all threads of the server.
constexpr unsigned kMostAtOnce = 32;

bool may_call(std::string_view url) {
  const bool address = url.starts_with("IOR:") || url.starts_with("corbaloc:");
  return !address || url.find("rir:") != std::string_view::npos;
}

/// One look into a table: what is asked there may be an object that a table leads to.
struct Looking {
  Looking() noexcept { ++t_inside; }
  ~Looking() { --t_inside; }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
  static constinit thread_local unsigned t_inside;
};
constinit thread_local unsigned Looking::t_inside = 0;

/// From a handler of what a locator threw. The request that it was asked for has not been executed, whatever the
/// locator has done.
[[noreturn]] void throw_not_located() {
  try {
    throw;
  } catch (const corba::SystemExceptionCore&) {
    corba::rethrow_with(corba::Completed::no);
  } catch (const corba::UserExceptionCore& undeclared) {
    corba::raise("UNKNOWN", corba::minor::kUnlistedUserException, corba::Completed::no,
                 std::string("the locator of the IORTable threw ") + undeclared._rep_id());
  } catch (const std::bad_alloc&) {
    corba::raise_no_memory(0, corba::Completed::no);
  } catch (const std::exception& other) {
    corba::raise("UNKNOWN", corba::minor::kForeignException, corba::Completed::no,
                 "the locator of the IORTable threw " + orb::current_exception_type() + ": " + other.what());
  }
}

}  // namespace

class IorTable::Turn {
 public:
  Turn(IorTable& table, std::string_view key) : table_(table), key_(key) {
    const std::lock_guard lock(table_.mutex_);
    unsigned& now = table_.asked_[key_];
    if (now == kMostAtOnce) {
      corba::raise("NO_RESOURCES", corba::vendor_minor(base::Stage::dispatch, base::Code::out_of_resources),
                   corba::Completed::no,
                   "too many requests wait for what the IORTable leads to by this key; perhaps it leads to itself");
    }
    ++now;
  }
  ~Turn() {
    const std::lock_guard lock(table_.mutex_);
    const auto found = table_.asked_.find(key_);
    if (--found->second == 0) table_.asked_.erase(found);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  IorTable& table_;
  const std::string key_;
};

void IorTable::bind(const std::string& object_key, const std::string& ior) {
  const std::lock_guard lock(mutex_);
  check_open();
  if (!bound_.try_emplace(object_key, ior).second) throw IORTable::AlreadyBound();
}

void IorTable::rebind(const std::string& object_key, const std::string& ior) {
  const std::lock_guard lock(mutex_);
  check_open();
  bound_.insert_or_assign(object_key, ior);
}

void IorTable::unbind(const std::string& object_key) {
  const std::lock_guard lock(mutex_);
  check_open();
  if (bound_.erase(object_key) == 0) throw IORTable::NotFound();
}

std::string IorTable::find(const std::string& object_key) {
  Known found;
  {
    const std::lock_guard lock(mutex_);
    check_open();
    found = known(object_key);
  }
  if (found.url) return *std::move(found.url);
  if (found.locator == nullptr) throw IORTable::NotFound();
  return found.locator->locate(object_key);
}

/// What was set before goes after the lock: its destructor is the application's.
void IorTable::set_locator(LocatorRef the_locator) {
  const std::lock_guard lock(mutex_);
  check_open();
  std::swap(locator_, the_locator);
}

std::optional<ior::Ior> IorTable::lead(std::string_view key) {
  Known found;
  {
    const std::lock_guard lock(mutex_);
    found = known(key);
  }
  if (!found.url && found.locator == nullptr) return std::nullopt;
  const Looking looking;
  if (Looking::t_inside > kMostInside) {
    CORBEL_LOG(space_->log(), poa, warning, "the IORTable leads in a circle", {"key", base::as_bytes(key)});
    return std::nullopt;
  }
  std::optional<Turn> turn;
  if (!found.url || may_call(*found.url)) turn.emplace(*this, key);
  const AroundUpcall around(*space_, AroundUpcall::In::request);
  if (!found.url) found.url = ask(*found.locator.operator->(), std::string(key));
  return found.url ? read(key, *found.url) : std::nullopt;
}

void IorTable::close() noexcept {
  std::map<std::string, std::string, std::less<>> bound;  // go after the lock
  LocatorRef locator;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  std::swap(bound_, bound);
  std::swap(locator_, locator);
}

/// With the mutex locked.
IorTable::Known IorTable::known(std::string_view key) const {
  const auto found = bound_.find(key);
  if (found != bound_.end()) return {found->second, nullptr};
  return {std::nullopt, locator_};
}

/// With the mutex locked.
void IorTable::check_open() const {
  if (!closed_) return;
  corba::raise("OBJECT_NOT_EXIST", corba::minor::kAdapterGone, corba::Completed::no,
               "the ORB of the IORTable has shut down");
}

std::optional<std::string> IorTable::ask(IORTable::Locator& locator, const std::string& key) const {
  try {
    return locator.locate(key);
  } catch (const IORTable::NotFound&) {
    return std::nullopt;
  } catch (...) {
    CORBEL_LOG(space_->log(), poa, warning, "the locator of the IORTable failed",
               {"key", base::as_bytes(std::string_view(key))}, {"exception", orb::what_was_thrown()});
    throw_not_located();
  }
}

/// Text that is no reference is the server's fault: to the client there is no such object.
std::optional<ior::Ior> IorTable::read(std::string_view key, const std::string& url) const {
  std::string why = "it is no reference to an object that others can call";
  try {
    const auto object = orb::read_reference(space_->core(), url);
    if (object != nullptr && object->_target() != nullptr) return object->_target()->ior();
  } catch (const CORBA::BAD_PARAM& exception) {
    why = exception.what();
  } catch (const corba::SystemExceptionCore&) {
    corba::rethrow_with(corba::Completed::no);
  }
  CORBEL_LOG(space_->log(), poa, warning, "what the IORTable leads to cannot be used", {"key", base::as_bytes(key)},
             {"why", why});
  return std::nullopt;
}

}  // namespace corbel::poa
