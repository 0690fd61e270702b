// SPDX-License-Identifier: Apache-2.0
// The client's side of the interface in image.idl.
#include "demo/mover.hpp"
#include "image.hpp"

namespace demo {
namespace {

class CorbelMover final : public Mover {
 public:
  explicit CorbelMover(IDL::traits<Imaging::ImageServer>::ref_type server) : server_(std::move(server)) {}

  void prepare(const File& file) override { server_->create(file.name, file.size); }

  void upload(const File& file) override {
    Imaging::Extent offset = 0;
    for (const Block& block : file.blocks) {
      server_->put(file.name, offset, block);
      offset += block.size();
    }
  }

  void download(const File& file, std::vector<Block>& blocks) override {
    Imaging::Extent offset = 0;
    for (Block& block : blocks) {
      const std::size_t length = block.size();
      server_->get(file.name, offset, static_cast<std::uint32_t>(length), block);
      if (block.size() != length) throw std::runtime_error("a block has the wrong size");
      offset += length;
    }
  }

  bool arrived(const File& file) override { return server_->digest(file.name) == file.digest; }
  void forget(const File& file) override { server_->remove(file.name); }
  void ping() override { server_->ping(); }

 private:
  IDL::traits<Imaging::ImageServer>::ref_type server_;
};

}  // namespace

std::unique_ptr<Mover> make_corbel_mover(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& reference) {
  auto server = IDL::traits<Imaging::ImageServer>::narrow(orb->string_to_object(reference));
  if (!server) throw std::runtime_error("the reference leads to no image server");
  return std::make_unique<CorbelMover>(std::move(server));
}

}  // namespace demo
