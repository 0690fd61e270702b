// SPDX-License-Identifier: Apache-2.0
// Of libcorbel.so, which has no OpenSSL: who never speaks TLS does not pay for loading it (ADR 33).
#include <mutex>
#include <string>

#include "corbel/base/log.hpp"
#include "corbel/ipc/shared_object.hpp"
#include "corbel/transport/tls/engine.hpp"

namespace corbel::transport::tls {
namespace {

/// Empty and null until it has been loaded.
struct Loading {
  std::mutex mutex;
  const Engine* engine = nullptr;
  std::string why;  // it could not be, the last time
};

}  // namespace

base::Result<const Engine*> engine(base::Stage stage, const base::Log& log) {
  static Loading loading;
  const std::lock_guard lock(loading.mutex);
  if (loading.engine != nullptr) return loading.engine;
  const ipc::SharedObject library(ipc::SharedObject::beside(&loading, CORBEL_TLS_LIBRARY));
  if (const auto entry = reinterpret_cast<const Engine* (*)()>(library.find("corbel_tls_engine"))) {
    loading.engine = entry();
    return loading.engine;
  }
  // Descriptors or memory may have been missing: the next one tries again, and says only what is new.
  const std::string why = library ? "it is another library" : library.why();
  if (why != loading.why) {
    loading.why = why;
    CORBEL_LOG(log, transport, error, "TLS cannot be loaded", {"library", CORBEL_TLS_LIBRARY}, {"why", why},
               {"action", "install it beside libcorbel, and OpenSSL 3"});
  }
  return base::error(stage, base::Code::bad_security_settings);
}

}  // namespace corbel::transport::tls
