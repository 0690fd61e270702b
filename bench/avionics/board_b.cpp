// SPDX-License-Identifier: Apache-2.0
// Board B: three periodic flows and a bulk transfer, each over a connection of its own.
#include <csignal>
#include <iostream>
#include <memory>
#include <thread>

#include "avionics.hpp"
#include "avionics/content.hpp"
#include "avionics/processes.hpp"

namespace avionics {
namespace {

using BoardRef = IDL::traits<Avionics::Board>::ref_type;
using TerminalRef = IDL::traits<Avionics::RemoteTerminal>::ref_type;

const char* const kBridged = "backplane, bridge, field bus";
const char* const kBackplane = "backplane";

/// An ORB of one flow's own, and so a connection: nothing waits behind a block of the bulk transfer.
class Link {
 public:
  explicit Link(const std::string& id) : serving_(id, {"-ORBListenEndpoints", "shm://"}) {}
  template <class Interface>
  typename IDL::traits<Interface>::ref_type to(const std::string& reference) const {
    return IDL::traits<Interface>::narrow(serving_.orb()->string_to_object(reference));
  }

 private:
  Serving serving_;
};

Flow read_sensor(const Sortie& sortie, const TerminalRef& terminal) {
  Flow flow{.name = "B reads the sensor", .way = kBridged, .period = kMinorFrame};
  fly(flow, sortie, [&](std::uint32_t activation) {
    const Avionics::AirData data = terminal->sample(activation);
    bool right = data.activation() == activation;
    for (std::size_t i = 0; i < data.channels().size(); ++i) {
      right = right && data.channels()[i] == air_data(activation, i);
    }
    return right;
  });
  return flow;
}

Flow move_actuator(const Sortie& sortie, const TerminalRef& terminal) {
  Flow flow{.name = "B moves the actuator", .way = kBridged, .period = kMajorFrame};
  fly(flow, sortie, [&](std::uint32_t activation) {
    return terminal->move(activation, position(activation)) == position(activation);
  });
  return flow;
}

Flow exchange_attitude(const Sortie& sortie, const BoardRef& board) {
  Flow flow{.name = "B and A tell attitudes", .way = kBackplane, .period = kMinorFrame};
  fly(flow, sortie, [&](std::uint32_t activation) {
    Avionics::Angles axes{};
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = attitude(activation, i, 1);
    const Avionics::Attitude of_a = board->exchange(Avionics::Attitude(activation, axes));
    bool right = of_a.activation() == activation;
    for (std::size_t i = 0; i < axes.size(); ++i) right = right && of_a.axes()[i] == attitude(activation, i, 0);
    return right;
  });
  return flow;
}

Bulk transfer(const Sortie& sortie, const BoardRef& board) {
  const Blocks blocks(kBlockSize);
  Bulk bulk;
  std::this_thread::sleep_until(sortie.begin);
  const auto begin = Steady::now();
  try {
    for (std::uint32_t number = 0; Steady::now() < sortie.begin + sortie.length; ++number) {
      board->store(number, blocks[number]);
      ++bulk.blocks;
      bulk.octets += kBlockSize;
    }
  } catch (const CORBA::Exception& exception) {
    bulk.why = exception.what();
  }
  bulk.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  return bulk;
}

}  // namespace

int board_b_main(const std::string& terminal, const std::string& board_a) {
  std::signal(SIGINT, SIG_IGN);  // board A ends, and the input with it
  const Link sensor_link("sensor"), actuator_link("actuator"), attitude_link("attitude"), bulk_link("bulk");
  const auto sensor = sensor_link.to<Avionics::RemoteTerminal>(terminal);
  const auto actuator = actuator_link.to<Avionics::RemoteTerminal>(terminal);
  const auto attitudes = attitude_link.to<Avionics::Board>(board_a);
  const auto store = bulk_link.to<Avionics::Board>(board_a);
  std::cout << "ready" << std::endl;
  std::int64_t begin = 0;
  std::int64_t milliseconds = 0;
  if (!(std::cin >> begin >> milliseconds)) return 0;  // there will be no sortie
  const Sortie sortie{Steady::time_point(std::chrono::nanoseconds(begin)), std::chrono::milliseconds(milliseconds)};

  Flow sensed, moved, told;
  Bulk bulk;
  {
    std::thread sensing([&] { sensed = read_sensor(sortie, sensor); });
    std::thread moving([&] { moved = move_actuator(sortie, actuator); });
    std::thread telling([&] { told = exchange_attitude(sortie, attitudes); });
    bulk = transfer(sortie, store);
    for (auto* thread : {&sensing, &moving, &telling}) thread->join();
  }
  for (const Flow* flow : {&sensed, &moved, &told}) std::cout << to_line(*flow) << '\n';
  std::cout << to_line(bulk) << std::endl;
  await_end_of_input();
  return 0;
}

}  // namespace avionics
