// SPDX-License-Identifier: Apache-2.0
// The same job done by plain C sockets: the control.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "common/plain_sockets.h"
#include "common/temporary.hpp"
#include "demo/mover.hpp"

namespace demo {
namespace {

void check(int status) {
  if (status < 0) throw std::runtime_error(std::string("plain sockets: ") + std::strerror(errno));
}

class PlainMover final : public Mover {
 public:
  PlainMover(const std::string& address, std::size_t block_size, bool stream)
      : handle_(plain_connect(address.c_str())), block_size_(static_cast<std::uint32_t>(block_size)), stream_(stream) {
    check(handle_);
  }
  ~PlainMover() override { close(handle_); }
  PlainMover(const PlainMover&) = delete;
  PlainMover& operator=(const PlainMover&) = delete;

  void prepare(const File& file) override { check(plain_wipe(handle_, file.size)); }
  void upload(const File& file) override {
    std::vector<plain_piece> pieces;
    for (const Block& block : file.blocks) pieces.push_back({block.data(), block.size()});
    if (stream_) return check(plain_put(handle_, pieces.data(), pieces.size(), 0, block_size_));
    std::uint64_t offset = 0;
    for (const plain_piece& piece : pieces) {
      check(plain_put(handle_, &piece, 1, offset, block_size_));
      offset += piece.size;
    }
  }
  void download(const File&, std::vector<Block>& blocks) override {
    std::vector<plain_room> rooms;
    for (Block& block : blocks) rooms.push_back({block.data(), block.size()});
    if (stream_) return check(plain_get(handle_, rooms.data(), rooms.size(), 0, block_size_));
    std::uint64_t offset = 0;
    for (const plain_room& room : rooms) {
      check(plain_get(handle_, &room, 1, offset, block_size_));
      offset += room.size;
    }
  }
  /// The C server computes no digest: what it holds is fetched and looked at here.
  bool arrived(const File& file) override {
    std::vector<Block> blocks;
    for (const Block& block : file.blocks) blocks.emplace_back(block.size());
    download(file, blocks);
    return sha256(blocks) == file.digest;
  }
  void forget(const File&) override { check(plain_wipe(handle_, 0)); }
  void ping() override { check(plain_ping(handle_)); }

 private:
  int handle_;
  std::uint32_t block_size_;
  bool stream_;
};

/// A thread for each connection, for as long as the process lives.
void serve(int listener) {
  for (;;) {
    const int handle = plain_accept(listener);
    if (handle < 0) return;
    std::thread([handle] {
      plain_serve(handle);
      close(handle);
    }).detach();
  }
}

}  // namespace

std::unique_ptr<Mover> make_plain_mover(const std::string& address, std::size_t block_size, bool stream) {
  return std::make_unique<PlainMover>(address, block_size, stream);
}

int plain_server_main() {
  const bench::TemporaryFolder folder;
  const std::string path = folder.path() + "/plain";
  for (const char* const transport : {"tcp", "unix"}) {
    char address[256];
    const int listener = plain_listen(transport, path.c_str(), address, sizeof address);
    check(listener);
    std::thread(serve, listener).detach();
    std::cout << transport << ' ' << address << '\n';
  }
  std::cout << "ready" << std::endl;
  await_end_of_input();
  return 0;
}

}  // namespace demo
