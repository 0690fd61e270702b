// SPDX-License-Identifier: Apache-2.0
// sensors_client install STATION   installs a sensor, watches it change and prints its reference
// sensors_client read SENSOR       asks a sensor that was installed before
// sensors_client close STATION     ends the server
#include <corbel/corbel.hpp>

#include <iostream>

#include "sensors_server.hpp"

class Watcher : public virtual CORBA::servant_traits<Sensors::Observer>::base_type {
 public:
  explicit Watcher(IDL::traits<Sensors::Station>::ref_type station) : station_(station) {}

  /// Runs in a thread of the ORB while main() waits for its own call; calling back is allowed.
  void changed(const std::string& sensor, double value) override {
    std::cerr << sensor << " changed to " << value << ", says " << station_->find(sensor)->name() << '\n';
  }

 private:
  IDL::traits<Sensors::Station>::ref_type station_;
};

void install(IDL::traits<CORBA::ORB>::ref_type orb, IDL::traits<Sensors::Station>::ref_type station) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();  // or else the station waits for us to take its call
  station->subscribe(CORBA::make_reference<Watcher>(station)->_this());

  auto sensor = station->install("wind");
  sensor->value(3.5);
  try {
    station->find("rain");
  } catch (const Sensors::Unknown& unknown) {
    std::cerr << "no sensor " << unknown.name() << '\n';
  }
  std::cout << orb->object_to_string(sensor) << '\n';
}

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "install" && what != "read" && what != "close") {
    std::cerr << "usage: sensors_client install|read|close REFERENCE\n";
    return 2;
  }
  auto object = orb->string_to_object(argv[2]);
  auto station = what == "read" ? nullptr : IDL::traits<Sensors::Station>::narrow(object);
  auto sensor = what == "read" ? IDL::traits<Sensors::Sensor>::narrow(object) : nullptr;
  if (!station && !sensor) {
    std::cerr << "client: that is a reference to something else\n";
    return 1;
  }
  if (what == "install") install(orb, station);
  if (what == "read") std::cout << sensor->name() << " is " << sensor->value() << '\n';
  if (what == "close") station->close();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
