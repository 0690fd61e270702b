// SPDX-License-Identifier: Apache-2.0
// Suite compile: what generated code costs the C++ compiler and how large it becomes, per interface, beside what
// omniidl writes, with the same compiler and flags.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "micro/metered.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

using Words = std::vector<std::string>;

constexpr std::chrono::seconds kTimeout(300);
const Words kFlags{"-std=c++20", "-O2", "-fPIC", "-w"};
const Words kInterfaces{"echo", "naming", "hundred"};
const std::string kPlain = "stubs and skeletons";
const std::string kWithAny = "the same with Any";

/// What it works on: that of the build, or, where this program was installed, what was installed with it.
struct Places {
  std::string compiler;  ///< corbel-idl
  std::string idl;
  std::string headers;
};

Places places() {
  Places installed{BENCH_INSTALLED};
  for (std::string* const path : {&installed.compiler, &installed.idl, &installed.headers}) *path = beside(*path);
  Places found = access(installed.compiler.c_str(), X_OK) == 0 ? installed : Places{BENCH_BUILT};
  for (const std::string& path : {found.compiler, found.idl + "/CosNaming.idl", found.headers + "/corbel/corbel.hpp"}) {
    if (access(path.c_str(), R_OK) != 0) throw std::runtime_error("suite compile needs " + path);
  }
  if (access(BENCH_CXX, X_OK) != 0) throw std::runtime_error("suite compile needs the C++ compiler " BENCH_CXX);
  return found;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text).flush()) throw std::runtime_error("cannot write " + path);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return (std::ostringstream() << file.rdbuf()).str();
}

/// A hundred operations with structs, strings and results, in one interface.
std::string hundred_operations() {
  std::string text = "struct Item { long id; string name; };\ntypedef sequence<Item> Items;\ninterface Hundred {\n";
  for (int i = 0; i < 100; ++i) {
    text += "  Items operation_" + std::to_string(i) + "(in long a, in string b, inout Item c, out double d);\n";
  }
  return text + "};\n";
}

