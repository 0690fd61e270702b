// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>
#include <corbel/poa/lane_policy.hpp>

#include <condition_variable>
#include <iostream>
#include <mutex>

#include "RTCORBA.hpp"
#include "corbel_real_time.hpp"
#include "plant_server.hpp"

using CurrentRef = IDL::traits<RTCORBA::Current>::ref_type;

class Valve : public virtual CORBA::servant_traits<Plant::Valve>::base_type {
 public:
  explicit Valve(CurrentRef current) : current_(current) {}
  int16_t close() override { return current_->the_priority(); }

 private:
  CurrentRef current_;
};

class Archive : public virtual CORBA::servant_traits<Plant::Archive>::base_type {
 public:
  explicit Archive(CurrentRef current) : current_(current) {}
  int16_t read() override {
    std::unique_lock lock(mutex_);
    stopped_.wait(lock, [&] { return over_; });
    return current_->the_priority();
  }
  void stop() override {
    const std::lock_guard lock(mutex_);
    over_ = true;
    stopped_.notify_all();
  }

 private:
  CurrentRef current_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool over_ = false;
};

class Control : public virtual CORBA::servant_traits<Plant::Control>::base_type {
 public:
  Control(IDL::traits<CORBA::ORB>::ref_type orb, IDL::traits<Plant::Valve>::ref_type alarm,
          IDL::traits<Plant::Valve>::ref_type valve, IDL::traits<Plant::Archive>::ref_type archive)
      : orb_(orb), alarm_(alarm), valve_(valve), archive_(archive) {}
  IDL::traits<Plant::Valve>::ref_type the_alarm() override { return alarm_; }
  IDL::traits<Plant::Valve>::ref_type the_valve() override { return valve_; }
  IDL::traits<Plant::Archive>::ref_type the_archive() override { return archive_; }
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<Plant::Valve>::ref_type alarm_;
  IDL::traits<Plant::Valve>::ref_type valve_;
  IDL::traits<Plant::Archive>::ref_type archive_;
};

int main(int argc, char* argv[]) try {
  corbel::real_time::RealTime real_time;
  auto orb = CORBA::ORB_init(argc, argv);  // with -ORBLane urgent:2=... and -ORBLane bulk:3=...
  auto rt = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  auto current = IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto manager = root->the_POAManager();

  // An adapter has threads and endpoints of its own (the lane), and its servants a priority (the model).
  auto adapter = [&](const char* name, const char* lane, RTCORBA::PriorityModel model, RTCORBA::Priority priority) {
    return root->create_POA(
        name, manager,
        {CORBA::make_reference<corbel::poa::LanePolicy>(lane), rt->create_priority_model_policy(model, priority)});
  };
  auto alarms = adapter("alarms", "urgent", RTCORBA::PriorityModel::SERVER_DECLARED, 30000);
  auto valves = adapter("valves", "urgent", RTCORBA::PriorityModel::CLIENT_PROPAGATED, 100);
  auto archives = adapter("archives", "bulk", RTCORBA::PriorityModel::SERVER_DECLARED, 10);

  auto alarm = IDL::traits<Plant::Valve>::narrow(
      alarms->id_to_reference(alarms->activate_object(CORBA::make_reference<Valve>(current))));
  auto valve = IDL::traits<Plant::Valve>::narrow(
      valves->id_to_reference(valves->activate_object(CORBA::make_reference<Valve>(current))));
  auto archive = IDL::traits<Plant::Archive>::narrow(
      archives->id_to_reference(archives->activate_object(CORBA::make_reference<Archive>(current))));
  auto control = CORBA::make_reference<Control>(orb, alarm, valve, archive);
  auto reference = control->_this();
  manager->activate();

  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
