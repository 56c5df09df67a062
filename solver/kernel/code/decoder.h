// Decoder: makes the steps of a Program, function by function. An internal header of decode.cpp and its parts.
#pragma once

#include <unordered_map>

#include "solver/kernel/code/program.h"

namespace tessera::kernel {

// Where a name of a function leads.
struct Symbol {
  ptx::Space space = ptx::Space::Generic;  // Special: a label or a function
  i64 offset = 0;                          // in its space; of a label or a function: a step
  ptx::Type type = ptx::Type::None;
};

class Decoder {
 public:
  Decoder(const ptx::Module& module, Program& program) : module_(module), program_(program) {}
  Result<void> decode(const ptx::Function& entry);

 private:
  struct Scope {
    int parent = -1;
    std::unordered_map<std::string, Symbol> names;
  };
  // decode.cpp
  void layOutModule(const ptx::Function& entry);
  int functionOf(const ptx::Function& f);
  void layOut(int function);
  void declare(const ptx::Variable& v, int scope);
  void steps(int function);
  [[nodiscard]] const Symbol* find(std::string_view name) const;
  Step stepOf(const ptx::Instruction& i);
  void control(Step& s, const ptx::Instruction& i);
  void call(Step& s, const ptx::Instruction& i);
  bool compute(Step& s, const ptx::Instruction& i);
  int operationFor(Step& s, const std::string& opcode);  // of Program::operations; -1 after fail
  // operands.cpp
  [[nodiscard]] Place placeOf(int reg) const;
  Place constant(u64 value);
  Place value(Step& s, const ptx::Operand& o, ptx::Type as);
  std::optional<u64> address(Step& s, const ptx::Operand& o);  // of a symbol, as a generic or space address
  void flatten(Step& s, const ptx::Operand& o, std::vector<const ptx::Operand*>& out) const;
  void results(Step& s, const ptx::Operand& o);
  void sources(Step& s, const ptx::Operand& o, ptx::Type as);
  void memory(Step& s, const ptx::Operand& o, ptx::Space space);  // the address of s
  void fail(Step& s, std::string message);
  // memory_steps.cpp, async_steps.cpp: whether the opcode is theirs
  bool memoryStep(Step& s, const ptx::Instruction& i);
  bool asyncStep(Step& s, const ptx::Instruction& i);
  void bulk(Step& s, const ptx::Instruction& i);
  void tensor(Step& s, const ptx::Instruction& i);  // tensor_steps.cpp

  const ptx::Module& module_;
  Program& program_;
  std::unordered_map<std::string, int> functions_;  // number in Program::functions
  std::unordered_map<std::string, Symbol> globals_;
  std::unordered_map<u64, Place> constants_;
  std::unordered_map<std::string, int> operations_;
  std::vector<Scope> scopes_;
  std::vector<int> scopeOf_;  // by instruction of the current function
  int scope_ = 0;             // of the current instruction
  int function_ = 0;
  std::vector<Place> places_;  // by register of the current function
};

}  // namespace tessera::kernel
