// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/unix/listen.hpp"

#include "corbel/ipc/socket_folder.hpp"
#include "corbel/transport/stream_acceptor.hpp"

namespace corbel::transport::local {
namespace {

using ipc::UnixAddress;

class UnixAcceptor final : public StreamAcceptor<UnixAddress> {
 public:
  UnixAcceptor(ipc::SocketFolder folder, ipc::UnixAcceptor acceptor, std::vector<EndpointPtr> endpoints,
               base::Duration spin)
      : StreamAcceptor(kScheme, std::move(acceptor), std::move(endpoints), spin), folder_(std::move(folder)) {}
  ~UnixAcceptor() override { UnixAcceptor::close(); }
  void close() noexcept override {
    StreamAcceptor::close();
    folder_.leave();
  }

 private:
  ipc::SocketFolder folder_;
};

base::Result<ipc::UnixAcceptor> open_in_folder(const ipc::AcceptorOptions<UnixAddress>& with, ipc::SocketFolder& folder,
                                               UnixAddress& address) {
  base::Error error;
  for (int attempt = 0; attempt < 100; ++attempt) {
    folder.leave();
    CORBEL_TRY(folder, ipc::SocketFolder::open());
    if (attempt == 0) folder.sweep();
    CORBEL_TRY(address, folder.next_name());
    auto acceptor = ipc::UnixAcceptor::open(address, with);
    if (acceptor) return acceptor;
    error = acceptor.error();
    // The last one who left may have taken the folder away; a process of another PID namespace may have our number.
    if (error.code != base::Code::unreachable && error.code != base::Code::address_in_use) break;
  }
  return error;
}

}  // namespace

base::Result<std::unique_ptr<Acceptor>> listen(const UnixEndpoint& endpoint, const Options& options) {
  ipc::AcceptorOptions<UnixAddress> with;
  with.backlog = options.backlog;
  if (options.send_buffer > 0) with.send_buffer = options.send_buffer;
  if (options.receive_buffer > 0) with.receive_buffer = options.receive_buffer;
  UnixAddress address = endpoint.unix_address();
  ipc::SocketFolder folder;
  ipc::UnixAcceptor acceptor;
  if (address.is_unnamed()) {
    CORBEL_TRY(acceptor, open_in_folder(with, folder, address));
  } else {
    CORBEL_TRY(acceptor, ipc::UnixAcceptor::open(address, with));
  }
  CORBEL_CHECK(acceptor.set_non_blocking(true));
  std::vector<EndpointPtr> endpoints{std::make_shared<UnixEndpoint>(address)};
  return std::unique_ptr<Acceptor>(
      new UnixAcceptor(std::move(folder), std::move(acceptor), std::move(endpoints), options.spin));
}

}  // namespace corbel::transport::local
