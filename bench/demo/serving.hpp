// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/orb/components.hpp>
#include <corbel/orb/orb.hpp>
#include <string>
#include <thread>
#include <vector>

namespace demo {

/// A message protocol over a transport.
struct Combination {
  std::string protocol;
  std::string transport;
  bool in_process = false;  ///< both ends are in one process
};

/// Every combination of what the components hold that goes together, in the order tcp, unix, others.
std::vector<Combination> combinations(const corbel::orb::Components& components);

/// An ORB that the components make, with -ORB options.
IDL::traits<CORBA::ORB>::ref_type make_orb(const corbel::orb::Components& components, const std::string& id,
                                           std::vector<std::string> options);

/// One ORB that serves an ImageServer over one combination, on threads of its own. Listens on loopback and on private
/// local addresses only.
class ImageServing {
 public:
  ImageServing(const corbel::orb::Components& components, const Combination& combination);
  ~ImageServing();
  ImageServing(const ImageServing&) = delete;
  ImageServing& operator=(const ImageServing&) = delete;

  const std::string& reference() const noexcept { return reference_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string reference_;
  std::thread thread_;
};

/// Returns when the client closes our standard input or ends. Until then the terminal's interrupt is the client's
/// matter.
void await_end_of_input();

/// The server process: serves every combination between processes until standard input ends. Prints a line
/// "PROTOCOL TRANSPORT REFERENCE" for each, then "ready". Returns the exit status.
int image_server_main();

}  // namespace demo
