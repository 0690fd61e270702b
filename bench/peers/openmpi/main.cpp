// SPDX-License-Identifier: Apache-2.0
// Open MPI in the laboratory: two processes that found each other through an ompi-server, which the server starts. Open
// MPI asks again and again while it waits.
#include <mpi.h>

#include <cstddef>

#include "peers/helper_process.hpp"
#include "peers/peer.hpp"

namespace {

enum Tag { oneway = 1, twoway, ring, leave };

/// Throws what MPI says; by default it would end the process.
void check(int status) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string(text, static_cast<std::size_t>(length)));
}

MPI_Datatype type_of(const std::string& name) {
  if (name == "char" || name == "string") return MPI_CHAR;
  if (name == "short") return MPI_SHORT;
  if (name == "long") return MPI_INT;
  if (name == "double") return MPI_DOUBLE;
  if (name != "struct") return MPI_BYTE;
  using peer::BinStruct;
  const int lengths[] = {1, 1, 1, 1, 1};
  const MPI_Aint places[] = {offsetof(BinStruct, s), offsetof(BinStruct, c), offsetof(BinStruct, l),
                             offsetof(BinStruct, o), offsetof(BinStruct, d)};
  const MPI_Datatype types[] = {MPI_SHORT, MPI_CHAR, MPI_INT, MPI_BYTE, MPI_DOUBLE};
  MPI_Datatype members = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_struct(5, lengths, places, types, &members));
  check(MPI_Type_create_resized(members, 0, sizeof(BinStruct), &type));
  check(MPI_Type_commit(&type));
  return type;
}

class Client {
 public:
  explicit Client(MPI_Comm server) : server_(server) {}
  void ping() { exchange(twoway, 0, MPI_BYTE); }
  std::function<void()> put(std::size_t payload) {
    reserve(payload);
    return [this, payload] { exchange(twoway, static_cast<int>(payload), MPI_BYTE); };
  }
  peer::Flow flow(bool one_way, const std::string& type, std::size_t count) {
    return flow(one_way ? oneway : twoway, type, count, 1);
  }
  peer::Flow ring(const std::string& type, std::size_t count) { return flow(Tag::ring, type, count, 2); }

 private:
  void reserve(std::size_t octets) {
    data_.resize(octets, 'x');
    back_.resize(octets);
  }
  /// Messages between two processes keep their order: when a call after the stream is answered, all has arrived.
  peer::Flow flow(Tag tag, const std::string& name, std::size_t count, std::uint64_t ways) {
    const std::size_t size = count * peer::size_of(name);
    reserve(size);
    return {size * ways, [this, tag, type = type_of(name), count = static_cast<int>(count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) exchange(tag, count, type);
              ping();
            }};
  }
  void exchange(Tag tag, int count, MPI_Datatype type) {
    check(MPI_Send(data_.data(), count, type, 0, tag, server_));
    if (tag == oneway) return;
    check(MPI_Recv(back_.data(), tag == Tag::ring ? count : 0, type, 0, tag, server_, MPI_STATUS_IGNORE));
  }

  MPI_Comm server_;
  std::vector<char> data_;
  std::vector<char> back_;
};

/// What arrives is received as octets: same machine, same layout.
void serve_one(MPI_Comm client) {
  std::vector<char> data;
  for (;;) {
    MPI_Status status;
    check(MPI_Probe(0, MPI_ANY_TAG, client, &status));
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size));
    if (data.size() < static_cast<std::size_t>(size)) data.resize(static_cast<std::size_t>(size));
    check(MPI_Recv(data.data(), size, MPI_BYTE, 0, status.MPI_TAG, client, MPI_STATUS_IGNORE));
    if (status.MPI_TAG == leave) return;
    if (status.MPI_TAG != oneway) {
      check(MPI_Send(data.data(), status.MPI_TAG == ring ? size : 0, MPI_BYTE, 0, status.MPI_TAG, client));
    }
  }
}

struct OpenMpi {
  static peer::About about() {
    return {.name = "OpenMPI " + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
                    std::to_string(OMPI_RELEASE_VERSION),
            .transports = "tcp",
            .commands = "latency oneway twoway ring spins",
            .types = peer::kAllTypes};
  }
  static void initialise(const std::string& uri) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_pmix_server_uri", uri.c_str(), 1);
    setenv("OMPI_MCA_btl", "tcp,self", 1);
    setenv("OMPI_MCA_btl_tcp_if_include", "lo", 1);
    check(MPI_Init(nullptr, nullptr));
    check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  }
  static void serve(const char*, const char*, const char*) {
    peer::HelperProcess helper;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_orte_tmpdir_base", helper.folder().c_str(), 1);
    const std::string uri = helper.start({"stdbuf", "-oL", "ompi-server", "--no-daemonize", "-r", "-"});
    initialise(uri);
    char port[MPI_MAX_PORT_NAME];
    check(MPI_Open_port(MPI_INFO_NULL, port));
    peer::announce(uri + " " + helper.folder() + " " + port);
    for (;;) {
      MPI_Comm client = MPI_COMM_NULL;
      check(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client));
      check(MPI_Comm_set_errhandler(client, MPI_ERRORS_RETURN));
      serve_one(client);
      check(MPI_Comm_disconnect(&client));
    }
  }
  static int run_client(const char*, const char*, const std::string& reference) {
    const std::size_t blank = reference.find(' ');
    const std::size_t second = reference.find(' ', blank + 1);
    setenv("OMPI_MCA_orte_tmpdir_base", reference.substr(blank + 1, second - blank - 1).c_str(), 1);
    initialise(reference.substr(0, blank));
    MPI_Comm server = MPI_COMM_NULL;
    check(MPI_Comm_connect(reference.substr(second + 1).c_str(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &server));
    check(MPI_Comm_set_errhandler(server, MPI_ERRORS_RETURN));
    int status = 0;
    {
      Client client(server);
      client.ping();
      status = peer::command_loop(client);
    }
    check(MPI_Send(nullptr, 0, MPI_BYTE, 0, leave, server));
    check(MPI_Comm_disconnect(&server));
    check(MPI_Finalize());
    return status;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OpenMpi>(argc, argv);
}
