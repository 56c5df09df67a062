// LAYOUT_CHECK: an internal invariant. A failure is a bug in Tessera, never the user's fault (user errors are Diags).
#pragma once

#include <cstdio>
#include <cstdlib>

#define LAYOUT_CHECK(cond, why)                                                                                    \
  do {                                                                                                             \
    if (!(cond)) {                                                                                                 \
      std::fprintf(stderr, "tessera: internal check failed: %s (%s) at %s:%d. This is a bug in Tessera.\n", #cond, \
                   why, __FILE__, __LINE__);                                                                       \
      std::abort();                                                                                                \
    }                                                                                                              \
  } while (false)
