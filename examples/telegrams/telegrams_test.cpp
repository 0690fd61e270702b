// SPDX-License-Identifier: Apache-2.0
#include "telegrams.hpp"

#include "conformance/session_conformance.hpp"

CORBEL_SESSION_CONFORMANCE(Telegrams, (std::vector<Dialect>{{.name = "telegrams", .make = make_telegrams}}))
