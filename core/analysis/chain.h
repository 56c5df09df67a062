// Chain: a tile's way from global memory through shared memory and registers into an mma, each step checked
// element by element.
//
//     chain(G, cp.async16, S, ldmatrix.x4, mma.m16n8k16.f16, A, fp16)
//         global -> shared      every element once; sectors of the read, wavefronts of the write
//         shared -> registers   every element once; wavefronts of the read
//         registers -> mma      what lane and value hold after the load is what the operand asks for
//
// A check holds, or names the first coordinate where it does not. Everything is enumerated: a tile of shared memory is
// small. Law: `moved` of an edge is true exactly when its accesses touch each (row, column) once.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/access.h"
#include "core/atlas/atlas.h"
#include "core/base/result.h"

namespace tessera {

struct ChainCheck {
  std::string name;  // "each element once", "no alias"
  bool holds = true;
  std::string text;  // the numbers, or the first coordinate where it breaks
  bool operator==(const ChainCheck&) const = default;
};

struct ChainEdge {
  std::string from, to, by;  // "global", "shared", "cp.async16"
  std::vector<ChainCheck> checks;
  std::vector<std::string> badges;  // "sectors 256 of 256", "wavefronts 512, ideal 64"
  bool costly = false;              // some badge is above its ideal
  [[nodiscard]] bool holds() const;
  bool operator==(const ChainEdge&) const = default;
};

struct Chain {
  Tile global, shared;
  AccessSpec copy, load;
  AtlasRow mma;
  std::string operand;
  cute::Layout fragment;  // (lane, value) -> index in the operand's tile, as the load leaves it
  std::vector<ChainEdge> edges;
};

// Requires tiles of one shape. A Diag when an access does not fit its tile, the copy is no copy, the load is no load of
// shared memory, or the mma's operand is of another element size.
[[nodiscard]] Result<Chain> makeChain(Tile global, const AccessSpec& copy, Tile shared, const AccessSpec& load,
                                      const AtlasRow& mma, std::string_view operand);
// A line an edge: "global -> shared by cp.async16: proved; sectors 256 of 256; ..."
[[nodiscard]] std::string print(const Chain& chain);

}  // namespace tessera