/// The naming service's interfaces under another name: both libraries have CosNaming already.
std::string naming(const std::string& folder) {
  std::string text = text_of(folder + "/CosNaming.idl");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>("CosNaming", "NamingCost"), {"omg.org", "corbel.test"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

double processor_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Octets of code and data.
double size_of(const Words& objects) {
  Words command{"size"};
  command.insert(command.end(), objects.begin(), objects.end());
  std::istringstream lines(output_of(command, kTimeout));
  double sum = 0;
  std::string line;
  std::getline(lines, line);  // heads
  while (std::getline(lines, line)) {
    double text = 0;
    double data = 0;
    if (std::istringstream(line) >> text >> data) sum += text + data;
  }
  return sum;
}

double lines_of(const Words& files) {
  double lines = 0;
  for (const std::string& file : files) {
    const std::string text = text_of(file);
    lines += static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  }
  return lines;
}

/// One thing that is compiled.
struct Subject {
  std::string interface;
  std::string by;
  std::string part;
  Words sources;    ///< generated; all are compiled
  Words generated;  ///< these and the headers
  std::vector<double> seconds = {};
  double octets = 0;
};

class Run {
 public:
  Run(const Settings& settings, Report& report) : settings_(settings), report_(report) {
    write(folder("echo.idl"), "interface Echo { string say(in string text); };\n");
    write(folder("naming.idl"), naming(places_.idl));
    write(folder("hundred.idl"), hundred_operations());
    for (const Mechanism& mechanism : find_all_mechanisms(report.machine, {"omniORB"})) {
      if (omniorb_.empty() && mechanism.orb != "raw" && program_exists("omniidl")) omniorb_ = mechanism.orb;
    }
    for (const std::string& interface : kInterfaces) {
      generate(interface);
      if (!omniorb_.empty()) generate_by_omniidl(interface);
    }
  }

  void run() {
    measure_and_keep([&] { measure(); },
                     [&] {
                       for (const Subject& subject : subjects_) {
                         if (!subject.seconds.empty()) add(subject);
                       }
                     });
  }

  void print() const {
    Table table({"interface", "what", "generated by", "s to compile", "/ omniORB", "octets", "/ omniORB", "lines"}, 3);
    for (const Subject& subject : subjects_) {
      if (subject.by == "Corbel" && subject.part == kPlain && &subject != &subjects_.front()) table.add_rule();
      std::vector<std::string> cells{subject.interface, subject.part, subject.by};
      for (const char* const metric : {"compile_time", "object_size"}) {
        const Case of = case_of(subject);
        Case other = of;
        other["by"] = omniorb_;
        const double value = value_in(report_.results, "compile", metric, of);
        cells.push_back(metric == std::string("compile_time") ? number(value, 2) : grouped(value));
        cells.push_back(
            subject.by == omniorb_ ? "" : number(value / value_in(report_.results, "compile", metric, other), 2));
      }
      cells.push_back(grouped(lines_of(subject.generated)));
      table.add(cells);
    }
    std::cout << "\nCompiling generated code with g++ -O2 -fPIC: processor time, octets of code and data, generated "
                 "lines\n\n";
    table.print(std::cout);
    if (omniorb_.empty()) std::cout << "No comparison: omniidl is not installed.\n";
  }

 private:
  std::string folder(const std::string& name) const { return folder_.path() + "/" + name; }

  Words in_folder(Words names) const {
    for (std::string& name : names) name = folder(name);
    return names;
  }

  void add_subject(const std::string& interface, const std::string& by, const std::string& part, const Words& sources,
                   const Words& headers) {
    Words generated = in_folder(sources);
    for (const std::string& header : in_folder(headers)) generated.push_back(header);
    for (const std::string& file : generated) {
      if (!std::filesystem::exists(file)) throw std::runtime_error(by + " did not generate " + file);
    }
    subjects_.push_back({interface, by, part, in_folder(sources), generated});
  }

  void generate(const std::string& interface) {
    output_of({places_.compiler, "-o", folder_.path(), folder(interface + ".idl")}, kTimeout);
    const std::string& n = interface;
    add_subject(n, "Corbel", kPlain, {n + ".cpp", n + "_server.cpp"}, {n + ".hpp", n + "_server.hpp"});
    if (settings_.quick) return;
    add_subject(n, "Corbel", kWithAny, {n + ".cpp", n + "_server.cpp", n + "_any.cpp"},
                {n + ".hpp", n + "_server.hpp", n + "_any.hpp"});
  }

  void generate_by_omniidl(const std::string& interface) {
    for (const std::string& part : {kPlain, kWithAny}) {
      const bool any = part == kWithAny;
      if (any && settings_.quick) continue;
      const std::string name = interface + (any ? "_any" : "") + "_omni";
      std::filesystem::copy_file(folder(interface + ".idl"), folder(name + ".idl"));
      Words command{"omniidl",      "-I/usr/share/idl/omniORB", "-bcxx", "-Wbh=.hh", "-Wbs=.cc",
                    "-Wbd=_dyn.cc", "-C" + folder_.path()};
      if (any) command.emplace_back("-Wba");
      command.push_back(folder(name + ".idl"));
      output_of(command, kTimeout);
      Words sources{name + ".cc"};
      if (any) sources.push_back(name + "_dyn.cc");
      add_subject(interface, omniorb_, part, sources, {name + ".hh"});
    }
  }

  void compile(Subject& subject) const {
    Words objects;
    const double before = processor_seconds_of_children();
    for (const std::string& source : subject.sources) {
      const std::string& object = objects.emplace_back(source + ".o");
      std::filesystem::remove(object);
      Words command{BENCH_CXX};
      command.insert(command.end(), kFlags.begin(), kFlags.end());
      command.insert(command.end(), {"-I" + places_.headers, "-I" + folder_.path(), "-c", source, "-o", object});
      output_of(command, kTimeout);
      if (!std::filesystem::exists(object))
        throw std::runtime_error("cannot compile what " + subject.by + " made of " + subject.interface);
    }
    subject.seconds.push_back(processor_seconds_of_children() - before);
    subject.octets = size_of(objects);
  }

  void measure() {
    const int repetitions = settings_.repetitions(5, 1);
    Progress progress(static_cast<std::size_t>(repetitions) * subjects_.size());
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (Subject& subject : subjects_) {
        progress.step("compiling " + subject.interface + ", " + subject.part + ", by " + subject.by);
        compile(subject);
      }
    }
  }

  static Case case_of(const Subject& subject) {
    return {{"interface", subject.interface}, {"part", subject.part}, {"by", subject.by}};
  }

  void add(const Subject& subject) {
    Result time{"compile", case_of(subject), "compile_time", "s", summarise(subject.seconds)};
    Result size{"compile", case_of(subject), "object_size", "B", {subject.octets, subject.octets, subject.octets, 1}};
    for (const Subject& other : subjects_) {
      const bool same = other.interface == subject.interface && other.part == subject.part;
      if (!same || other.by != omniorb_ || &other == &subject || other.seconds.empty()) continue;
      time.of["control"] = size.of["control"] = omniorb_;
      time.control = summarise(other.seconds).median;
      size.control = other.octets;
    }
    report_.results.push_back(std::move(time));
    report_.results.push_back(std::move(size));
  }

  const Settings& settings_;
  Report& report_;
  const Places places_ = places();
  const TemporaryFolder folder_;
  std::string omniorb_;  ///< and its version; empty if omniidl is not installed
  std::vector<Subject> subjects_;
};

}  // namespace

int run_compile(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
