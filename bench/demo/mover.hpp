// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "demo/files.hpp"
#include "demo/serving.hpp"

namespace demo {

/// One way to move a file to a server and back. Failures are exceptions.
class Mover {
 public:
  virtual ~Mover() = default;
  /// Makes the server hold zeros in place of the file.
  virtual void prepare(const File& file) = 0;
  virtual void upload(const File& file) = 0;
  /// Fills `blocks`, which have the sizes of the file's.
  virtual void download(const File& file, std::vector<Block>& blocks) = 0;
  /// True if the server says it holds the octets with the file's digest.
  virtual bool arrived(const File& file) = 0;
  /// Lets the server forget the file.
  virtual void forget(const File& file) = 0;
  virtual void ping() = 0;
};

/// Through the reference of an ImageServer, block by block.
std::unique_ptr<Mover> make_corbel_mover(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& reference);

/// Through plain C sockets; `address` is what plain_listen gave. In blocks that are each asked for or confirmed, as the
/// calls through a reference are, or in one stream per file.
std::unique_ptr<Mover> make_plain_mover(const std::string& address, std::size_t block_size, bool stream);

/// The process that serves plain C sockets over tcp and unix until standard input ends. Prints "TRANSPORT ADDRESS" for
/// each, then "ready".
int plain_server_main();

}  // namespace demo
