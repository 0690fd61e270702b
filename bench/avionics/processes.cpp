// SPDX-License-Identifier: Apache-2.0
#include "avionics/processes.hpp"

#include <corbel/builtins/builtins.hpp>

#include <csignal>
#include <iostream>
#include <utility>

#include "avionics/content.hpp"

namespace avionics {
namespace {

Orb make_orb(const std::string& id, std::vector<std::string> words, const corbel::orb::Components& components) {
  words.insert(words.begin(), id);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return CORBA::ORB_init(argc, argv.data(), id, components);
}

/// A sensor and an actuator.
class RemoteTerminal final : public CORBA::servant_traits<Avionics::RemoteTerminal>::base_type {
 public:
  Avionics::AirData sample(std::uint32_t activation) override {
    ++samples_;
    Avionics::Readings channels{};
    for (std::size_t i = 0; i < channels.size(); ++i) channels[i] = air_data(activation, i);
    return Avionics::AirData(activation, channels);
  }
  std::int16_t move(std::uint32_t activation, std::int16_t to) override {
    ++moves_;
    if (to != position(activation)) ++wrong_;
    return to;
  }
  Avionics::Tally done() override { return Avionics::Tally(samples_, moves_, wrong_); }

 private:
  std::atomic<std::uint64_t> samples_{0};
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<std::uint64_t> wrong_{0};
};

}  // namespace

Serving::Serving(const std::string& id, const std::vector<std::string>& options)
    : Serving(id, options, corbel::builtins::components()) {}

Serving::Serving(const std::string& id, const std::vector<std::string>& options,
                 const corbel::orb::Components& components)
    : orb_(make_orb(id, options, components)),
      poa_(IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"))) {
  poa_->the_POAManager()->activate();
}

Serving::~Serving() {
  orb_->destroy();
}

std::string Serving::add(IDL::traits<PortableServer::Servant>::ref_type servant) {
  return orb_->object_to_string(poa_->id_to_reference(poa_->activate_object(std::move(servant))));
}

void await_end_of_input() {
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

int terminal_main(const std::string& plugin, const std::string& endpoint) {
  std::signal(SIGINT, SIG_IGN);  // board A ends, and the input with it
  Serving serving("terminal", {"-ORBLoad", plugin, "-ORBListenEndpoints", endpoint});
  std::cout << serving.add(CORBA::make_reference<RemoteTerminal>()) << std::endl;
  await_end_of_input();
  return 0;
}

// --- board A ---

class BoardA::Servant final : public CORBA::servant_traits<Avionics::Board>::base_type {
 public:
  explicit Servant(Received& received) : received_(received) {}

  Avionics::Attitude exchange(const Avionics::Attitude& of_b) override {
    Avionics::Angles axes{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (of_b.axes()[i] != attitude(of_b.activation(), i, 1)) ++received_.wrong;
      axes[i] = attitude(of_b.activation(), i, 0);
    }
    return Avionics::Attitude(of_b.activation(), axes);
  }
  void store(std::uint32_t number, const Avionics::Octets& block) override {
    // They come one after the other, each once.
    if (received_.blocks++ != number || block != blocks_[number]) ++received_.wrong;
  }

 private:
  Received& received_;
  const Blocks blocks_{kBlockSize};
};

BoardA::BoardA(const std::string& plugin, const std::string& terminal)
    : board_("board A", {"-ORBLoad", plugin, "-ORBListenEndpoints", "shm://"}),
      bridging_("bridge", {"-ORBLoad", plugin, "-ORBListenEndpoints", "shm://"},
                bridge_.components(corbel::builtins::components())),
      terminal_(IDL::traits<Avionics::RemoteTerminal>::narrow(board_.orb()->string_to_object(terminal))),
      bridged_(bridge_.add(*bridging_.orb(), terminal)),
      reference_(board_.add(CORBA::make_reference<Servant>(received_))) {}

BoardA::~BoardA() {
  terminal_ = nullptr;
}

Flow BoardA::fly(const Sortie& sortie) {
  Flow flow{.name = "A reads the sensor", .way = "giop_lite, field bus", .period = kMinorFrame};
  avionics::fly(flow, sortie, [&](std::uint32_t activation) {
    const Avionics::AirData data = terminal_->sample(activation);
    bool right = data.activation() == activation;
    for (std::size_t i = 0; i < data.channels().size(); ++i) {
      right = right && data.channels()[i] == air_data(activation, i);
    }
    return right;
  });
  return flow;
}

Avionics::Tally BoardA::tally() {
  return terminal_->done();
}

}  // namespace avionics
