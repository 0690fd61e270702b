// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/option_table.hpp"

#include "corbel/orb/option_values.hpp"

namespace corbel::orb {
namespace {

constexpr std::uint64_t kMillisecondsPerDay = 86'400'000;
constexpr std::uint64_t kLongestKeepAlive = 32'767'000;  // of Linux
constexpr std::uint64_t kMebi = 1U << 20;

// One accessor per member; the default shown in help and documents is read through it.
#define CORBEL_MEMBER(MEMBER) \
  [](Options & o) -> auto& {  \
    return o.MEMBER;          \
  }

constexpr OptionRow kOptionTable[] = {
    {"Id", TextMember{CORBEL_MEMBER(id)}, 0, 0, "", "name of the ORB; ORB_init with the same name gives the same ORB"},
    {"ServerId", TextMember{CORBEL_MEMBER(server_id)}, 0, 0, "",
     "name of the server, the same in all its ORBs: what interceptors and object reference templates tell "
     "(server_id)"},
    {"ListenEndpoints",
     ParsedMember{add_listen_endpoints,
                  "[protocol+]address, several separated by ';'; addresses are {addresses}; a protocol is named as in "
                  "giop_lite+tcp://host:port",
                  "an endpoint that the system chooses, of each transport that has a default: {defaults}"},
     0, 0, "",
     "where a server listens; may be repeated; behind an address there may be '?bandwidth=KBIT_S&dscp=46', what "
     "references promise and options of the connections that it accepts (docs/transports.md)",
     [](Options& o) { o.listen_endpoints.clear(); }},
    {"Lane",
     ParsedMember{add_lane,
                  "name:threads=endpoints such as urgent:2=tcp://:4001; several endpoints separated by ';'; "
                  "each name once",
                  "none"},
     0, 0, "", "threads and endpoints of their own for adapters that choose them (LanePolicy); may be repeated",
     [](Options& o) { o.lanes.clear(); }},
    {"PublishHost",
     ParsedMember{set_publish_host,
                  "HOST[:PORT[=LISTENING_PORT]] such as gateway.example.org or 192.0.2.7:8080=4711; several separated "
                  "by commas; an IPv6 address that has a port in brackets",
                  "none"},
     0, 0, "",
     "hosts written into references instead of the listening address: with their own PORT instead of the one that is "
     "listened at, and only for what listens at LISTENING_PORT"},
    {"InitRef",
     ParsedMember{add_initial_reference,
                  "name=url such as NameService=corbaloc::host:2809/NameService; a url begins with IOR:, corbaloc:, "
                  "corbaname: or file:",
                  "none"},
     0, 0, "", "an initial reference; may be repeated", [](Options& o) { o.initial_references.clear(); }},
    {"DefaultInitRef",
     ParsedMember{set_default_initial_reference, "a url that begins with IOR:, corbaloc:, corbaname: or file:", "none"},
     0, 0, "", "URL to which '/' and the name of an unknown initial reference are appended"},
    {"LocalServices", TextMember{CORBEL_MEMBER(local_services)}, 0, 0, "",
     "folder in which servers of this host listen under the names of initial references, asked where no other option "
     "says where these are; none: nowhere. Not given: the user's own ($XDG_RUNTIME_DIR/corbel, /tmp/corbel-UID), then "
     "/run/corbel"},
    {"ConfigFile", ParsedMember{add_config_file, "the path of a text file; several separated by ','", "none"}, 0, 0, "",
     "options in a file, one in each line (docs/deployment.md), which the environment and the command line override; "
     "may be repeated, later files override earlier ones",
     [](Options& o) { o.config_files.clear(); }},
    {"Load", ParsedMember{add_plugin, "the path of a shared object; several separated by ','", "none"}, 0, 0, "",
     "a plug-in that brings message protocols and transports (docs/plugins.md); may be repeated",
     [](Options& o) { o.plugins.clear(); }},
    {"ConnectTimeout", DurationMember{CORBEL_MEMBER(timeouts.connect)}, 0, kMillisecondsPerDay, "ms",
     "longest time for one connection attempt; 0: unbounded"},
    {"ConnectHeadStart", DurationMember{CORBEL_MEMBER(timeouts.head_start)}, 0, kMillisecondsPerDay, "ms",
     "where a reference leads to several places: time after which the next is tried if one has not answered, which is "
     "tried again, for its whole time, when no other has; four times as much over TLS; an equal share of the call's "
     "time if that is shorter; 0: the whole time at once"},
    {"CallTimeout", DurationMember{CORBEL_MEMBER(timeouts.call)}, 0, kMillisecondsPerDay, "ms",
     "longest time for a call, connecting included; 0: unbounded"},
    {"ServerSendTimeout", DurationMember{CORBEL_MEMBER(timeouts.server_send)}, 0, kMillisecondsPerDay, "ms",
     "longest time that a client may take nothing of the replies that wait for it; 0: unbounded"},
    {"IdleTimeout", DurationMember{CORBEL_MEMBER(server_limits.idle)}, 0, kMillisecondsPerDay, "ms",
     "time without a message after which a server closes a connection; 0: never"},
    {"MessageTimeout", DurationMember{CORBEL_MEMBER(server_limits.message)}, 0, kMillisecondsPerDay, "ms",
     "longest time from the first octet of a message to a server to its last; 0: unbounded"},
    {"MaxConnections", NumberMember{CORBEL_MEMBER(server_limits.connections)}, 0, 1'000'000, "connections",
     "most connections to a server; at the limit the one idle longest makes room; 0: seven eighths of the descriptors "
     "that the process may open"},
    {"MaxConnectionsPerPeer", NumberMember{CORBEL_MEMBER(server_limits.connections_of_host)}, 0, 1'000'000,
     "connections", "most connections to a server from one host; 0: half of those in all"},
    {"MaxHandshakes", NumberMember{CORBEL_MEMBER(server_limits.hand_shakes)}, 0, 4096, "hand-shakes",
     "most hand-shakes (TLS) of a server that are worked on at the same time, by threads that leave the processors to "
     "those that serve; others wait, hosts in turns; 0: half of the processors, and one at least"},
    {"MaxRequestsPerConnection", NumberMember{CORBEL_MEMBER(server_limits.requests_of_connection)}, 1, 4096, "requests",
     "most requests of one connection, and threads, at the same time; one thread is always for others"},
    {"MaxDeferredPerConnection", NumberMember{CORBEL_MEMBER(server_limits.deferred_of_connection)}, 1, 1'000'000,
     "requests",
     "most requests of one connection whose answers are deferred at the same time; more are refused with TRANSIENT"},
    {"MaxReplyBacklog", NumberMember{CORBEL_MEMBER(server_limits.reply_backlog)}, 0, 0x7fffffff, "octets",
     "most octets that wait for one client to take them when another reply joins them, unless it takes 64 KiB in 200 "
     "ms"},
    {"MaxReplyMemory", NumberMember{CORBEL_MEMBER(server_limits.reply_memory)}, 0, 0x7fffffff, "octets",
     "most octets that wait for all clients of a server; the one that took none for longest is cut"},
    {"MaxInputMemory", NumberMember{CORBEL_MEMBER(server_limits.input_memory)}, 0, 0x7fffffff, "octets",
     "most memory for all incoming messages of the ORB, requests and replies; the oldest half message is cut. As much "
     "again for what the values of messages take beyond the messages' sizes; others end in NO_RESOURCES. 0: one "
     "message at a time, however large, and no values that take more than 64 KiB beyond theirs"},
    {"ShutdownTimeout", DurationMember{CORBEL_MEMBER(timeouts.shutdown)}, 0, kMillisecondsPerDay, "ms",
     "longest time that shutdown, destroy and other waits for running requests last, which are left then; 0: "
     "unbounded"},
    {"HoldTimeout", DurationMember{CORBEL_MEMBER(hold_timeout)}, 0, kMillisecondsPerDay, "ms",
     "longest time a request waits for a holding POA manager, for its turn with a servant activator, or for a thread "
     "of its Real-time CORBA thread pool, before TRANSIENT; 0: not at all, and for turns and threads without limit"},
    {"SyncScope", ParsedMember{set_sync_scope, "none, transport, server or target", "transport"}, 0, 0, "",
     "what a oneway call waits for; target: also tells of exceptions"},
    {"OnewayQueue", NumberMember{CORBEL_MEMBER(oneways.limit)}, 0, 0x7fffffff, "octets",
     "sync scope none: oneway messages of a connection that wait for a peer that does not read; where the peer opened "
     "the connection -ORBMaxReplyBacklog holds"},
    {"OnewayOverflow", ParsedMember{set_oneway_overflow, "newest, oldest or wait", "newest"}, 0, 0, "",
     "sync scope none: which messages are dropped when they are more, or that the caller waits; where the peer opened "
     "the connection always the newest"},
    {"ForwardLimit", NumberMember{CORBEL_MEMBER(forward_limit)}, 0, 1000, "forwards",
     "location forwards followed in one call"},
    {"Collocation", SwitchMember{CORBEL_MEMBER(collocation)}, 0, 0, "",
     "calls to objects of the same process go directly to the servant"},
    {"GiopVersion", ParsedMember{set_giop_version, "1.0, 1.1 or 1.2", "1.2"}, 0, 0, "",
     "highest GIOP version used as client and published as server"},
    {"ProtocolPreference",
     ParsedMember{set_preference, "a comma list of protocol+transport or transport such as giop_lite+unix,tcp", "none"},
     0, 0, "", "combinations to try first when a reference offers several"},
    {"ConnectionsPerEndpoint", NumberMember{CORBEL_MEMBER(connections_per_endpoint)}, 1, 1024, "connections",
     "most connections a client opens to one endpoint for calls at the same time"},
    {"ClientIdleTimeout", DurationMember{CORBEL_MEMBER(client_idle)}, 0, kMillisecondsPerDay, "ms",
     "time without a call after which connections opened from here are closed, a little later, by the ORB's threads "
     "(single: by the one in ORB::run); the next call opens another one; not those over which the peer may ask, too; "
     "0: never"},
    {"MaxOutgoingConnections", NumberMember{CORBEL_MEMBER(outgoing_connections)}, 0, 1'000'000, "connections",
     "at so many connections opened from here those that no call uses are closed, first those of no reference, before "
     "another one is opened; 0: about an eighth of the descriptors that the process may open"},
    {"Concurrency", ParsedMember{set_concurrency, "adaptive, thread_per_connection, pool or single", "adaptive"}, 0, 0,
     "",
     "adaptive: few busy connections get a thread each, the others share the pool; thread_per_connection: all get one "
     "(-ORBThreads but one), until they are idle for a minute; pool: all share the pool; single: one thread"},
    {"Threads", NumberMember{CORBEL_MEMBER(serving.threads)}, 1, 4096, "threads",
     "most threads that serve requests at the same time, in every mode"},
    {"StickyConnections", NumberMember{CORBEL_MEMBER(serving.sticky_connections)}, 0, kMostSticky, "connections",
     "most connections that keep a thread of their own (adaptive); thread_per_connection sets this and the next"},
    {"StickyIdle", DurationMember{CORBEL_MEMBER(serving.sticky_idle)}, 0, kMillisecondsPerDay, "ms",
     "idle time after which such a connection gives its thread back"},
    {"SlowUpcall", DurationMember{CORBEL_MEMBER(serving.slow_upcall)}, 1, kMillisecondsPerDay, "ms",
     "running time of a request after which another thread reads on from its connection"},
    {"Spin", DurationMember{CORBEL_MEMBER(transport.spin)}, 0, 1'000'000, "us",
     "how long a thread that waits for a reply, or serves a sticky connection, looks for octets before it sleeps: for "
     "peers on processors of their own; 0: not at all"},
    {"NoDelay", SwitchMember{CORBEL_MEMBER(transport.no_delay)}, 0, 0, "", "TCP_NODELAY on every TCP connection"},
    {"KeepAlive", SwitchMember{CORBEL_MEMBER(transport.keep_alive)}, 0, 0, "", "SO_KEEPALIVE on every TCP connection"},
    {"KeepAliveTime", DurationMember{CORBEL_MEMBER(transport.keep_alive_time)}, 0, kLongestKeepAlive, "ms",
     "-ORBKeepAlive: silence after which a connection is probed, in whole seconds, rounded up; firewalls on the way "
     "should remember connections for longer; 0: the system's, usually two hours"},
    {"KeepAliveInterval", DurationMember{CORBEL_MEMBER(transport.keep_alive_interval)}, 0, kLongestKeepAlive, "ms",
     "-ORBKeepAlive: time from a probe that is not answered to the next, in whole seconds, rounded up; 0: the "
     "system's, usually 75 seconds"},
    {"KeepAliveProbes", IntMember{CORBEL_MEMBER(transport.keep_alive_probes)}, 0, 127, "probes",
     "-ORBKeepAlive: so many that are not answered end the connection; 0: the system's, usually 9"},
    {"SendBuffer", IntMember{CORBEL_MEMBER(transport.send_buffer)}, 0, 1024 * kMebi, "octets",
     "socket send buffer; of a server over shm: the ring to the client; 0: what the system gives, 256 KiB"},
    {"ReceiveBuffer", IntMember{CORBEL_MEMBER(transport.receive_buffer)}, 0, 1024 * kMebi, "octets",
     "socket receive buffer; of a server over shm: the ring to the server; 0: what the system gives, 256 KiB"},
    {"GatherThreshold", IntMember{CORBEL_MEMBER(transport.gather_threshold)}, 0, 1024 * kMebi, "octets",
     "arrays, sequences and strings of so many octets are sent from where they lie, smaller ones copied behind the "
     "header first; 0: none is copied"},
    {"Backlog", IntMember{CORBEL_MEMBER(transport.backlog)}, 1, 65535, "connections", "peers that may wait for accept"},
    {"MaxMessageSize", NumberMember{CORBEL_MEMBER(limits.max_message_size)}, 1024, 0x7fffffff, "octets",
     "largest incoming message, fragments joined"},
    {"MaxDepth", NumberMember{CORBEL_MEMBER(limits.max_depth)}, 1, 10'000, "levels",
     "deepest nesting of incoming values: structs and unions of types that contain themselves, valuetypes, Anys"},
    {"MaxServiceContexts", NumberMember{CORBEL_MEMBER(limits.max_service_contexts)}, 0, 65535, "contexts",
     "most service contexts in an incoming message; a request with more is answered with IMP_LIMIT (most clients send "
     "one or two with the first request of a connection)"},
    {"MaxProfiles", NumberMember{CORBEL_MEMBER(limits.max_profiles)}, 1, 65535, "profiles",
     "most profiles in an incoming object reference"},
    {"MaxComponents", NumberMember{CORBEL_MEMBER(limits.max_components)}, 0, 65535, "components",
     "most tagged components in an incoming profile"},
    {"MaxObjectKey", NumberMember{CORBEL_MEMBER(limits.max_object_key)}, 64, 0x7fffffff, "octets",
     "longest incoming object key"},
    {"MaxOperation", NumberMember{CORBEL_MEMBER(limits.max_operation)}, 16, 65535, "octets",
     "longest incoming operation name"},
    {"MaxExpansion", NumberMember{CORBEL_MEMBER(limits.max_expansion)}, 1, 100'000, "times",
     "most memory for the values of an incoming message, as a multiple of its size, beyond 1 MiB"},
    {"ExceptionDetail", SwitchMember{CORBEL_MEMBER(exception_detail)}, 0, 0, "",
     "tells clients why a request ended in a system exception, such as what() of what a servant threw: for peers that "
     "may know"},
    {"LogLevel",
     ParsedMember{set_log_level,
                  "off, error, warning, info, debug or trace, for all modules or MODULE=LEVEL, in a comma list such as "
                  "info,poa=trace; modules: orb, client, server, connection, transport, messaging, poa, reactor",
                  "warning"},
     0, 0, "", "what the ORB logs (docs/logging.md)"},
    {"LogFile", ParsedMember{set_log_file, "stderr, syslog, journald, or the path of a file", "stderr"}, 0, 0, "",
     "where it logs to; a file is appended to, and opened anew when another one took its place"},
    {"LogFormat", ParsedMember{set_log_format, "text, or json: an object per line", "text"}, 0, 0, "",
     "form of the lines; journald has a form of its own"},
    {"LogRate", NumberMember{CORBEL_MEMBER(log_rate)}, 0, 1'000'000, "records",
     "most records of one event in a second, others are counted; not for debug and trace; 0: no limit"},
};
#undef CORBEL_MEMBER

}  // namespace

std::span<const OptionRow> option_table() {
  return kOptionTable;
}

}  // namespace corbel::orb
