// An instruction of a kernel: what matchAtom says it is, written as C++ or as a call of the prelude.
//
//     %sum <- BinaryOp<+>(%a, %b)     sum = sum + b[0];
//     %a <- Move<<<#warp>>>(%s)       tessera::ldmatrix_x4(a, &sA[...]);
#pragma once

#include <string>

#include "core/codegen/kernel/bulk.h"

namespace tessera::codegen {

// A Diag: it is no instruction of the architecture, or none that is generated.
Result<void> writeLeaf(const graphene::Spec& spec, const std::string& architecture, Addresses& addresses, Bulk& bulk,
                       Writer& out);

}  // namespace tessera::codegen
