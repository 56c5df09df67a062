// Bulk: barriers that count, and the copies of TMA that arrive at them.
//
//     tessera::mbarrier_expect(&full[kt % 3], 32768);
//     tessera::cp_async_bulk_tensor_2d_load(&sA[kt % 3 * 8192], A_map, 64 * kt, 128 * bm, &full[kt % 3]);
//     tessera::mbarrier_wait(&full[kt % 3], kt / 3 % 2);      phase kt / 3 by its parity; O1 excludes other phases
#pragma once

#include <vector>

#include "core/codegen/kernel/kernel.h"
#include "core/codegen/operand/addresses.h"

namespace tessera::codegen {

// A parameter that is a tensor map.
struct MapParam {
  Root* root = nullptr;
  Writer::Name name = -1;
  TensorMap map;
  std::vector<int> dims;  // declared, innermost first
};

class Bulk : KernelText {
 public:
  Bulk(const KernelText& kernel, Storage& storage, Addresses& addresses)
      : KernelText(kernel), storage_(storage), addresses_(addresses) {}

  Result<void> barrier(const graphene::Mbarrier& m);
  Result<void> copy(const graphene::Atom& atom, const graphene::Spec& spec);
  [[nodiscard]] const std::vector<MapParam>& maps() const { return maps_; }  // of all copies so far

 private:
  [[nodiscard]] Result<MapParam> mapOf(const graphene::AtomBox& box, const graphene::Tensor& global) const;

  Storage& storage_;
  Addresses& addresses_;
  std::vector<MapParam> maps_;
};

}  // namespace tessera::codegen
