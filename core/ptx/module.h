// Module: a PTX text as it was written: its variables and functions, with every name of a register resolved.
//
//     .visible .entry add(.param .u64 p) {            Function "add": one parameter, entry
//       .reg .b32 %r<3>;                              registers 0, 1, 2: %r0 %r1 %r2, of type B32
//       .loc 1 7 0                                    locations[0] = {file 1, line 7, column 0}
//       @%p1 add.s32 %r1, %r2, 7;                     opcode {"add", "s32"}, guard %p1, operands %r1 %r2 7
//     }
//
// Law: read(print(m)) equals m up to lines and columns of the text, for every module that read() accepts
// (tests/ptx). Nothing is checked but the syntax: an instruction that no GPU has is kept, and refused by the one who
// executes it.
//
// Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types, variables), 7 (ABI), 11 (directives).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/types.h"

namespace tessera::ptx {

enum class Space : unsigned char { Generic, Register, Param, Local, Shared, Global, Const, Special };

// A fundamental or packed type of PTX, without its dot: "u32", "f16x2", "b128", "pred". None: no type.
enum class Type : unsigned char {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  F16x2,
  BF16x2,
  F32x2,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  E2M3x2,
  E3M2x2,
  E2M1x2,
  UE8M0x2,
  E4M3x4,
  E5M2x4,
  E2M1x4,
  E2M3x4,
  E3M2x4,
  U16x2,
  S16x2,
  U8x4,
  S8x4,
  TexRef,
  SamplerRef,
  SurfRef,
};
[[nodiscard]] Type typeNamed(std::string_view name);  // None if there is no such type
[[nodiscard]] std::string_view nameOf(Type type);
[[nodiscard]] int bitsOf(Type type);  // 1 for Pred, 0 for None

// An opcode with its modifiers: "ld.global.v4.f32" is {"ld", "global", "v4", "f32"}. "shared::cta" is one modifier.
struct Opcode {
  std::string text;                     // as written, without blanks
  std::vector<std::string_view> parts;  // of `text`: the base first
  Opcode() = default;
  explicit Opcode(std::string written);
  Opcode(const Opcode& other) : Opcode(other.text) {}
  Opcode(Opcode&& other) noexcept;
  Opcode& operator=(Opcode other) noexcept;
  ~Opcode() = default;
  [[nodiscard]] std::string_view base() const { return parts.empty() ? std::string_view{} : parts.front(); }
  [[nodiscard]] bool has(std::string_view modifier) const;
  // The n-th modifier that is a type, counted from the last: type(0) of "cvt.rn.f16.f32" is F32, type(1) F16. None if
  // there are fewer.
  [[nodiscard]] Type type(int fromLast = 0) const;
  [[nodiscard]] std::vector<Type> types() const;  // in order
  bool operator==(const Opcode& other) const { return text == other.text; }
};

struct Operand {
  enum class Kind : unsigned char {
    Register,  // `index` of Function::registers
    Special,   // "%tid" with component 0 (.x), "%laneid" with -1
    Integer,   // `bits`, as two's complement
    Float,     // `bits` of an f32 (0f3F800000; type F32) or f64 (0d..., or a decimal number; type F64)
    Symbol,    // a variable, parameter, label or function: `name`, plus `offset` as in "name+4"
    Address,   // [base+offset]: parts[0] is the base without the offset (Register, Symbol, Special or Integer);
               // further parts: [tensorMap, {c0,c1}]
    Vector,    // {a, b, c}
    Group,     // (a, b): the parameters of a call
    Pair,      // p|q: the two results of setp or shfl
    Sink,      // _
  };
  Kind kind = Kind::Sink;
  bool negated = false;  // !%p or -%r; of a number the sign is in `bits`
  Type type = Type::None;
  int index = -1;      // Register
  int component = -1;  // .x .y .z .w (of a special register), or an element of a vector register
  i64 offset = 0;      // Address, Symbol
  u64 bits = 0;        // Integer, Float
  std::string name;    // Symbol, Special ("%tid", "WARP_SZ"); of a Register the selector of a video instruction: "b0"
  std::vector<Operand> parts;
  bool operator==(const Operand&) const = default;
};

struct Guard {
  int index = -1;  // register; -1: none
  bool negated = false;
  bool operator==(const Guard&) const = default;
};

struct Instruction {
  Guard guard;
  Opcode opcode;
  std::vector<Operand> operands;
  int line = 0;       // of the PTX text, from 1
  int location = -1;  // of Module::locations: the last .loc before it in its function
  bool operator==(const Instruction& o) const {
    return guard == o.guard && opcode == o.opcode && operands == o.operands;
  }
};

// A variable of a state space other than registers, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  int vector = 1;                       // .v2, .v4
  std::vector<i64> extents;             // [4][8]; an extent of 0 is unsized: [ ]
  i64 align = 0;                        // 0: natural
  std::string linkage;                  // ".extern", ".visible", ".weak", ".common", or empty
  std::vector<std::string> attributes;  // ".ptr .global .align 1", ".attribute(.managed)": kept for printing
  struct Initial {
    u64 bits = 0;
    std::string symbol;  // of an address; generic(symbol) has `generic`
    bool generic = false;
    u64 mask = 0;  // of 0xFF00(symbol): the bits of the address that are kept, shifted to bit 0; 0: all
    bool operator==(const Initial&) const = default;
  };
  std::vector<Initial> initial;  // flattened; the rest is zero
  int line = 0;
  bool operator==(const Variable&) const;
  [[nodiscard]] i64 bytes() const;  // 0 if unsized
  [[nodiscard]] i64 alignment() const;
};

