// The addresses of an instruction in every execution of a launch, from their terms.
//
//     st.shared [s + 4 (tid.x ^ 8 k)], 4 turns, 64 blocks of 128 threads     {(32,4,4): ..., lane, warp, visit}
//
// A large launch is taken apart: a sum of terms of the thread and of terms of the block is a table of each, if no sum
// of 32 bits overflows; a term that moves all threads by the same number in each visit is a table of visits. So every
// thread, visit and block is looked at, but not every combination.
//
// Law: at each coordinate the table's address is the one that the machine accesses there (tests/kernel).
#pragma once

#include "solver/kernel/addresses/address_terms.h"

namespace tessera::kernel {

struct WholeTable {
  // nullopt: the addresses have no terms, or are too many; or lanes or warps differ in what they execute.
  std::optional<AccessTable> table;
  bool contradicts = false;  // a recorded address is not that of the terms: a fault of AddressTerms
};
// Requires: the run has ended.
[[nodiscard]] WholeTable wholeTable(AddressTerms& addresses, const Launch& launch, const AccessLine& line);

}  // namespace tessera::kernel
