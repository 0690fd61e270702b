// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/shared_ptr.hpp"

namespace corbel::poa {

class AdapterSpace;
class Manager;

/// The managers of one ORB by id. Thread-safe; its lock is the innermost of the room.
class ManagerRegistry {
 public:
  using ManagerPtr = base::SharedPtr<Manager>;

  /// A manager that is kept until used() or close(); null if the id is in use.
  ManagerPtr make(const base::SharedPtr<AdapterSpace>& space, const std::string& id);
  /// A manager with an id made of `wanted` that is not in use; the registry does not keep it.
  ManagerPtr make_implicit(const base::SharedPtr<AdapterSpace>& space, const std::string& wanted);
  ManagerPtr find(const std::string& id);
  std::vector<ManagerPtr> list();
  /// What a face keeps here that is made when it is asked for and lives as long as anything refers to it: its factory
  /// of managers.
  class Attached {
   public:
    virtual ~Attached() = default;
  };
  base::SharedPtr<Attached> attached(base::FunctionRef<base::SharedPtr<Attached>()> make);

  /// `manager` has a POA, which keeps it from now on.
  void used(const Manager& manager);
  /// Keeps managers without a POA no longer; make() makes no more. Returns all that there are.
  std::vector<ManagerPtr> close();
  /// For a manager's destructor.
  void leave(const Manager& manager) noexcept;

 private:
  struct Entry {
    const Manager* manager = nullptr;  // perhaps one that is being destroyed
    base::WeakPtr<Manager> owned;
    ManagerPtr unused;
  };

  bool enter(const ManagerPtr& manager, const std::string& id, bool keep);

  std::mutex mutex_;  // guards all; never held while a manager might be destroyed
  std::map<std::string, Entry> entries_;
  base::WeakPtr<Attached> attached_;
  bool closed_ = false;
};

}  // namespace corbel::poa
