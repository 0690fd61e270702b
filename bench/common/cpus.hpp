// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace bench {

/// The numbers of the processors that this process may run on, ascending.
std::vector<int> allowed_cpus();

/// Binds the calling thread, and what it starts from now on, to one processor.
void pin_to_cpu(int cpu);

}  // namespace bench
