// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `corbel ns` share: a naming service as a client sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "CosNaming.hpp"
#include "corbel/corbel.hpp"

namespace corbel::tool {

using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

/// Options of every subcommand.
struct NsOptions {
  std::string service;           ///< as given; empty: -ORBInitRef, or this host at port 2809
  long timeout = 5000;           ///< milliseconds of a call
  std::size_t most = 1'000'000;  ///< bindings read, at most: a service may be endless, or lie
  bool json = false;
  std::vector<std::string> orb_options;
};

/// A bound name, from the context where the walk began.
struct Entry {
  CosNaming::Name name;
  CosNaming::BindingType type = CosNaming::BindingType::nobject;
  ObjectRef object;     ///< what it is bound to, if the walk resolves; nil also where that failed
  std::string failure;  ///< why that failed
  std::string same_as;  ///< a context that was met before: its name then ("" for where the walk began)
  bool was_met = false;
  bool elsewhere = false;  ///< a context of another server, which the walk did not enter
};

/// The order of the names of an Entry: parents before children, siblings by id and kind.
bool before(const CosNaming::Name& a, const CosNaming::Name& b);

/// One naming service. Throws std::runtime_error for names that are none and for what goes wrong; CORBA system
/// exceptions pass through. Not thread-safe.
class Names {
 public:
  explicit Names(const NsOptions& options);
  ~Names();
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  const OrbRef& orb() const noexcept { return orb_; }
  const ContextRef& root() const noexcept { return root_; }

  /// "a/b.kind". "" and "/" are the root: the empty name.
  static CosNaming::Name read_name(const std::string& text);
  /// The context of that name. Throws if it is bound to something else.
  ContextRef context(const CosNaming::Name& name);
  ObjectRef resolve(const CosNaming::Name& name);

  /// Calls `found` for each binding of the context; false ends it.
  void each(const ContextRef& context, const std::function<bool(const CosNaming::Binding&)>& found);

  struct WalkOptions {
    bool resolve = false;  ///< Entry::object of objects, too
    bool follow = true;    ///< enter contexts of other servers
  };
  /// Every binding below the context, parents before children, siblings in the order of before(). A context is entered
  /// once, however many names it has.
  void walk(const ContextRef& start, const WalkOptions& options, const std::function<void(const Entry&)>& found);
  /// What was read so far does not count towards NsOptions::most any more.
  void count_anew() noexcept { counted_ = 0; }

 private:
  /// Counts a binding; throws when there are too many.
  void count();
  /// Server and key of a reference; what it is equal by.
  std::string identity(const ObjectRef& object) const;
  std::string server(const ObjectRef& object) const;

  const std::size_t most_;
  std::size_t counted_ = 0;
  OrbRef orb_;
  ContextRef root_;
};

/// Runs `work`; CosNaming's exceptions become text on standard error and a status.
int report(const std::function<int()>& work);

/// What an object says of itself.
struct Health {
  enum class State { alive, gone, unreachable } state = State::alive;
  std::string detail;
};
/// Asks _non_existent.
Health ask(const ObjectRef& object);

struct WatchOptions {
  double interval = 1;   ///< seconds
  long events = 0;       ///< end after so many; 0: never
  bool initial = false;  ///< tell what is bound at the start, too
};

// Each in a source of its own.
int ns_watch(const NsOptions& options, const std::string& name, const WatchOptions& watch);
/// Binds the name and keeps it bound until a signal comes; `seconds` is how long it lasts after a violent end.
int ns_lease(const NsOptions& options, const std::string& name, const std::string& reference, long seconds,
             bool replace);
int ns_check(const NsOptions& options, const std::string& name, int jobs, bool unbind);
int ns_dump(const NsOptions& options, const std::string& name, bool follow);
int ns_load(const NsOptions& options, const std::string& file, const std::string& into, bool replace);

}  // namespace corbel::tool
