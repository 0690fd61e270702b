// SPDX-License-Identifier: Apache-2.0
// Sends its standard input to an object (figure 16): streams_corba_client REFERENCE.
#include <corbel/corbel.hpp>

#include <iostream>

#include "stream.hpp"

namespace {

void send_data(Data_Stream& stream) {
  Data_Stream::Stream_Buf buffer(8192);
  while (std::cin.read(reinterpret_cast<char*>(buffer.data()), 8192), std::cin.gcount() > 0) {
    buffer.resize(static_cast<std::size_t>(std::cin.gcount()));
    stream.send(buffer);
    buffer.resize(8192);
  }
  stream.close();
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: streams_corba_client REFERENCE\n";
    return 2;
  }
  send_data(*IDL::traits<Data_Stream>::narrow(orb->string_to_object(argv[1])));
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
