// SPDX-License-Identifier: Apache-2.0
// pcap and pcapng files, as `corbel tap --read` takes them.
#include "tools/corbel/capture.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel::tool;
  static const int memory = ::memfd_create("capture", 0);
  if (::ftruncate(memory, 0) != 0 || ::pwrite(memory, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  std::size_t octets = 0;
  try {
    CaptureReader reader("/proc/self/fd/" + std::to_string(memory));
    reader.read([&](const CaptureReader::Piece& piece) {
      if (piece.ends.number == 0) std::abort();
      octets += piece.octets.size();
    });
  } catch (const std::runtime_error&) {  // no such file
  }
  // Nothing is given twice: TCP's octets are in the file.
  if (octets > size) std::abort();
  return 0;
}
