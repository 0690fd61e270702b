// SPDX-License-Identifier: Apache-2.0
#include "transport/unix/listen.hpp"

#include <unistd.h>

#include <cstdlib>

#include "corbel/ipc/os_error.hpp"
#include "corbel/transport/stream_acceptor.hpp"

namespace corbel::transport::local {
namespace {

using ipc::UnixAddress;

/// A directory that only this user may enter (mode 0700), removed when it goes. A fresh one for every socket: one with
/// a fixed name in a shared place could have been laid out by somebody else.
class PrivateDirectory {
 public:
  static base::Result<PrivateDirectory> make() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && *runtime == '/') {
      if (auto made = make_below(runtime)) return made;
    }
    return make_below("/tmp");
  }
  PrivateDirectory() noexcept = default;
  PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateDirectory& operator=(PrivateDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~PrivateDirectory() { remove(); }

  const std::string& path() const noexcept { return path_; }
  /// Only an empty directory goes.
  void remove() noexcept {
    if (!path_.empty()) ::rmdir(path_.c_str());
    path_.clear();
  }

 private:
  static base::Result<PrivateDirectory> make_below(std::string_view parent) {
    PrivateDirectory result;
    std::string name = std::string(parent) + "/corbel-" + std::to_string(::getuid()) + "-XXXXXX";
    if (name.size() + sizeof "/socket" > UnixAddress::kMaxLength) {
      return base::error(base::Stage::listen, base::Code::too_large);
    }
    if (::mkdtemp(name.data()) == nullptr) return ipc::last_failure(base::Stage::listen);
    result.path_ = std::move(name);
    return result;
  }

  std::string path_;
};

class UnixAcceptor final : public StreamAcceptor<UnixAddress> {
 public:
  UnixAcceptor(PrivateDirectory directory, ipc::UnixAcceptor acceptor, std::vector<EndpointPtr> endpoints,
               base::Duration spin)
      : StreamAcceptor(kScheme, std::move(acceptor), std::move(endpoints), spin), directory_(std::move(directory)) {}
  ~UnixAcceptor() override { UnixAcceptor::close(); }
  void close() noexcept override {
    StreamAcceptor::close();
    directory_.remove();
  }

 private:
  PrivateDirectory directory_;
};

}  // namespace

base::Result<std::unique_ptr<Acceptor>> listen(const UnixEndpoint& endpoint, const Options& options) {
  UnixAddress address = endpoint.unix_address();
  PrivateDirectory directory;
  if (address.is_unnamed()) {
    CORBEL_TRY(directory, PrivateDirectory::make());
    CORBEL_TRY(address, UnixAddress::path(directory.path() + "/socket"));
  }
  ipc::AcceptorOptions<UnixAddress> with;
  with.backlog = options.backlog;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  CORBEL_TRY(auto acceptor, ipc::UnixAcceptor::open(address, with));
  CORBEL_CHECK(acceptor.set_non_blocking(true));
  std::vector<EndpointPtr> endpoints{std::make_shared<UnixEndpoint>(address)};
  return std::unique_ptr<Acceptor>(
      new UnixAcceptor(std::move(directory), std::move(acceptor), std::move(endpoints), options.spin));
}

}  // namespace corbel::transport::local
