// SPDX-License-Identifier: Apache-2.0
// gRPC in the laboratory, synchronous and without encryption; octets only.
#include <grpcpp/grpcpp.h>

#include "bench.grpc.pb.h"
#include "peers/peer.hpp"

namespace {

class Target final : public bench::Target::Service {
 public:
  grpc::Status Put(grpc::ServerContext*, const bench::Octets* request, bench::Count* reply) override {
    reply->set_octets(request->data().size());
    return grpc::Status::OK;
  }
  grpc::Status Echo(grpc::ServerContext*, const bench::Octets* request, bench::Octets* reply) override {
    *reply = *request;
    return grpc::Status::OK;
  }
  grpc::Status Take(grpc::ServerContext*, grpc::ServerReader<bench::Octets>* reader, bench::Count* reply) override {
    bench::Octets request;
    std::uint64_t taken = 0;
    while (reader->Read(&request)) taken += request.data().size();
    reply->set_octets(taken);
    return grpc::Status::OK;
  }
};

void check(const grpc::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error_message());
}

class Client {
 public:
  explicit Client(const std::string& reference)
      : Client(grpc::CreateChannel(reference, grpc::InsecureChannelCredentials())) {}
  explicit Client(std::shared_ptr<grpc::Channel> channel)
      : channel_(std::move(channel)), target_(bench::Target::NewStub(channel_)) {}

  void ping() { call(bench::Octets()); }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(channel_); }
  std::function<void()> put(std::size_t payload) {
    return [this, request = octets(payload)] { call(request); };
  }
  peer::Flow ring(const std::string&, std::size_t count) {
    return {2 * count, [this, request = octets(count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) {
                grpc::ClientContext context;
                bench::Octets reply;
                check(target_->Echo(&context, request, &reply));
                peer::check_ring(request.data().size(), reply.data().size());
              }
            }};
  }
  peer::Flow flow(bool oneway, const std::string&, std::size_t count) {
    return {count, [this, oneway, request = octets(count)](unsigned long calls) {
              if (oneway) return stream(request, calls);
              for (unsigned long i = 0; i < calls; ++i) call(request);
            }};
  }

 private:
  static bench::Octets octets(std::size_t count) {
    bench::Octets request;
    request.set_data(std::string(count, 'x'));
    return request;
  }
  void call(const bench::Octets& request) {
    grpc::ClientContext context;
    bench::Count reply;
    check(target_->Put(&context, request, &reply));
  }
  void stream(const bench::Octets& request, unsigned long calls) {
    grpc::ClientContext context;
    bench::Count reply;
    const auto writer = target_->Take(&context, &reply);
    for (unsigned long i = 0; i < calls; ++i) {
      if (!writer->Write(request)) break;
    }
    writer->WritesDone();
    check(writer->Finish());
    if (reply.octets() != request.data().size() * calls) throw std::runtime_error("octets were lost");
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<bench::Target::Stub> target_;
};

struct Grpc {
  static peer::About about() {
    return {
        .name = "gRPC " + grpc::Version(), .transports = "tcp unix", .commands = "latency threads oneway twoway ring"};
  }
  static void serve(const char*, const std::string& transport, const std::string& where) {
    const bool local = transport == "unix";
    Target target;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(local ? "unix:" + where : where + ":0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&target);
    const auto server = builder.BuildAndStart();
    if (server == nullptr) throw std::runtime_error("the server does not start");
    peer::announce(local ? "unix:" + where : where + ":" + std::to_string(port));
    server->Wait();
  }
  static int run_client(const char*, const char*, const std::string& reference) {
    Client client(reference);
    client.ping();
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Grpc>(argc, argv);
}
