// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/shared_object.hpp"

#include <dlfcn.h>

namespace corbel::ipc {

SharedObject::SharedObject(const std::string& path)
    : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (handle_ != nullptr) return;
  const char* said = ::dlerror();
  why_ = said != nullptr ? said : "unknown reason";
}

void* SharedObject::find(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace corbel::ipc
