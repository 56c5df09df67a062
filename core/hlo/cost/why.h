// Why: the causes of a kernel's memory traffic, and changes that remove them.
//
//     softmax as one loop: divide(e, broadcast(reduce(e)))
//         x is requested 257 times: repeated, because %broadcast makes every result compute %reduce again;
//         split the fusion at %reduce: 18.9 MB instead of 2.16 GB
//     f32[100,200] + f32[100,200]{0,1}, a loop
//         q: scattered, 32 sectors where 4 would do: its layout is {0,1}, the lanes go along dimension 1;
//         with {1,0}, 1 time
//
// How: asked / needed is repeats * spread: how often an element is requested, and the sectors per sector that the
// distinct bytes of an access fill. The cause inside a fusion is the instruction where a factor, measured for the reads
// of that instruction alone, first exceeds those of its operands. A change is measured in the same way: another layout
// of the operand, or the fusion as two kernels (splitAt).
//
// Laws: the factors multiply to asked / needed; a change is only offered if it asks for less. The maps of a split
// kernel, composed, are those of the fusion (checked by the caller with sameMaps; tests/hlo/why_test.cpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/cost/waste.h"

namespace tessera::hlo {

// A fusion as two kernels: `text` is a module whose entry calls the part that computes `at`, then the rest.
struct Split {
  Where at;  // in the fusion's computation
  std::string text;
  i64 asked = 0;    // by both kernels
  i64 written = 0;  // the bytes between them, which are also read again
};
// Another layout of an operand.
struct Relayout {
  xla::Shape shape;
  i64 asked = 0;
};

struct OperandWhy {
  int operand = 0;
  std::string name = {};
  i64 needed = 0, asked = 0;
  double repeats = 1, spread = 1;
  Where repeatedBy{-1, -1}, scatteredBy{-1, -1};  // inside the fusion, or the kernel itself; computation -1: no cause
  std::optional<Relayout> relayout = {};
  std::optional<Split> split = {};
  std::string why = {};  // why nothing is known
};
struct KernelWhy {
  KernelWaste waste;
  bool tiles = false;  // blocks repeat what they share with other blocks
  std::vector<OperandWhy> operands = {};
};
// A Diag: the instruction reads no memory itself.
[[nodiscard]] Result<KernelWhy> whyOf(const Module& module, Where where);
// The same for a kernel of wasteOf or a ranking, kept with the module. nullptr: it takes more than 2 s of work.
[[nodiscard]] std::shared_ptr<const KernelWhy> keptWhy(const Module& module, const KernelWaste& kernel);

// The fusion as two kernels. A Diag: the instruction is the root, a parameter or a constant, or is not in the fusion.
[[nodiscard]] Result<std::string> splitAt(const Module& module, Where fusion, Where inside);

// Sentences, one per line.
[[nodiscard]] std::vector<std::string> sentencesOf(const Module& module, const KernelWhy& why);

}  // namespace tessera::hlo
