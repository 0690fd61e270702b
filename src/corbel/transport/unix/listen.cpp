// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/unix/listen.hpp"

#include "corbel/transport/local_listen.hpp"
#include "corbel/transport/stream_acceptor.hpp"

namespace corbel::transport::local {
namespace {

class UnixAcceptor final : public StreamAcceptor<ipc::UnixAddress> {
 public:
  UnixAcceptor(LocalListener<ipc::UnixStream> listener, std::vector<EndpointPtr> endpoints, base::Duration spin)
      : StreamAcceptor(kScheme, std::move(listener.acceptor), std::move(endpoints), spin),
        folder_(std::move(listener.folder)) {}
  ~UnixAcceptor() override { UnixAcceptor::close(); }
  void close() noexcept override {
    StreamAcceptor::close();
    folder_.leave();
  }

 private:
  ipc::SocketFolder folder_;
};

}  // namespace

base::Result<std::unique_ptr<Acceptor>> listen(const UnixEndpoint& endpoint, const Options& options) {
  CORBEL_TRY(auto listener, LocalListener<ipc::UnixStream>::open(endpoint.unix_address(), options));
  std::vector<EndpointPtr> endpoints{std::make_shared<UnixEndpoint>(listener.address)};
  return std::unique_ptr<Acceptor>(new UnixAcceptor(std::move(listener), std::move(endpoints), options.spin));
}

}  // namespace corbel::transport::local
