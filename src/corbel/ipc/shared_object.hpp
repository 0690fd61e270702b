// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel/base/export.hpp"

namespace corbel::ipc {

/// A shared object that has been loaded into the process, for good: what comes from it may live as long as the process.
/// A value; thread-safe as long as it is not assigned.
class CORBEL_API SharedObject {
 public:
  /// Loads it with all that it needs, and runs its initialisers. `path`: a file, or without a slash a name that the
  /// system's loader looks for. If that fails, why() says what the loader said.
  explicit SharedObject(const std::string& path);
  /// The path of a file that lies beside the program or library that `code` is in; the name alone if there is none.
  static std::string beside(const void* code, const std::string& name);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  const std::string& why() const noexcept { return why_; }
  /// The address of what it exports under the name; nullptr if there is no such thing.
  void* find(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string why_;
};

}  // namespace corbel::ipc
