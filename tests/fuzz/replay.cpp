// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over a corpus without libFuzzer: replay FOLDER. Each input is tried whole, cut at every length (in
// steps when it is long), and with single octets replaced. Fails if the folder holds no input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

// At most this many truncations, and as many places to mutate, of one input.
constexpr std::size_t kPlaces = 512;

Input read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t ran = 0;

// A copy of exactly its size, so that AddressSanitizer sees a read beyond the end.
void run(Input input) {
  input.shrink_to_fit();
  ++ran;
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

void run_with_mutations(const Input& input) {
  run(input);
  const std::size_t step = input.size() / kPlaces + 1;
  for (std::size_t place = 0; place < input.size(); place += step) {
    run(Input(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(place)));
    for (const int octet : {0x00, 0x7f, 0x80, 0xff}) {
      Input mutated = input;
      mutated[place] = static_cast<std::uint8_t>(octet);
      run(std::move(mutated));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: replay FOLDER\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) run_with_mutations(read(file));
  std::printf("%zu inputs replayed\ncounted: %zu hostile inputs\n", files.size(), ran);
  return files.empty() ? 1 : 0;
}
