// Listing: a module as a block of a worksheet has it, and its parts by name.
//
//     hlo soft { ... }                         Listing{"soft", module}
//     soft.%fusion.1, soft.fusion.1            Part: that instruction, of the entry computation before others
//     soft.%fused_computation                  Part: a computation
//     soft.%region_0.1.%add.2                  Part: an instruction of that computation
//
// Law: every span of the module lies in the statement that the block is, so that a remark can show its line.
// Two listings are equal when their names and texts are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/op_maps.h"

namespace tessera::hlo {

struct Listing {
  std::string name;
  std::shared_ptr<const Module> module;  // never null
  bool operator==(const Listing& other) const;
};

// "hlo NAME { ... }", whose head and closing brace are read as blanks; and the text of a dump. A Diag: it has no computation.
[[nodiscard]] Result<Listing> readBlock(std::string_view statement);
[[nodiscard]] Result<Listing> readListing(std::string name, std::string text);

// An instruction of a module, or a whole computation.
struct Part {
  Listing of;
  int computation = 0;
  int instruction = -1;  // -1: the computation
  int output = 0;        // which of its outputs is meant, where it has several
  bool operator==(const Part&) const = default;

  [[nodiscard]] bool isComputation() const { return instruction < 0; }
  [[nodiscard]] const Module& module() const { return *of.module; }
  [[nodiscard]] const Computation& itsComputation() const {
    return module().computations[static_cast<std::size_t>(computation)];
  }
  // Of a computation: its root. Requires that there is one.
  [[nodiscard]] const Instruction& itsInstruction() const;
  [[nodiscard]] bool hasInstruction() const;
  [[nodiscard]] std::string_view name() const;  // "fusion.1"
};

// The part of that name, with or without %; nullopt: there is none, or several computations have an instruction of that name and
// none of them is the entry's.
[[nodiscard]] std::optional<Part> findPart(const Listing& listing, std::string_view name);
// Why there is none: a Diag with the nearest name or the computations that have it.
[[nodiscard]] Diag noSuchPart(const Listing& listing, std::string_view name);

// What is wrong in the text, a remark each, at most `most` of them and one that counts the others.
[[nodiscard]] std::vector<Diag> notesOf(const Module& module, std::size_t most = 20);

// "HloModule jit_softmax: 3 computations, 24 instructions": a module may be a book.
[[nodiscard]] std::string print(const Listing& listing);
// "%t = f32[4,8]{1,0} transpose(%p), dimensions={1,0}": as its line is, blanks made one, cut after 2,000 bytes.
[[nodiscard]] std::string print(const Part& part);

}  // namespace tessera::hlo
