// SPDX-License-Identifier: Apache-2.0
// Ways to find an operation by its name and an object by its key, from one entry to a million.
#include <corbel/corbel.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hundred_server.hpp"
#include "micro/meter.hpp"

namespace {

using bench::Meter;
using corbel::mapping::OperationEntry;
using corbel::mapping::OperationTable;

struct Nobody {};

/// Which of `size` entries each lookup of a piece asks for.
std::vector<std::size_t> places(const std::string& order, std::size_t size) {
  std::vector<std::size_t> places(size > 5000 ? 32 : 1024, order == "last" ? size - 1 : 0);
  std::uint64_t state = 42;
  if (order == "random") {
    for (std::size_t& place : places) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      place = static_cast<std::size_t>(state >> 33) % size;
    }
  }
  return places;
}

constexpr const char* kOrders[] = {"first", "last", "random"};

std::string name_of(const char* what, const char* scheme, std::size_t size, const char* order) {
  return std::string("what=") + what + ",scheme=" + scheme + ",entries=" + std::to_string(size) + ",order=" + order;
}

/// Adds a piece that looks up each of `keys` with `find`, which returns something to be kept.
template <class Keys, class Find>
void add(Meter& meter, std::string name, std::shared_ptr<Keys> keys, Find find) {
  meter.add(std::move(name), keys->size(), [keys, find] {
    for (const auto& key : *keys) bench::keep(find(key));
  });
}

/// Names as people give them: a common beginning, different ends.
std::vector<std::string> operation_names(std::size_t size) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size; ++i) names.push_back("operation_" + std::to_string(i));
  return names;
}

template <std::size_t N>
void measure_operations(Meter& meter) {
  static const std::vector<std::string> names = operation_names(N);
  static OperationEntry<Nobody> entries[N];
  static std::unordered_map<std::string_view, std::size_t> hashed;
  for (std::size_t i = 0; i < N; ++i) {
    entries[i].name = names[i];
    hashed.emplace(names[i], i);
  }
  static const OperationTable<Nobody, N> table(entries);
  for (const char* const order : kOrders) {
    const auto wanted = std::make_shared<std::vector<std::size_t>>(places(order, N));
    const auto keys = std::make_shared<std::vector<std::string>>();  // of their own, as from the wire
    for (const std::size_t place : *wanted) keys->push_back(names[place]);
    add(meter, name_of("operation", "linear search", N, order), keys, [](const std::string& key) {
      std::size_t i = 0;
      while (i < N && std::strcmp(names[i].c_str(), key.c_str()) != 0) ++i;
      return i;
    });
    add(meter, name_of("operation", "hashing", N, order), keys,
        [](const std::string& key) { return hashed.find(key)->second; });
    add(meter, name_of("operation", "direct index", N, order), wanted,
        [](std::size_t place) { return place < N ? &entries[place] : nullptr; });
    add(meter, name_of("operation", "Corbel", N, order), keys, [](const std::string& key) { return table.find(key); });
  }
  meter.run();
}

class Hundred : public CORBA::servant_traits<Demux::Hundred>::base_type {
 public:
#define CORBEL_OPERATION(name) \
  void name() override {}
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};

class Target : public CORBA::servant_traits<Demux::Target>::base_type {
 public:
  void ping() override {}
};

/// The generated skeleton of an interface with a hundred operations, from the stub to the servant in one process.
void measure_skeleton(Meter& meter, IDL::traits<PortableServer::POA>::ref_type poa) {
  const auto id = poa->activate_object(CORBA::make_reference<Hundred>());
  const auto hundred = IDL::traits<Demux::Hundred>::narrow(poa->id_to_reference(id));
  const auto add_call = [&](const char* order, auto call) {
    meter.add(name_of("operation", "Corbel (collocated call)", 100, order), 100, [=] {
      for (int i = 0; i < 100; ++i) call(*hundred);
    });
  };
  add_call("first", [](Demux::Hundred& target) { target.operation_0(); });
  add_call("last", [](Demux::Hundred& target) { target.operation_99(); });
  meter.run();
}

struct Key {
  std::uint32_t words[3];
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.words), sizeof key.words});
  }
};

void measure_objects(Meter& meter, IDL::traits<PortableServer::POA>::ref_type poa, std::size_t size) {
  std::vector<Key> keys(size);
  std::unordered_map<Key, std::size_t, KeyHash> hashed;
  std::vector<PortableServer::ObjectId> ids;
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = {{0x50414f52, static_cast<std::uint32_t>(i), 1}};
    hashed.emplace(keys[i], i);
    ids.push_back(poa->activate_object(CORBA::make_reference<Target>()));
  }
  for (const char* const order : kOrders) {
    const auto wanted = std::make_shared<std::vector<std::size_t>>(places(order, size));
    const auto asked = std::make_shared<std::vector<Key>>();
    const auto targets = std::make_shared<std::vector<IDL::traits<Demux::Target>::ref_type>>();
    for (const std::size_t place : *wanted) {
      asked->push_back(keys[place]);
      targets->push_back(IDL::traits<Demux::Target>::narrow(poa->id_to_reference(ids[place])));
    }
    add(meter, name_of("object", "linear search", size, order), asked, [&](const Key& key) {
      std::size_t i = 0;
      while (i < size && std::memcmp(&keys[i], &key, sizeof key) != 0) ++i;
      return i;
    });
    add(meter, name_of("object", "hashing", size, order), asked,
        [&](const Key& key) { return hashed.find(key)->second; });
    add(meter, name_of("object", "direct index", size, order), asked, [&](const Key& key) {
      const std::size_t place = key.words[1];
      return place < size && keys[place].words[2] == key.words[2] ? &keys[place] : nullptr;
    });
    meter.add(name_of("object", "Corbel (collocated call)", size, order), targets->size(), [targets] {
      for (const auto& target : *targets) target->ping();
    });
  }
  meter.run();
  for (const auto& id : ids) poa->deactivate_object(id);
}

void measure(Meter& meter) {
  measure_operations<1>(meter);
  measure_operations<10>(meter);
  measure_operations<100>(meter);
  measure_operations<1000>(meter);
  measure_operations<10000>(meter);
  std::vector<std::string> arguments;
  const auto orb = CORBA::ORB_init(arguments);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  measure_skeleton(meter, poa);
  // Under callgrind a hundred times slower; what is counted does not change any more.
  const std::size_t most = RUNNING_ON_VALGRIND ? 10'000 : 1'000'000;
  for (std::size_t size = 1; size <= most; size *= 10) measure_objects(meter, poa, size);
  orb->destroy();
}

}  // namespace

int main(int argc, char** argv) try {
  Meter meter(argc, argv);
  measure(meter);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
  return 1;
}
