// SPDX-License-Identifier: Apache-2.0
// A device as the Tango control system's clients know them: one temperature, one set point, some commands. Prints its
// port and serves until it is told to end.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <corbel/corbel.hpp>
#include <corbel/orb/orb.hpp>
#include <iostream>
#include <mutex>

#include "tango_any.hpp"
#include "tango_server.hpp"

namespace {

namespace tango_type {
constexpr std::int32_t kVoid = 0, kDouble = 5, kString = 8, kDoubleArray = 13;  // as Tango numbers them
}

Tango::DevFailed failed(const std::string& reason, const std::string& text) {
  return Tango::DevFailed({Tango::DevError(reason, Tango::ErrSeverity::ERR, text, "Oven")});
}

class Oven final : public virtual CORBA::servant_traits<Tango::Device>::base_type {
 public:
  Oven(std::string name, IDL::traits<CORBA::ORB>::ref_type orb) : name_(std::move(name)), orb_(std::move(orb)) {}

  std::string name() override { return name_; }
  std::string description() override { return "an oven"; }
  Tango::DevState state() override { return set_point_ > 20 ? Tango::DevState::ON : Tango::DevState::OFF; }
  std::string status() override { return "The oven is " + std::string(set_point_ > 20 ? "on" : "off"); }
  std::string adm_name() override { return "dserver/Oven/one"; }

  CORBA::Any command_inout(const std::string& command, const CORBA::Any& argin) override {
    note("command_inout " + command);
    CORBA::Any result;
    if (command == "State") {
      result <<= state();
    } else if (command == "Status") {
      result <<= status();
    } else if (command == "Label") {
      std::string text;
      if (!(argin >>= text)) throw failed("API_IncompatibleCmdArgumentType", "Label takes a string");
      result <<= "oven " + text;
    } else if (command == "Mean") {
      Tango::DevVarDoubleArray all;
      if (!(argin >>= all)) throw failed("API_IncompatibleCmdArgumentType", "Mean takes an array of double");
      double sum = 0;
      for (const double one : all) sum += one;
      result <<= all.empty() ? 0.0 : sum / static_cast<double>(all.size());
    } else if (command == "Init") {
      set_point_ = 20;
    } else if (command == "End") {
      orb_->shutdown(false);
    } else {
      throw failed("API_CommandNotFound", "no command " + command);
    }
    return result;
  }
  Tango::AttributeConfigList get_attribute_config(const Tango::DevVarStringArray& names) override {
    note("get_attribute_config");
    Tango::AttributeConfigList all;
    for (const std::string& name : names.size() == 1 && names[0] == "All attributes" ? kNames : names) {
      Tango::AttributeConfig one;
      one.name(known(name));
      one.writable(is_set_point(name) ? Tango::AttrWriteType::READ_WRITE : Tango::AttrWriteType::READ);
      one.data_type(tango_type::kDouble);
      one.max_dim_x(1);
      one.label(name);
      one.unit("degC");
      one.format("%6.2f");
      for (auto* limit : {&one.min_value(), &one.max_value(), &one.min_alarm(), &one.max_alarm()})
        *limit = "Not specified";
      one.writable_attr_name(is_set_point(name) ? name : "None");
      all.push_back(std::move(one));
    }
    return all;
  }
  void set_attribute_config(const Tango::AttributeConfigList&) override {
    throw failed("API_NotSupported", "not here");
  }
  Tango::AttributeValueList read_attributes(const Tango::DevVarStringArray& names) override {
    note("read_attributes");
    Tango::AttributeValueList all;
    for (const std::string& name : names) {
      CORBA::Any value;
      value <<= Tango::DevVarDoubleArray{set_point_ - (is_set_point(known(name)) ? 0 : 0.25)};
      value.type(Tango::_tc_DevVarDoubleArray);  // Tango's clients look behind the typedef, and only there
      all.emplace_back(value, Tango::AttrQuality::ATTR_VALID, now(), name, 1, 0);
    }
    return all;
  }
  void write_attributes(const Tango::AttributeValueList& values) override {
    note("write_attributes");
    for (const auto& one : values) {
      Tango::DevVarDoubleArray value;
      if (!is_set_point(known(one.name()))) throw failed("API_AttrNotWritable", one.name() + " cannot be written");
      if (!(one.value() >>= value) || value.size() != 1)
        throw failed("API_IncompatibleAttrDataType", "one double is wanted");
      if (value[0] > 250) throw failed("API_WAttrOutsideLimit", "no oven is so hot");
      set_point_ = value[0];
    }
  }
  void ping() override { note("ping"); }
  Tango::DevVarStringArray black_box(std::int32_t n) override {
    const std::lock_guard lock(mutex_);
    const auto count = std::min<std::size_t>(seen_.size(), n < 0 ? 0 : static_cast<std::size_t>(n));
    return {seen_.rbegin(), seen_.rbegin() + static_cast<std::ptrdiff_t>(count)};
  }
  Tango::DevInfo info() override { return Tango::DevInfo("Oven", "Oven/one", "localhost", 1, "none"); }
  Tango::DevCmdInfoList command_list_query() override {
    using namespace tango_type;
    return {Tango::DevCmdInfo("Label", 0, kString, kString, "what to add", "all of it"),
            Tango::DevCmdInfo("Mean", 0, kDoubleArray, kDouble, "numbers", "their mean"),
            Tango::DevCmdInfo("Init", 0, kVoid, kVoid, "nothing", "nothing"),
            Tango::DevCmdInfo("End", 0, kVoid, kVoid, "nothing", "nothing")};
  }
  Tango::DevCmdInfo command_query(const std::string& command) override {
    for (const auto& one : command_list_query()) {
      if (one.cmd_name() == command) return one;
    }
    throw failed("API_CommandNotFound", "no command " + command);
  }

 private:
  static bool is_set_point(const std::string& name) { return name == kNames[1]; }
  static const std::string& known(const std::string& name) {
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
      throw failed("API_AttrNotFound", "no attribute " + name);
    return name;
  }
  static Tango::TimeVal now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
    return Tango::TimeVal(static_cast<std::int32_t>(microseconds / 1'000'000),
                          static_cast<std::int32_t>(microseconds % 1'000'000), 0);
  }
  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(what);
  }

  static const Tango::DevVarStringArray kNames;
  const std::string name_;
  const IDL::traits<CORBA::ORB>::ref_type orb_;
  std::atomic<double> set_point_{20};
  std::mutex mutex_;
  std::vector<std::string> seen_;
};

const Tango::DevVarStringArray Oven::kNames = {"temperature", "set_point"};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: " << argv[0] << " NAME\n", 2;
  ::alarm(120);
  std::vector<std::string> arguments = {"-ORBListenEndpoints", "tcp://127.0.0.1:0"};
  const auto orb = CORBA::ORB_init(arguments);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto oven = CORBA::make_reference<Oven>(argv[1], orb);
  const auto device = oven->_this();
  orb->register_initial_reference(argv[1], device);  // its clients ask corbaloc::HOST:PORT/NAME
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(device) << std::endl;
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  orb->destroy();
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 2;
}
