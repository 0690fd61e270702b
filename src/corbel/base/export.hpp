// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 202002L
#error "Corbel's headers need C++20: compile with -std=c++20"
#endif

/// Marks what the shared library exports; everything else is hidden.
#define CORBEL_API __attribute__((visibility("default")))
