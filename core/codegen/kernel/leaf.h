// Leaf: writes the instruction that matchAtom finds for a leaf, as C++ or as a call of the prelude.
//
//     %sum <- BinaryOp<+>(%a, %b)     sum = sum + b[0];
//     %a <- Move<<<#warp>>>(%s)       tessera::ldmatrix_x4(a, &sA[...]);
//     %acc <- MatMul<<<#wg>>>(%sA, %sB)
//         tessera::wgmma_m64n128k16_f32_f16_f16_ss<0, 0>(
//             acc, tessera::matrix_descriptor<1, 1, 64>(&sA[kt % 3 * 4096 + 16 * k]), ...);
//         tessera::wgmma_commit();
//         tessera::wgmma_wait<0>();
//         tessera::settled<64>(acc);      no code: it makes the compiler read acc after the wait
#pragma once

#include <string>

#include "core/codegen/kernel/bulk.h"

namespace tessera::codegen {

// A Diag: it is not an instruction of the architecture, or not one that can be generated.
Result<void> writeLeaf(const graphene::Spec& spec, const std::string& architecture, Addresses& addresses, Bulk& bulk,
                       Writer& out);

}  // namespace tessera::codegen
