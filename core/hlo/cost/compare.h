// Compare: which kernels of a module gained or lost memory traffic against an earlier module.
//
//     before: %fusion.3 asks for 36 MB      after: %fusion.7, the same op_name, asks for 8 MB      -28 MB
//
// Kernels are matched one to one, in this order: by name and structure, op_name and structure, structure alone, op_name
// and opcode, name and opcode. Equal kernels match in text order.
//
// Laws: every kernel of both rankings is in exactly one change; a module compared with itself has no difference;
// swapping the modules negates the differences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/cost/waste.h"

namespace tessera::hlo {

struct KernelChange {
  std::optional<std::size_t> before, after;  // in the rankings; nullopt: only in the other module
  std::string by = {};                       // what matched: "name", "op_name", "structure"; empty: nothing
  i64 asked = 0, needed = 0;                 // bytes in all runs, after minus before
};
// The largest change of `asked` first.
[[nodiscard]] std::vector<KernelChange> changesOf(const Module& before, const Ranking& rankedBefore,
                                                  const Module& after, const Ranking& rankedAfter);

}  // namespace tessera::hlo
