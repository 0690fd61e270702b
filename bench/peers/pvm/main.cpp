// SPDX-License-Identifier: Apache-2.0
// PVM in the laboratory: two tasks of a virtual machine of one host, which the server starts, over direct routes. Data
// are packed as they lie in memory ("raw") or, PVM's default, in XDR ("xdr").
#include <pvm3.h>

#include "peers/helper_process.hpp"
#include "peers/peer.hpp"

namespace {

constexpr const char* kTypes[] = {"octet", "char", "short", "long", "double", "string", "struct"};
constexpr int kModes = 3;
enum Mode { oneway, twoway, ring };

int encoding = PvmDataRaw;

int check(int status) {
  if (status < 0) throw std::runtime_error("PVM error " + std::to_string(status));
  return status;
}

int tag_of(std::size_t type, Mode mode) {
  return 1 + static_cast<int>(type) * kModes + mode;
}

/// Room for a message of any type; packed and unpacked with PVM's routine for it.
class Data {
 public:
  void resize(std::size_t octets) { room_.resize(octets, 'x'); }
  std::size_t size() const noexcept { return room_.size(); }

  void pack(std::size_t type) {
    int octets = static_cast<int>(room_.size());
    check(pvm_initsend(encoding));
    check(pvm_pkint(&octets, 1, 1));
    move(type, pvm_pkbyte, pvm_pkshort, pvm_pkint, pvm_pkdouble);
  }
  void unpack(std::size_t type) {
    int octets = 0;
    check(pvm_upkint(&octets, 1, 1));
    resize(static_cast<std::size_t>(octets));
    move(type, pvm_upkbyte, pvm_upkshort, pvm_upkint, pvm_upkdouble);
  }

 private:
  template <class Bytes, class Shorts, class Ints, class Doubles>
  void move(std::size_t type, Bytes bytes, Shorts shorts, Ints ints, Doubles doubles) {
    const std::string name = kTypes[type];
    const int count = static_cast<int>(room_.size() / peer::size_of(name));
    if (count == 0) return;
    if (name == "short") check(shorts(reinterpret_cast<short*>(room_.data()), count, 1));
    if (name == "long") check(ints(reinterpret_cast<int*>(room_.data()), count, 1));
    if (name == "double") check(doubles(reinterpret_cast<double*>(room_.data()), count, 1));
    if (peer::size_of(name) == 1) check(bytes(room_.data(), count, 1));
    if (name != "struct") return;
    auto* const first = reinterpret_cast<peer::BinStruct*>(room_.data());  // member by member, with strides
    check(shorts(&first->s, count, sizeof *first / sizeof first->s));
    check(bytes(&first->c, count, sizeof *first));
    check(ints(&first->l, count, sizeof *first / sizeof first->l));
    check(bytes(reinterpret_cast<char*>(&first->o), count, sizeof *first));
    check(doubles(&first->d, count, sizeof *first / sizeof first->d));
  }

  std::vector<char> room_;  // what operator new returns is aligned for doubles
};

class Client {
 public:
  explicit Client(int server) : server_(server) {}
  void ping() { exchange(0, twoway); }
  std::function<void()> put(std::size_t payload) {
    return [this, payload] {
      data_.resize(payload);
      exchange(0, twoway);
      data_.resize(0);
    };
  }
  /// A message between two tasks cannot overtake another: when a call after the stream is answered, all has arrived.
  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    return flow(oneway ? Mode::oneway : Mode::twoway, type, count);
  }
  peer::Flow ring(const std::string& type, std::size_t count) { return flow(Mode::ring, type, count); }

 private:
  peer::Flow flow(Mode mode, const std::string& type_name, std::size_t count) {
    std::size_t type = 0;
    while (kTypes[type] != type_name) ++type;
    const std::size_t size = count * peer::size_of(type_name);
    return {size * (mode == Mode::ring ? 2 : 1), [this, mode, type, size](unsigned long calls) {
              data_.resize(size);
              for (unsigned long i = 0; i < calls; ++i) exchange(type, mode);
              data_.resize(0);
              ping();
            }};
  }

  void exchange(std::size_t type, Mode mode) {
    data_.pack(type);
    const int tag = tag_of(type, mode);
    check(pvm_send(server_, tag));
    if (mode == oneway) return;
    check(pvm_recv(server_, tag));
    if (mode == Mode::ring) data_.unpack(type);
  }

  int server_;
  Data data_;
};

struct Pvm {
  static peer::About about() {
    return {.name = std::string("PVM ") + pvm_version(),
            .protocols = "raw xdr",
            .transports = "unix",
            .commands = "latency oneway twoway ring",
            .types = peer::kAllTypes};
  }
  static void join(const char* protocol, const std::string& folder) {
    encoding = std::strcmp(protocol, "xdr") == 0 ? PvmDataDefault : PvmDataRaw;
    setenv("PVM_ROOT", CORBEL_BENCH_PVM_ROOT, 1);
    setenv("PVM_TMP", folder.c_str(), 1);
    setenv("PVM_VMID", "bench", 1);
    setenv("PVM_ALLOW_ROOT", "1", 1);  // the machine is this host alone
  }
  static void serve(const char* protocol, const char*, const char*) {
    peer::HelperProcess helper;
    join(protocol, helper.folder());
    helper.start({"pvmd", "-nlocalhost"});
    const int own = check(pvm_mytid());
    pvm_setopt(PvmRoute, PvmRouteDirect);
    peer::announce(std::to_string(own) + " " + helper.folder());
    for (Data data;;) {
      int octets = 0;
      int tag = 0;
      int sender = 0;
      check(pvm_bufinfo(check(pvm_recv(-1, -1)), &octets, &tag, &sender));
      const auto type = static_cast<std::size_t>((tag - 1) / kModes);
      data.unpack(type);
      if ((tag - 1) % kModes == oneway) continue;
      if ((tag - 1) % kModes == twoway) data.resize(0);
      data.pack(type);
      check(pvm_send(sender, tag));
    }
  }
  static int run_client(const char* protocol, const char*, const std::string& reference) {
    const std::size_t blank = reference.find(' ');
    join(protocol, reference.substr(blank + 1));
    check(pvm_mytid());
    pvm_setopt(PvmRoute, PvmRouteDirect);
    Client client(std::stoi(reference));
    client.ping();
    const int status = peer::command_loop(client);
    pvm_exit();
    return status;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Pvm>(argc, argv);
}
