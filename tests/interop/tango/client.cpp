// SPDX-License-Identifier: Apache-2.0
// A Corbel client of TangoTest, the device that comes with the Tango control system, by its address alone.
#include <algorithm>
#include <corbel/corbel.hpp>
#include <iostream>
#include <string>
#include <thread>

#include "../report.hpp"
#include "tango_any.hpp"

namespace {

using interop::require;
using DeviceRef = IDL::traits<Tango::Device_5>::ref_type;

std::string describe() {
  try {
    throw;
  } catch (const Tango::DevFailed& failed) {
    return "DevFailed: " +
           (failed.errors().empty() ? "" : failed.errors().front().reason() + ": " + failed.errors().front().desc());
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

/// TangoTest's commands give back what they are given.
template <class T>
void echo(const DeviceRef& device, const std::string& command, const T& value) {
  CORBA::Any given;
  given <<= value;
  T back{};
  const CORBA::Any result = device->command_inout(command, given);
  require(result >>= back, command + ": its type is " + std::to_string(static_cast<int>(result.type()->kind())));
  require(back == value, command + ": another value");
}

/// "REASON" of what the device refuses.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
    return "nothing refused";
  } catch (const Tango::DevFailed& failed) {
    require(!failed.errors().empty() && !failed.errors().front().desc().empty(), "no error in the exception");
    return failed.errors().front().reason();
  }
}

template <class T>
T read(const DeviceRef& device, const std::string& name) {
  const auto values = device->read_attributes({name});
  require(values.size() == 1 && values[0].name() == name, "one value of that name");
  require(values[0].quality() == Tango::AttrQuality::ATTR_VALID, "a valid value");
  T value{};
  require(values[0].value() >>= value, name + ": another type");
  return value;
}

void run(interop::Report& report, const DeviceRef& device, const std::string& name) {
  report.run("type and existence", [&] {
    require(device->_is_a("IDL:Tango/Device:1.0") && device->_is_a("IDL:Tango/Device_5:1.0"), "its types");
    require(!device->_is_a("IDL:Tango/Device_99:1.0") && !device->_non_existent(), "not others");
  });
  report.run("attributes of the interface", [&] {
    require(device->name() == name, device->name());
    require(device->state() == Tango::DevState::RUNNING, "its state");
    require(device->status().find("RUNNING") != std::string::npos, device->status());
    require(!device->description().empty() && device->adm_name().find("dserver/TangoTest/") != std::string::npos,
            device->adm_name());
  });
  report.run("info and ping", [&] {
    device->ping();
    const Tango::DevInfo info = device->info();
    require(info.dev_class() == "TangoTest" && info.server_version() >= 5, info.dev_class());
  });
  report.run("list of commands", [&] {
    const auto all = device->command_list_query();
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.cmd_name() == "DevVarLongStringArray"; });
    require(all.size() > 20 && found != all.end(), "what is missing");
    require(found->in_type() == found->out_type() && device->command_query("DevString").in_type() != found->in_type(),
            "types");
  });
  report.run("commands, basic types in Anys", [&] {
    echo(device, "DevBoolean", true);
    echo(device, "DevShort", std::int16_t{-12345});
    echo(device, "DevLong", std::int32_t{-1234567890});
    echo(device, "DevLong64", std::int64_t{-1234567890123456789});
    echo(device, "DevUShort", std::uint16_t{65000});
    echo(device, "DevULong", std::uint32_t{4000000000U});
    echo(device, "DevULong64", std::uint64_t{12345678901234567890U});
    echo(device, "DevFloat", 0.1F);
    echo(device, "DevDouble", -1.0e-300);
    echo(device, "DevString",
         std::string("gr\xfc\xdf"
                     "e"));
  });
  report.run("commands, sequences and structs in Anys", [&] {
    echo(device, "DevVarShortArray", Tango::DevVarShortArray{1, -2, 3});
    echo(device, "DevVarLongArray", Tango::DevVarLongArray(10'000, -7));
    echo(device, "DevVarDoubleArray", Tango::DevVarDoubleArray{0.5, -1e300});
    echo(device, "DevVarCharArray", Tango::DevVarCharArray(1'000'000, 0xa5));
    echo(device, "DevVarStringArray", Tango::DevVarStringArray{"", "a", std::string(70'000, 'x')});
    echo(device, "DevVarLongStringArray", Tango::DevVarLongStringArray({1, 2}, {"one", "two"}));
    echo(device, "DevVarDoubleStringArray", Tango::DevVarDoubleStringArray({1.5}, {"and a half", ""}));
  });
  report.run("a command without argument and result", [&] { (void)device->command_inout("DevVoid", CORBA::Any()); });
  report.run("refusals are DevFailed, with all that it says", [&] {
    require(refusal([&] { (void)device->command_inout("NoSuchCommand", CORBA::Any()); }) == "API_CommandNotFound",
            "no such command");
    CORBA::Any wrong;
    wrong <<= std::int32_t{1};
    require(refusal([&] { (void)device->command_inout("DevString", wrong); }) == "API_IncompatibleCmdArgumentType",
            "of another type");
    require(refusal([&] { (void)device->read_attributes({"no_such_attribute"}); }) == "API_AttrNotFound",
            "no such attribute");
  });
  report.run("attributes read, values in Anys", [&] {
    (void)read<Tango::DevVarDoubleArray>(device, "double_scalar");
    require(!read<Tango::DevVarStringArray>(device, "string_scalar").empty(), "a string");
    require(refusal([&] { (void)device->read_attributes({"long_spectrum"}); }) == "API_NotSupportedFeature",
            "arrays are for later versions of the interface");
    require(device->get_attribute_config({"double_scalar"}).at(0).writable() == Tango::AttrWriteType::READ_WITH_WRITE ||
                device->get_attribute_config({"double_scalar"}).at(0).writable() == Tango::AttrWriteType::READ_WRITE,
            "what may be written");
  });
  report.run("attributes written and read back", [&] {
    for (const double written : {1.25, -7e10}) {
      CORBA::Any value;
      value <<= Tango::DevVarDoubleArray{written};
      device->write_attributes(
          {Tango::AttributeValue(value, Tango::AttrQuality::ATTR_VALID, Tango::TimeVal(), "double_scalar_w", 1, 0)});
      require(read<Tango::DevVarDoubleArray>(device, "double_scalar_w").at(0) == written, "another value");
    }
  });
  report.run("attributes read, values in unions", [&] {
    Tango::ClntIdent client;
    client.cpp_clnt(1);
    const auto values = device->read_attributes_5({"double_scalar", "boolean_spectrum", "string_scalar", "State"},
                                                  Tango::DevSource::DEV, client);
    using Type = Tango::AttributeDataType;
    require(values.size() == 4 && values[0].value()._d() == Type::ATT_DOUBLE &&
                values[1].value()._d() == Type::ATT_BOOL && values[2].value()._d() == Type::ATT_STRING &&
                values[3].value()._d() == Type::DEVICE_STATE,
            "their types");
    require(values[3].value().dev_state_att() == Tango::DevState::RUNNING, "the state");
    // What was read, and behind it what was last written.
    require(values[1].r_dim().dim_x() > 0 && values[1].r_dim().dim_x() + values[1].w_dim().dim_x() ==
                                                 static_cast<std::int32_t>(values[1].value().bool_att_value().size()),
            "as many as it says");
  });
  report.run("states change", [&] {
    (void)device->command_inout("SwitchStates", CORBA::Any());
    require(device->state() == Tango::DevState::FAULT, "FAULT");
    (void)device->command_inout("SwitchStates", CORBA::Any());
    require(device->state() == Tango::DevState::RUNNING, "RUNNING");
  });
  report.run("the black box has seen these calls", [&] {
    device->ping();
    const auto seen = device->black_box(5);
    require(!seen.empty() && seen.front().find("ping") != std::string::npos, seen.empty() ? "nothing" : seen.front());
  });
  report.run("calls of several threads", [&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) echo(device, "DevLong", std::int32_t{100 * t + i});
      });
    }
    for (auto& thread : threads) thread.join();
  });
}

}  // namespace

/// ADDRESS NAME: where the device is, as a URL, and what it is called.
int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: " << argv[0] << " URL NAME\n", 2;
  std::vector<std::string> arguments;
  const auto orb = CORBA::ORB_init(arguments);
  interop::Report report("", &describe);
  const auto device = IDL::traits<Tango::Device_5>::narrow(orb->string_to_object(argv[1]));
  if (device == nullptr) throw std::runtime_error("no device is there");
  run(report, device, argv[2]);
  const int status = report.finish();
  orb->destroy();
  return status;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 2;
}
