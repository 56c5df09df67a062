// Listing: an HLO module in a worksheet, and its parts by name.
//
//     hlo soft { ... }                         Listing{"soft", module}
//     soft.%fusion.1, soft.fusion.1            Part: that instruction; the entry computation is searched first
//     soft.%fused_computation                  Part: a computation
//     soft.%region_0.1.%add.2                  Part: an instruction of that computation
//
// What a part reads of one operand, as a map for claims, views and compositions:
//
//     %r = f32[4] reduce(%x, %zero), dimensions={1}       mapOf(reads(r, 0))     (d0)[s0] -> (d0, s0), inside of [4,8]
//     p + transpose(p), fused                             reads(f, 0).maps       two: mapOf needs `which`
//     a computation                                       operand k is its parameter k, through all calls
//
// Laws: the map's axes have the operand's sizes as extents, so in_bounds is a claim about the operand. An unknown read
// is a Diag, never an empty map. Every span of the module is inside the block's statement, so a diagnostic can show its
// line. Two listings are equal if their names and texts are equal.
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

// The part of that name, with or without %. nullopt: no such name, or several computations other than the entry have an
// instruction of that name.
[[nodiscard]] std::optional<Part> findPart(const Listing& listing, std::string_view name);
// The Diag for a failed findPart: it has the nearest name, or the number of computations that have the name.
[[nodiscard]] Diag noSuchPart(const Listing& listing, std::string_view name);

// The module's problems, one Diag each: at most `most`, then one that counts the rest.
[[nodiscard]] std::vector<Diag> notesOf(const Module& module, std::size_t most = 20);

// A summary, because modules can be large: "HloModule jit_softmax: 3 computations, 24 instructions".
[[nodiscard]] std::string print(const Listing& listing);
// "%t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}": its line, runs of blanks joined, cut after 2,000 bytes.
[[nodiscard]] std::string print(const Part& part);

// The number of operands of an instruction, or of parameters of a computation.
[[nodiscard]] int operandsOf(const Part& part);
[[nodiscard]] std::string operandName(const Part& part, int operand);  // "x"; "?": not in the text
[[nodiscard]] Result<xla::Shape> operandShape(const Part& part, int operand);
// The shape of the instruction or of the computation's root; for several outputs, the selected one.
[[nodiscard]] Result<xla::Shape> shapeOf(const Part& part);

// What is read of one operand. A Diag: there is no such operand, or the instruction contradicts itself.
[[nodiscard]] Result<Reach> reads(const Part& part, int operand);
// Where the operand's elements go in the selected output; for a computation, in the output of its root.
[[nodiscard]] Result<Reach> uses(const Part& part, int operand);

// Map number `which` (-1: the only one) into an array of these sizes. A Diag: the reads are unknown or none, or there
// are several maps.
[[nodiscard]] Result<Map> mapOf(const Reach& reach, const std::vector<i64>& sizes, int which = -1);

}  // namespace tessera::hlo
