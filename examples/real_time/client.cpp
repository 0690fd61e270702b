// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <future>
#include <iostream>

#include "RTCORBA.hpp"
#include "corbel_real_time.hpp"
#include "plant.hpp"

int main(int argc, char* argv[]) try {
  corbel::real_time::RealTime real_time;
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: real_time_client REFERENCE\n";
    return 2;
  }
  auto current = IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));
  auto control = IDL::traits<Plant::Control>::narrow(orb->string_to_object(argv[1]));
  auto archive = control->the_archive();

  // Two of the three threads that the archive has are busy until stop().
  auto read = [&] { return archive->read(); };
  std::future<int16_t> readers[] = {std::async(std::launch::async, read), std::async(std::launch::async, read)};

  current->the_priority(500);
  std::cout << "alarm: " << control->the_alarm()->close() << '\n';
  std::cout << "valve: " << control->the_valve()->close() << '\n';
  current->the_priority(600);
  std::cout << "valve: " << control->the_valve()->close() << '\n';

  archive->stop();
  for (auto& reader : readers) std::cout << "archive: " << reader.get() << '\n';
  control->shutdown();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
