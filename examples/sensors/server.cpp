// SPDX-License-Identifier: Apache-2.0
// A station of sensors that outlive the server and clients that are told of changes.
#include <corbel/corbel.hpp>

#include <iostream>
#include <map>
#include <mutex>
#include <vector>

#include "sensors_server.hpp"

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObserverRef = IDL::traits<Sensors::Observer>::ref_type;
using SensorRef = IDL::traits<Sensors::Sensor>::ref_type;

/// What is known of all sensors, and which clients want to know. Used by several threads.
class Board {
 public:
  bool has(const std::string& sensor) const {
    const std::lock_guard lock(mutex_);
    return values_.contains(sensor);
  }
  double value(const std::string& sensor) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(sensor);
    return found == values_.end() ? 0 : found->second;
  }
  void install(const std::string& sensor) {
    const std::lock_guard lock(mutex_);
    values_.try_emplace(sensor);
  }
  void subscribe(const ObserverRef& who) {
    const std::lock_guard lock(mutex_);
    observers_.push_back(who);
  }

  /// Observers are called without the lock: they may call back, and may take their time.
  void change(const std::string& sensor, double value) {
    std::vector<ObserverRef> observers;
    {
      const std::lock_guard lock(mutex_);
      values_[sensor] = value;
      observers = observers_;
    }
    for (const auto& observer : observers) {
      try {
        observer->changed(sensor, value);
      } catch (const CORBA::SystemException& gone) {
        std::cerr << "server: an observer is dropped: " << gone << '\n';
        const std::lock_guard lock(mutex_);
        std::erase(observers_, observer);
      }
    }
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> values_;
  std::vector<ObserverRef> observers_;
};

/// One servant for all sensors: the id of the object that is called is the sensor's name.
class SensorServant : public virtual CORBA::servant_traits<Sensors::Sensor>::base_type {
 public:
  SensorServant(Board& board, IDL::traits<PortableServer::Current>::ref_type current)
      : board_(board), current_(current) {}

  std::string name() override { return PortableServer::ObjectId_to_string(current_->get_object_id()); }
  double value() override { return board_.value(name()); }
  void value(double value) override { board_.change(name(), value); }

 private:
  Board& board_;
  IDL::traits<PortableServer::Current>::ref_type current_;
};

class StationServant : public virtual CORBA::servant_traits<Sensors::Station>::base_type {
 public:
  StationServant(Board& board, OrbRef orb, PoaRef sensors) : board_(board), orb_(orb), sensors_(sensors) {}

  SensorRef install(const std::string& name) override {
    board_.install(name);
    return reference(name);
  }
  SensorRef find(const std::string& name) override {
    if (!board_.has(name)) throw Sensors::Unknown(name);
    return reference(name);
  }
  void subscribe(ObserverRef who) override {
    if (!who) throw CORBA::BAD_PARAM();
    board_.subscribe(who);
  }
  void close() override { orb_->shutdown(false); }

 private:
  SensorRef reference(const std::string& name) {
    return IDL::traits<Sensors::Sensor>::narrow(sensors_->create_reference_with_id(
        PortableServer::string_to_ObjectId(name), std::string(Sensors::Sensor::_interface_id)));
  }

  Board& board_;
  OrbRef orb_;
  PoaRef sensors_;
};

/// References made by this adapter say its name and the sensor's: a server that is started again at the same endpoint
/// serves them.
PoaRef make_sensor_poa(PoaRef root) {
  using namespace PortableServer;
  return root->create_POA("sensors", root->the_POAManager(),
                          {root->create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
                           root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
                           root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
                           root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
                           root->create_request_processing_policy(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
}

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto current = IDL::traits<PortableServer::Current>::narrow(orb->resolve_initial_references("POACurrent"));

  Board board;
  auto sensors = make_sensor_poa(root);
  sensors->set_servant(CORBA::make_reference<SensorServant>(board, current));
  auto station = CORBA::make_reference<StationServant>(board, orb, sensors)->_this();
  orb->register_initial_reference("Station", station);  // corbaloc::host:port/Station
  root->the_POAManager()->activate();

  std::cout << orb->object_to_string(station) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
