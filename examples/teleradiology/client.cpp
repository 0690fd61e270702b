// SPDX-License-Identifier: Apache-2.0
// Fetches one image both ways and compares: teleradiology_client REFERENCE.
#include <corbel/corbel.hpp>
#include <corbel/ipc/connector.hpp>
#include <corbel/ipc/stream.hpp>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <stdexcept>

#include "archive.hpp"

namespace {

namespace base = corbel::base;
namespace ipc = corbel::ipc;
using Clock = std::chrono::steady_clock;
using Octets = std::vector<std::uint8_t>;

constexpr std::uint64_t kLargest = 256U << 20U;  // what this program is willing to hold

void need(const base::Status& status, const char* what) {
  if (!status) throw std::runtime_error(std::string(what) + ": " + base::to_string(status.error()));
}

ipc::TcpStream connect(const Teleradiology::Ticket& ticket, base::Deadline deadline) {
  const auto address = ipc::InetAddress::parse(ticket.host(), ticket.tcp_port());
  if (!address) throw std::runtime_error("the ticket names no address");
  auto stream = ipc::TcpConnector().connect(*address, deadline);
  if (!stream) throw std::runtime_error("connect: " + base::to_string(stream.error()));
  return *std::move(stream);
}

/// The stream of a ticket, its key shown.
ipc::TcpStream stream_of(const Teleradiology::Ticket& ticket) {
  const auto deadline = base::Deadline::after(std::chrono::seconds(30));
  auto stream = connect(ticket, deadline);
  need(stream.send_n(ticket.pass(), deadline), "show the key");
  return stream;
}

/// CORBA says where, the wrapper stream moves the octets.
Octets by_stream(Teleradiology::Archive& archive) {
  const Teleradiology::Ticket ticket = archive.fetch("chest");
  if (ticket.size() > kLargest) throw std::runtime_error("the image is too large");
  Octets pixels(ticket.size());
  auto stream = stream_of(ticket);
  need(stream.recv_n(pixels, base::Deadline::after(std::chrono::seconds(60))), "receive");
  return pixels;
}

template <class Way>
Octets timed(const char* name, Way way) {
  const auto begin = Clock::now();
  Octets pixels = way();
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  std::cout << name << ": " << pixels.size() << " octets, " << std::fixed << std::setprecision(1) << ms << " ms\n";
  return pixels;
}

/// True if the ticket's key opens nothing (any more).
bool refused(const Teleradiology::Ticket& ticket) {
  auto stream = stream_of(ticket);
  Octets room(1);
  const auto end = stream.recv(room);
  return !end || *end == 0;
}

void look_at(Teleradiology::Archive& archive) {
  const Octets streamed = timed("stream", [&] { return by_stream(archive); });
  const Octets called = timed("CORBA", [&] { return archive.image("chest"); });
  if (streamed != called) throw std::runtime_error("the two images differ");
  std::cout << "both are the same\n";

  Teleradiology::Ticket forged = archive.fetch("chest");
  forged.pass()[0] ^= 1U;
  if (!refused(forged)) throw std::runtime_error("a forged key was taken");
  std::cout << "a forged key opens nothing\n";
  try {
    archive.fetch("skull");
    throw std::runtime_error("there is no skull");
  } catch (const Teleradiology::NoSuchImage&) {
    std::cout << "no such image is an exception\n";
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: teleradiology_client REFERENCE\n";
    return 2;
  }
  auto archive = IDL::traits<Teleradiology::Archive>::narrow(orb->string_to_object(argv[1]));
  look_at(*archive);
  const auto silent = connect(archive->fetch("chest"), base::Deadline::after(std::chrono::seconds(30)));
  archive->shutdown();  // ends, though one is connected and says nothing
  orb->destroy();
  return 0;
} catch (const std::exception& exception) {
  std::cerr << "client: " << exception.what() << '\n';
  return 1;
}
