// SPDX-License-Identifier: Apache-2.0
// Writes what clients send to its standard output (figure 17): streams_corba_server CLIENTS. The first line of its
// standard error is the object's reference. Clients may come at the same time.
#include <corbel/corbel.hpp>

#include <atomic>
#include <iostream>
#include <mutex>

#include "stream_server.hpp"

namespace {

class DataStream : public virtual CORBA::servant_traits<Data_Stream>::base_type {
 public:
  DataStream(IDL::traits<CORBA::ORB>::ref_type orb, int clients) : orb_(std::move(orb)), clients_(clients) {}

  void send(const ::Data_Stream::Stream_Buf& buf) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    std::cout.write(reinterpret_cast<const char*>(buf.data()), static_cast<std::streamsize>(buf.size())) << std::flush;
  }
  void close() override {
    if (--clients_ <= 0) orb_->shutdown(false);
  }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::atomic<int> clients_;
  std::mutex mutex_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: streams_corba_server CLIENTS\n";
    return 2;
  }
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto reference = CORBA::make_reference<DataStream>(orb, std::atoi(argv[1]))->_this();
  poa->the_POAManager()->activate();
  std::cerr << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
