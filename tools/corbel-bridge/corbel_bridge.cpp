// SPDX-License-Identifier: Apache-2.0
// corbel-bridge: an in-line bridge as a process.
#include <iostream>

#include "arguments.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corbel.hpp"
#include "idl_signatures.hpp"
#include "process.hpp"

namespace corbel::bridge {
namespace {

IDL::traits<CORBA::ORB>::ref_type make_orb(const Arguments& arguments, const Bridge& bridge) {
  std::vector<std::string> words{"corbel-bridge"};
  for (const auto& endpoint : arguments.listen) words.insert(words.end(), {"-ORBListenEndpoints", endpoint});
  words.insert(words.end(), arguments.orb.begin(), arguments.orb.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return CORBA::ORB_init(argc, argv.data(), "corbel-bridge", bridge.components(builtins::components()));
}

std::string add_all(const Arguments& arguments, Bridge& bridge, CORBA::ORB& orb) {
  std::string references;
  for (const To& to : arguments.to) references += bridge.add(orb, to.reference, to.key) + '\n';
  return references;
}

int serve(Arguments& arguments) {
  const sigset_t signals = process::block_signals();
  if (!arguments.files.idl.empty()) arguments.settings.signatures = std::make_shared<IdlSignatures>(arguments.files);
  Bridge bridge(arguments.settings);
  const auto orb = make_orb(arguments, bridge);
  try {
    const std::string references = add_all(arguments, bridge, *orb);
    if (!arguments.publish.empty()) process::write_file(arguments.publish, references);
    std::cout << references << std::flush;
  } catch (...) {
    orb->destroy();
    throw;
  }
  process::run_until(signals, *orb);
  const Counts counts = bridge.counts();
  std::cout << "forwarded " << counts.forwarded << ", bodies by types " << counts.by_types << ", refused "
            << counts.failed << ", cancelled " << counts.cancelled << ", references " << counts.references << std::endl;
  return 0;
}

int run(const std::vector<std::string>& line) {
  Arguments arguments;
  if (const auto stop = read_arguments(line, arguments)) {
    (stop->status == 0 ? std::cout : std::cerr) << stop->text;
    return stop->status;
  }
  return serve(arguments);
}

}  // namespace
}  // namespace corbel::bridge

int main(int argc, char** argv) {
  corbel::process::give_back_large_blocks();
  try {
    return corbel::bridge::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "corbel-bridge: " << failure.what() << '\n';
    return 1;
  }
}
