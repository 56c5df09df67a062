// Products of a warpgroup: descriptors of their matrices, and registers that arrive later.
//
//     tessera::wgmma_m64n128k16_f32_f16_f16_ss<0, 0>(
//         acc, tessera::matrix_descriptor<1, 1, 64>(&sA[kt % 3 * 4096 + 16 * k]), ...);
//     tessera::wgmma_commit();
//     tessera::wgmma_wait<0>();
//     tessera::settled<64>(acc);      nothing at run time: the compiler reads acc after the wait, not before it
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/program.h"

namespace tessera::codegen {

class Addresses;
class Writer;
struct Place;

// Tensors, where they are declared: the sums of products, and A in registers; the matrices, and what TMA writes.
struct Products {
  std::set<const graphene::Tensor*> sums, matrices;
};
[[nodiscard]] Products productsOf(const graphene::Program& program, const std::string& architecture);

Result<void> writeProduct(const graphene::Atom& atom, const graphene::Spec& spec, const std::vector<Place>& places,
                          Addresses& addresses, Writer& out);

}  // namespace tessera::codegen
