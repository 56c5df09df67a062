// Chain: the path of a tile from global memory through shared memory and registers into an mma, with each step checked
// element by element.
//
//     chain(G, cp.async16, S, ldmatrix.x4, mma.m16n8k16.f16, A, fp16)
//         global -> shared      every element once; sectors of the read, wavefronts of the write
//         shared -> registers   every element once; wavefronts of the read
//         registers -> mma      each (lane, value) after the load holds what the operand requires
//
// A check holds, or names the first coordinate where it fails. Everything is enumerated, because a tile of shared
// memory is small.
// Law: "each element once" holds exactly if the edge's accesses touch each (row, column) once.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/atlas/atlas.h"
#include "core/base/result.h"

namespace tessera {

struct ChainCheck {
  std::string name;  // "each element once", "no alias"
  bool holds = true;
  std::string text;  // the numbers, or the first coordinate where it fails
  bool operator==(const ChainCheck&) const = default;
};

struct ChainEdge {
  std::string from, to, by;  // "global", "shared", "cp.async16"
  std::vector<ChainCheck> checks;
  std::vector<std::string> badges;  // "sectors 256 of 256", "wavefronts 512, ideal 64"
  bool costly = false;              // some badge exceeds its ideal
  [[nodiscard]] bool holds() const;
  bool operator==(const ChainEdge&) const = default;
};

struct Chain {
  Tile global, shared;
  AccessSpec copy, load;
  AtlasRow mma;
  std::string operand;
  cute::Layout fragment;  // (lane, value) -> index in the operand's tile, after the load
  std::vector<ChainEdge> edges;
};

// Requires tiles of the same shape. A Diag: an access does not fit its tile, `copy` is not a copy, `load` does not load
// from shared memory, or the mma's operand has another element size.
[[nodiscard]] Result<Chain> makeChain(Tile global, const AccessSpec& copy, Tile shared, const AccessSpec& load,
                                      const AtlasRow& mma, std::string_view operand);
// One line per edge: "global -> shared by cp.async16: proved; sectors 256 of 256; ..."
[[nodiscard]] std::string print(const Chain& chain);

}  // namespace tessera
