// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every interface of the standard that the library implements, in one header, for programs that were written for
/// another ORB and for first steps: costs some compile time more than the headers that a program really needs.
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/service_information.hpp"
#include "corbel/corbel.hpp"
#include "corbel/dynamic/corba_types.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/dynamic/iop_types.hpp"
#include "corbel/dynamic/messaging_types.hpp"
#include "corbel/dynamic/portable_server_types.hpp"
#include "corbel/dynamic/request.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/mapping/ami.hpp"
#include "corbel/mapping/data_stream.hpp"
#include "corbel/mapping/fixed.hpp"
#include "corbel/mapping/poller.hpp"
#include "corbel/mapping/print_operators.hpp"
