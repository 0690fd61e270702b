// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/deadline.hpp"
#include "corbel/messaging/protocol.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/transport/transport.hpp"

/// What an ORB is made of, changed while it runs and calls are under way (docs/plugins.md). Thread-safe. Except where
/// it says so, everything throws OBJECT_NOT_EXIST or BAD_INV_ORDER after destroy() or shutdown(), and NO_MEMORY.
namespace corbel::orb {

/// Adds a message protocol or a transport, behind those that are there in the order of preference. References that are
/// used already go on as they do, and look for the best way again when they have to connect. Throws BAD_PARAM if it is
/// nil, or its name, or that of an option that it brings, is taken. It came too late for the command line: its options
/// (transport::Factory::options) are as it was made, or as the environment says, or as the ORB was told of one like it.
CORBEL_API void add_protocol(CORBA::ORB& orb, std::shared_ptr<const messaging::Protocol> protocol);
CORBEL_API void add_transport(CORBA::ORB& orb, std::shared_ptr<const transport::Factory> transport);
/// What -ORBLoad does: adds what the plug-in brings, all or nothing. Throws INITIALIZE, naming the file and the reason.
CORBEL_API void load_plugin(CORBA::ORB& orb, const std::string& file);

/// Takes a message protocol or a transport out of the ORB. Nothing listens there any more, new references do not name
/// its endpoints, and no call begins over it: calls go to another place of their reference, or raise TRANSIENT if there
/// is none. What is under way gets its reply, then each connection is closed in order; clients that are sent away so
/// try the reference's other places. Requests that clients have sent and that have not begun are tried elsewhere, too.
///
/// `wait`: how long the calling thread waits for all of that; not a moment if it is zero. True if nothing is left.
/// False if calls are still under way, such as the caller's own request: they go on all the same. Throws BAD_PARAM if
/// there is no such protocol or transport. After NO_MEMORY it may be withdrawn, and some of its endpoints still be
/// open.
CORBEL_API bool withdraw_protocol(CORBA::ORB& orb, std::string_view name, base::Duration wait = {});
CORBEL_API bool withdraw_transport(CORBA::ORB& orb, std::string_view scheme, base::Duration wait = {});

/// Listens at one more endpoint, written as for -ORBListenEndpoints: new references of adapters of that lane name it,
/// too. Begins to listen as the options say if that has not happened yet. Returns what references say of it:
/// "tcp://192.0.2.1:4000", with `protocol+` before it if that is not GIOP. Throws BAD_PARAM or INITIALIZE naming the
/// endpoint; BAD_PARAM if there is no such lane (-ORBLane; empty: the first one); NO_MEMORY, and does not listen there.
CORBEL_API std::vector<std::string> listen(CORBA::ORB& orb, const std::string& endpoint, std::string_view lane = {});
/// Listens there no more; the text is what listen() was given, or returned. Connections that were accepted stay. False
/// if nothing listens there. Throws NO_MEMORY, and listens on.
CORBEL_API bool stop_listening(CORBA::ORB& orb, const std::string& endpoint);

/// Listens where other processes of this host look for the initial reference `name` if no option tells them, which the
/// ORB has to know (ORB::register_initial_reference): at FOLDER/NAME, where FOLDER is -ORBLocalServices, else
/// /run/corbel if this process may write there (root makes it), else the user's own. Returns the endpoint, such as
/// "unix:///run/corbel/NameService". Throws INITIALIZE, which says why: another server listens there already, clients
/// would not believe the folder, the name can be no socket's.
CORBEL_API std::string serve_locally(CORBA::ORB& orb, const std::string& name);

/// Makes another lane, as -ORBLane does: threads and endpoints of their own, for the adapters that choose it
/// (poa::LanePolicy). At most so many threads, which come and go with the work. `endpoints` are opened for the first
/// reference that names them; none: one beside each of -ORBListenEndpoints, by the same protocol and transport at the
/// same hosts, at a port or name that the system chooses. `stack_size`: of the threads, in octets, 256 KiB at least; 0:
/// the system's. It ends with the ORB. Throws BAD_PARAM if there is one of the name or it has no threads, IMP_LIMIT if
/// there are 64, NO_MEMORY.
CORBEL_API void add_lane(CORBA::ORB& orb, const std::string& name, std::uint32_t threads,
                         const std::vector<std::string>& endpoints = {}, std::size_t stack_size = 0);

}  // namespace corbel::orb
