// Definitions: what a program's specifications say about its outputs, as numbers of interned texts, for every size.
//
//     %mean <- Spec<mean>(%x) means { %mean[i] = (sum(k < 8*C) %x[i,k]) / [8*C] }
//     %y <- Spec<rows>(%x, %mean) means { %y[i,j] = %x[i,j] - %mean[i] }
//
//     0: rank 1: sum(d1 < 8*C) %x[d0,d1] / [8*C]
//     1: rank 2: %x[d0,d1] - #0[d0]        the same as of one specification with m[i] = ... in place of %mean
//
// Names of indices and of named values do not matter; a tensor that an earlier kernel wrote is a named value. Unless a
// value refers to itself, a second text has all values inlined and operands of + * max min sorted (inlined.h).
//
// Law: if two programs have an equal number and extents for an output, and each of their kernels computes what it
// states, then the output is equal over the real numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

class Definitions {
 public:
  struct Output {
    int definition = -1;
    int inlined = -1;     // as inlined.h has it; -1: it has none
    std::string extents;  // "[128*M,128]"
    bool passed = false;  // a later kernel reads it
    [[nodiscard]] bool same(const Output& other) const {
      return extents == other.extents && (definition == other.definition || (inlined >= 0 && inlined == other.inlined));
    }
  };
  // By the names of the tensors that the kernels write. A Diag: a kernel states no function, works on a part of a
  // tensor, or a type is no floating type.
  [[nodiscard]] Result<std::map<std::string, Output>> of(const Program& program);

 private:
  friend class DefinitionText;
  [[nodiscard]] int intern(std::string text);
  std::map<std::string, int> numbers_;
};

}  // namespace tessera::graphene
