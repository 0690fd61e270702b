// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Time probes. `CORBEL_PROBE("layer");` says that from here on the calling thread's time belongs to that layer, until
/// its next probe. The name is a literal. Without the CMake option CORBEL_PROBES, as in everything that ships, a probe
/// is nothing at all.
///
/// With it every thread notes its probes (processor ticks) in a ring of its own, and when the process ends in order
/// they are written to the file that CORBEL_PROBE_FILE names, if any: a line "ticks_per_second N", then for each
/// thread a line "thread" followed by "TICKS LAYER" lines, the oldest first. A ring holds the last 65,536 probes.
#ifdef CORBEL_PROBES

#include "corbel/base/export.hpp"

namespace corbel::base {
/// Notes the moment. Never fails: without memory for the thread's ring nothing is noted.
CORBEL_API void probe(const char* layer) noexcept;
}  // namespace corbel::base

#define CORBEL_PROBE(layer) ::corbel::base::probe(layer)

#else

#define CORBEL_PROBE(layer) static_cast<void>(0)

#endif
