// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/shared_object.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace corbel::ipc {

SharedObject::SharedObject(const std::string& path) {
  const bool is_path = path.find('/') != std::string::npos;
  struct stat found {};
  // The loader would wait for somebody to write into a FIFO.
  if (is_path && ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    why_ = path + ": no regular file";
    return;
  }
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ != nullptr) return;
  const char* said = ::dlerror();
  why_ = said != nullptr ? said : "unknown reason";
  if (!is_path) why_ += " (a name without a slash is looked for in the loader's folders)";
}

std::string SharedObject::beside(const void* code, const std::string& name) {
  Dl_info lies{};
  if (::dladdr(code, &lies) == 0 || lies.dli_fname == nullptr) return name;
  const std::string itself = lies.dli_fname;
  if (!itself.starts_with('/')) return name;  // the process may be elsewhere by now
  std::string path = itself.substr(0, itself.rfind('/') + 1) + name;
  return ::access(path.c_str(), F_OK) == 0 ? path : name;
}

void* SharedObject::find(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace corbel::ipc
