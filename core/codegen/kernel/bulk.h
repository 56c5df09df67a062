// Bulk: writes mbarrier operations, and the TMA copies that arrive at mbarriers.
//
//     tessera::mbarrier_expect(&full[kt % 3], 32768);
//     tessera::cp_async_bulk_tensor_2d_load(&sA[kt % 3 * 8192], A_map, 64 * kt, 128 * bm, &full[kt % 3]);
//     tessera::mbarrier_wait(&full[kt % 3], kt / 3 % 2);      phase kt / 3 by its parity; O1 excludes all other phases
#pragma once

#include <vector>

#include "core/codegen/kernel/kernel.h"
#include "core/codegen/operand/addresses.h"

namespace tessera::codegen {

// A tensor map as a parameter of the kernel.
struct MapParam {
  Root* root = nullptr;
  Writer::Name name = -1;
  TensorMap map;
  std::vector<int> dims;  // declared dimensions, innermost first
};

class Bulk : KernelText {
 public:
  Bulk(const KernelText& kernel, Storage& storage, Addresses& addresses)
      : KernelText(kernel), storage_(storage), addresses_(addresses) {}

  Result<void> barrier(const graphene::Mbarrier& m);
  Result<void> copy(const graphene::Atom& atom, const graphene::Spec& spec);
  [[nodiscard]] const std::vector<MapParam>& maps() const { return maps_; }  // of the copies written so far

 private:
  [[nodiscard]] Result<MapParam> mapOf(const graphene::AtomBox& box, const graphene::Tensor& global) const;

  Storage& storage_;
  Addresses& addresses_;
  std::vector<MapParam> maps_;
};

}  // namespace tessera::codegen