struct RegisterDeclaration {
  std::string name;  // "%r" of "%r<3>"
  Type type = Type::B32;
  int vector = 1;
  int count = 0;  // of "<count>"; 0: a single register of this name
  int first = 0;  // index of the first
  bool operator==(const RegisterDeclaration&) const = default;
};

struct Location {  // .loc, with inlined_at
  int file = 0, line = 0, column = 0;
  std::string function;  // label of the function name, or empty
  int functionOffset = 0;
  std::optional<std::array<int, 3>> inlinedAt;
  bool operator==(const Location&) const = default;
};

// One item of a body, in order of the text.
struct Statement {
  enum class Kind : unsigned char { Instruction, Label, Variable, Registers, Open, Close, Location, Directive };
  Kind kind = Kind::Instruction;
  int index = 0;  // of instructions, labels, variables, declarations, Module::locations, directives; Open, Close: none
  bool operator==(const Statement&) const = default;
};

struct Function {
  std::string name;
  std::string linkage;
  bool entry = false;
  bool defined = false;                       // false: a declaration
  std::vector<Variable> results, parameters;  // in Space::Param or Space::Register
  // ".maxntid 128, 1, 1" before the body, then those of the body, as text without the semicolon:
  // "table: .branchtargets a, b", "proto: .callprototype (.param .b32 _) _ (.param .b64 _)".
  std::vector<std::string> directives;
  // In order of the text. Those of results and parameters in Space::Register come first and have no statement.
  std::vector<RegisterDeclaration> declarations;
  int registerCount = 0;
  std::vector<Instruction> instructions;
  std::vector<std::string> labels;
  std::vector<Variable> variables;  // of the body: shared, local, param, const ... (also in inner blocks)
  std::vector<Statement> body;
  int line = 0;
  bool operator==(const Function&) const;
  // Requires: 0 <= index < registerCount.
  [[nodiscard]] const RegisterDeclaration& declaration(int index) const;
  [[nodiscard]] std::string registerName(int index) const;
};

struct Module {
  int major = 0, minor = 0;  // .version
  std::string target;        // "sm_90a", with options: "sm_80, debug"
  int addressSize = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Location> locations;
  std::unordered_map<int, std::string> files;  // .file
  std::vector<std::string> directives;  // other module directives and sections (.section .debug_str {...}), as text
  // Order of printing: variables and functions by their `line`.
  bool operator==(const Module&) const = default;
  [[nodiscard]] const Function* function(std::string_view name) const;
};

}  // namespace tessera::ptx
