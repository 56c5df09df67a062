// Listing: an HLO module as a worksheet block, and its parts by name.
//
//     hlo soft { ... }                         Listing{"soft", module}
//     soft.%fusion.1, soft.fusion.1            Part: that instruction; the entry computation is searched first
//     soft.%fused_computation                  Part: a computation
//     soft.%region_0.1.%add.2                  Part: an instruction of that computation
//
// Laws: every span of the module lies in the block's statement, so a diagnostic can show its line. Two listings are
// equal when their names and texts are equal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

struct Listing {
  std::string name;
  std::shared_ptr<const Module> module;  // never null
  bool operator==(const Listing& other) const;
};

// Reads "hlo NAME { ... }" (head and closing brace become blanks), or the text of a dump. A Diag: no computation in it.
[[nodiscard]] Result<Listing> readBlock(std::string_view statement);
[[nodiscard]] Result<Listing> readListing(std::string name, std::string text);

// An instruction of a module, or a whole computation.
struct Part {
  Listing of;
  int computation = 0;
  int instruction = -1;  // -1: the computation
  int output = 0;        // selected output, if there are several
  bool operator==(const Part&) const = default;

  [[nodiscard]] bool isComputation() const { return instruction < 0; }
  [[nodiscard]] const Module& module() const { return *of.module; }
  [[nodiscard]] const Computation& itsComputation() const { return module().computation(computation); }
  // For a computation: its root. Requires: hasInstruction().
  [[nodiscard]] const Instruction& itsInstruction() const;
  [[nodiscard]] bool hasInstruction() const;
  [[nodiscard]] std::string_view name() const;  // "fusion.1"
};

// The part of that name, with or without %. nullopt: no such name, or several computations have an instruction of that
// name and the entry computation has none.
[[nodiscard]] std::optional<Part> findPart(const Listing& listing, std::string_view name);
// The Diag for a failed findPart: the nearest name, or the computations that have it.
[[nodiscard]] Diag noSuchPart(const Listing& listing, std::string_view name);

// The module's problems, one Diag each: at most `most`, then one that counts the rest.
[[nodiscard]] std::vector<Diag> notesOf(const Module& module, std::size_t most = 20);

// "HloModule jit_softmax: 3 computations, 24 instructions". A summary, because modules can be large.
[[nodiscard]] std::string print(const Listing& listing);
// "%t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}": its line, runs of blanks joined, cut after 2,000 bytes.
[[nodiscard]] std::string print(const Part& part);

}  // namespace tessera::hlo
