// A listing of machine code: the text that nvdisasm -c -hex prints (also with -g or -plr), or cuobjdump -sass.
//
//     .text.dot:                                             kernel "dot"
//             /*0070*/  @P1 BRA `(.L_x_1) ;  /* 0x...1947 */     instruction 7: guard @P1, "BRA", target .L_x_1
//                                            /* 0x...0000 */     its second half: control word {stall 5, yields 0}
//     .L_x_2:                                                a label before the next instruction
//
// Not an assembler: operands stay text (core/sass/operands.h reads the registers), and an operation is any word.
//
// Law: every text gives a listing or a Diag; a line that is no instruction is skipped. Work is linear in the text and
// counts against the WorkBudget.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/sass/control.h"

namespace tessera::sass {

// @!P0: register 0, negated.
struct Guard {
  int number = -1;  // -1: none
  bool uniform = false, negated = false;
  bool operator==(const Guard&) const = default;
};

struct Instruction {
  i64 address = 0;
  int line = 0;                       // of the text, from 1
  Guard guard;                        // none for @PT
  std::string operation;              // "LDG.E.64"
  std::vector<std::string> operands;  // "R2", "[R2.64+0x10]", "`(.L_x_2)"
  std::uint64_t low = 0, high = 0;    // the encoding; 0: the text has none
  std::string source;                 // "a.cu:12", from -g; else empty
  [[nodiscard]] Control control() const { return decoded(high); }
  // "LDG" of "LDG.E.64".
  [[nodiscard]] std::string_view unit() const;
  // Whether ".64" is among the words after the dots.
  [[nodiscard]] bool has(std::string_view word) const;
  // "@!P0 LDG.E R2, [R2.64]"
  [[nodiscard]] std::string text() const;
};

struct Kernel {
  std::string name;
  std::string architecture;  // "sm_80"; empty: not said
  std::vector<Instruction> code;
  std::map<std::string, int> labels;  // to the index of the instruction after it, code.size() at the end
  int registers = 0;                  // of .sectioninfo; 0: not said
  bool encoded = false;               // every instruction has its encoding
};

struct Listing {
  std::vector<Kernel> kernels;
};

[[nodiscard]] bool isListing(std::string_view text);
[[nodiscard]] Result<Listing> read(std::string_view text);

}  // namespace tessera::sass
