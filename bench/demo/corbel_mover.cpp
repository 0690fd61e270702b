// SPDX-License-Identifier: Apache-2.0
// The client's side of the interface in image.idl.
#include <algorithm>

#include "demo/mover.hpp"
#include "image.hpp"

namespace demo {
namespace {

class CorbelMover final : public Mover {
 public:
  CorbelMover(IDL::traits<Imaging::ImageServer>::ref_type server, std::size_t block_size)
      : server_(std::move(server)), block_size_(block_size) {}

  void prepare(const File& file) override { server_->create(file.name, file.size); }

  void upload(const File& file) override {
    Imaging::Extent offset = 0;
    for (const Block& block : file.blocks) {
      server_->put(file.name, offset, block);
      offset += block.size();
    }
  }

  void download(const File& file, std::span<std::uint8_t> octets) override {
    for (std::size_t offset = 0; offset < octets.size(); offset += block_size_) {
      const std::size_t length = std::min(block_size_, octets.size() - offset);
      const Imaging::Octets block = server_->get(file.name, offset, static_cast<std::uint32_t>(length));
      if (block.size() != length) throw std::runtime_error("a block has the wrong size");
      std::copy(block.begin(), block.end(), octets.begin() + static_cast<std::ptrdiff_t>(offset));
    }
  }

  bool arrived(const File& file) override { return server_->digest(file.name) == file.digest; }
  void forget(const File& file) override { server_->remove(file.name); }
  void ping() override { server_->ping(); }

 private:
  IDL::traits<Imaging::ImageServer>::ref_type server_;
  std::size_t block_size_;
};

}  // namespace

std::unique_ptr<Mover> make_corbel_mover(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& reference,
                                         std::size_t block_size) {
  auto server = IDL::traits<Imaging::ImageServer>::narrow(orb->string_to_object(reference));
  if (!server) throw std::runtime_error("the reference leads to no image server");
  return std::make_unique<CorbelMover>(std::move(server), block_size);
}

}  // namespace demo
