#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/base/work.h"
#include "core/ptx/read.h"
#include "solver/kernel/code/decoder.h"

namespace tessera::kernel {

using ptx::Operand;
using ptx::Space;
using ptx::Statement;
using ptx::Type;

namespace {

i64 up(i64 value, i64 to) { return (value + to - 1) / to * to; }

void addNames(const Operand& operand, std::vector<std::string_view>& names) {
  if (operand.kind == Operand::Kind::Symbol) names.push_back(operand.name);
  for (const Operand& part : operand.parts) addNames(part, names);
}

// The names of the module that the entry mentions, directly or through functions and initial values.
std::set<std::string_view> namesUsedBy(const ptx::Module& module, const ptx::Function& entry) {
  std::unordered_map<std::string_view, const ptx::Function*> functions;
  std::unordered_map<std::string_view, const ptx::Variable*> variables;
  for (const ptx::Function& f : module.functions)
    if (f.defined) functions[f.name] = &f;
  for (const ptx::Variable& v : module.variables) variables[v.name] = &v;
  std::set<std::string_view> used;
  std::vector<std::string_view> waiting{entry.name};
  while (!waiting.empty()) {
    spend();
    const std::string_view name = waiting.back();
    waiting.pop_back();
    if (!used.insert(name).second) continue;
    const auto initial = [&](const ptx::Variable& v) {
      for (const ptx::Variable::Initial& i : v.initial)
        if (!i.symbol.empty()) waiting.push_back(i.symbol);
    };
    if (const auto v = variables.find(name); v != variables.end()) initial(*v->second);
    const auto f = functions.find(name);
    if (f == functions.end()) continue;
    for (const ptx::Variable& v : f->second->variables) {
      used.insert(v.name);
      initial(v);
    }
    for (const ptx::Instruction& i : f->second->instructions)
      for (const Operand& o : i.operands) addNames(o, waiting);
  }
  return used;
}

}  // namespace

Result<Program> decode(const ptx::Module& module, const ptx::Function& entry) {
  if (!entry.defined)
    return Diag{fmt::format("{} is only declared in this module", entry.name), "an entry with a body"};
  Program program;
  TESSERA_CHECKED(Decoder(module, program).decode(entry));
  return program;
}

Result<void> Decoder::decode(const ptx::Function& entry) {
  program_.registers = kSpecials;
  program_.localBytes = kLocalMargin;
  layOutModule(entry);
  functionOf(entry);
  for (std::size_t k = 0; k < program_.functions.size(); ++k) {  // grows while steps name further functions
    layOut(static_cast<int>(k));
    steps(static_cast<int>(k));
  }
  program_.localBytes += kLocalMargin;
  i64 at = 0;
  for (const ptx::Variable& v : entry.parameters) {
    at = up(at, v.alignment());
    program_.parameters.push_back({v.name, at, v.bytes(), v.extents.empty() ? v.type : Type::None});
    at += v.bytes();
  }
  program_.parameterBytes = at;
  program_.dynamicShared = up(program_.staticShared, program_.sharedAlign);
  // The address of dynamic shared memory is known now.
  for (Step& s : program_.steps)
    if (s.callee >= 0 && s.kind == Step::Kind::Call)
      s.target = program_.functions[static_cast<std::size_t>(s.callee)].begin;
  return {};
}

void Decoder::layOutModule(const ptx::Function& entry) {
  // Static shared memory that the entry uses comes first, then the unsized arrays, which all begin at its end.
  const std::set<std::string_view> used = namesUsedBy(module_, entry);
  const auto place = [&](const ptx::Variable& v) {
    program_.sharedAlign = std::max(program_.sharedAlign, v.alignment());
    if (v.bytes() == 0) return;
    program_.staticShared = up(program_.staticShared, v.alignment());
    program_.sharedVariables.emplace(v.name, program_.staticShared);
    program_.staticShared += v.bytes();
  };
  for (const ptx::Variable& v : module_.variables) {
    if (v.space == Space::Shared && used.contains(v.name)) place(v);
    if (v.space != Space::Global && v.space != Space::Const) continue;
    if (globals_.contains(v.name)) continue;
    globals_[v.name] = {Space::Global, static_cast<i64>(kGlobals + program_.globals.size() * kBufferStride), v.type};
    program_.globals.push_back(&v);
  }
  for (const ptx::Function& f : module_.functions)
    for (const ptx::Variable& v : f.variables)
      if (v.space == Space::Shared && used.contains(v.name) && !program_.sharedVariables.contains(v.name)) place(v);
  const i64 dynamic = up(program_.staticShared, program_.sharedAlign);
  std::set<std::string_view> unsized;
  const auto name = [&](const ptx::Variable& v) {
    if (v.space != Space::Shared) return;
    if (v.bytes() == 0 && used.contains(v.name)) unsized.insert(v.name);
    const auto at = program_.sharedVariables.find(v.name);
    globals_[v.name] = {Space::Shared, at != program_.sharedVariables.end() ? at->second : dynamic, v.type};
  };
  for (const ptx::Variable& v : module_.variables) name(v);
  for (const ptx::Function& f : module_.functions)
    for (const ptx::Variable& v : f.variables) name(v);
  if (unsized.size() == 1) program_.dynamicVariable = *unsized.begin();
}

std::pair<std::string, i64> Program::sharedVariableAt(i64 offset) const {
  if (offset >= dynamicShared) return {dynamicVariable, dynamicShared};
  std::pair<std::string, i64> out{"", 0};
  for (const auto& [name, from] : sharedVariables)
    if (from <= offset && (out.first.empty() || from > out.second)) out = {name, from};
  return out;
}

int Decoder::functionOf(const ptx::Function& f) {
  const auto [at, made] = functions_.try_emplace(f.name, static_cast<int>(program_.functions.size()));
  if (made) {
    Frame frame;
    frame.function = &f;
    frame.firstRegister = program_.registers;
    for (const ptx::RegisterDeclaration& d : f.declarations)
      program_.registers += std::max(d.count, 1) * std::max(d.vector, 1) * (d.type == Type::B128 ? 2 : 1);
    // Formal parameters that are registers are declared as such; those in memory have a place in the thread's memory.
    const auto formal = [&](const ptx::Variable& v) {
      program_.localBytes = up(program_.localBytes, std::max<i64>(v.alignment(), 8));
      const i64 offset = program_.localBytes;
      program_.localBytes += std::max<i64>(v.bytes(), 8);
      return offset;
    };
    if (!f.entry) {
      for (const ptx::Variable& v : f.parameters) frame.parameters.push_back(formal(v));
      for (const ptx::Variable& v : f.results) frame.results.push_back(formal(v));
    }
    program_.functions.push_back(std::move(frame));
  }
  return at->second;
}

void Decoder::declare(const ptx::Variable& v, int scope) {
  if (v.space == Space::Shared) return;
  if (v.space == Space::Global || v.space == Space::Const) {
    scopes_[static_cast<std::size_t>(scope)].names[v.name] = {
        Space::Global, static_cast<i64>(kGlobals + program_.globals.size() * kBufferStride), v.type};
    program_.globals.push_back(&v);
    return;
  }
  program_.localBytes = up(program_.localBytes, std::max<i64>(v.alignment(), 8));
  scopes_[static_cast<std::size_t>(scope)].names[v.name] = {Space::Local, program_.localBytes, v.type};
  program_.localBytes += std::max<i64>(v.bytes(), 1);
}

// The scopes of a function: its variables and labels, and the scope of each instruction.
void Decoder::layOut(int function) {
  const Frame& frame = program_.functions[static_cast<std::size_t>(function)];
  const ptx::Function& f = *frame.function;
  scopes_.assign(1, {});
  scopeOf_.assign(f.instructions.size(), 0);
  places_.clear();
  Place place = frame.firstRegister;
  for (const ptx::RegisterDeclaration& d : f.declarations) {
    const Place each = std::max(d.vector, 1) * (d.type == Type::B128 ? 2 : 1);
    for (int k = 0; k < std::max(d.count, 1); ++k, place += each) places_.push_back(place);
  }
  auto& top = scopes_[0].names;
  i64 at = 0;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    const ptx::Variable& v = f.parameters[k];
    if (f.entry) {
      at = up(at, v.alignment());
      top[v.name] = {Space::Param, at, v.type};
      at += v.bytes();
    } else {
      top[v.name] = {Space::Local, frame.parameters[k], v.type};
    }
  }
  for (std::size_t k = 0; k < frame.results.size(); ++k)
    top[f.results[k].name] = {Space::Local, frame.results[k], f.results[k].type};
  int scope = 0, step = static_cast<int>(program_.steps.size());
  for (const Statement& s : f.body) {
    const auto index = static_cast<std::size_t>(s.index);
    switch (s.kind) {
      case Statement::Kind::Open:
        scopes_.push_back({scope, {}});
        scope = static_cast<int>(scopes_.size()) - 1;
        break;
      case Statement::Kind::Close:
        scope = std::max(0, scopes_[static_cast<std::size_t>(scope)].parent);
        break;
      case Statement::Kind::Variable:
        declare(f.variables[index], scope);
        break;
      case Statement::Kind::Label:
        scopes_[static_cast<std::size_t>(scope)].names[f.labels[index]] = {Space::Special, step, Type::None};
        break;
      case Statement::Kind::Instruction:
        scopeOf_[index] = scope;
        ++step;
        break;
      default:
        break;
    }
  }
}

const Symbol* Decoder::find(std::string_view name) const {
  const std::string key(name);
  for (int scope = scope_; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
    const auto& names = scopes_[static_cast<std::size_t>(scope)].names;
    if (const auto at = names.find(key); at != names.end()) return &at->second;
  }
  const auto at = globals_.find(key);
  return at != globals_.end() ? &at->second : nullptr;
}

void Decoder::steps(int function) {
  function_ = function;
  const ptx::Function& f = *program_.functions[static_cast<std::size_t>(function)].function;
  program_.functions[static_cast<std::size_t>(function)].begin = static_cast<int>(program_.steps.size());
  for (std::size_t k = 0; k < f.instructions.size(); ++k) {
    scope_ = scopeOf_[k];
    Step s = stepOf(f.instructions[k]);
    s.source = &f.instructions[k];
    s.function = &f;
    program_.steps.push_back(std::move(s));
  }
  // A body that ends without ret returns.
  Step end;
  end.kind = Step::Kind::Return;
  end.function = &f;
  program_.steps.push_back(std::move(end));
  program_.functions[static_cast<std::size_t>(function)].end = static_cast<int>(program_.steps.size());
}

Step Decoder::stepOf(const ptx::Instruction& i) {
  Step s;
  if (i.guard.index >= 0) {
    s.guard = placeOf(i.guard.index);
    s.guardNegated = i.guard.negated;
  }
  const Step guarded = s;
  control(s, i);
  if (s.kind != Step::Kind::Nothing || !s.message.empty()) return s;
  if (memoryStep(s, i) || asyncStep(s, i) || compute(s, i)) return s;
  return guarded;  // an instruction without an effect here
}

// Branches, calls, barriers, fences; leaves Kind::Nothing for all others.
void Decoder::control(Step& s, const ptx::Instruction& i) {
  const ptx::Opcode& o = i.opcode;
  const std::string_view base = o.base();
  const auto label = [&](const Operand& operand) {
    const Symbol* symbol = find(operand.name);
    if (symbol == nullptr || symbol->space != Space::Special) {
      fail(s, fmt::format("the label {} is not in this function", operand.name));
      return -1;
    }
    return static_cast<int>(symbol->offset);
  };
  if (base == "bra") {
    s.kind = Step::Kind::Branch;
    if (i.operands.empty()) return fail(s, "bra needs a label");
    s.target = label(i.operands[0]);
  } else if (base == "brx") {
    s.kind = Step::Kind::BranchTable;
    if (i.operands.size() < 2) return fail(s, "brx.idx needs an index and a list of labels");
    s.ins.push_back(value(s, i.operands[0], Type::U32));
    const std::string& table = i.operands[1].name;
    const ptx::Function& f = *program_.functions[static_cast<std::size_t>(function_)].function;
    for (const std::string& d : f.directives) {
      const auto at = d.find(".branchtargets");
      if (at == std::string::npos || d.find(table) == std::string::npos) continue;
      std::string name;
      for (const char c : d.substr(at + 14) + ",") {
        if (c == ',' || c == ';') {
          if (!name.empty()) {
            Operand operand;
            operand.name = name;
            s.targets.push_back(label(operand));
          }
          name.clear();
        } else if (c != ' ' && c != '\n' && c != '\t') {
          name += c;
        }
      }
    }
    if (s.targets.empty()) fail(s, fmt::format("the list of labels {} is not in this function", table));
  } else if (base == "call") {
    call(s, i);
  } else if (base == "ret") {
    s.kind = Step::Kind::Return;
  } else if (base == "exit") {
    s.kind = Step::Kind::Exit;
  } else if (base == "trap" || base == "brkpt") {
    s.kind = base == "trap" ? Step::Kind::Trap : Step::Kind::Nothing;
    if (base == "brkpt") s.message = " ";
  } else if ((base == "bar" && o.has("warp")) || base == "bar.warp") {
    s.kind = Step::Kind::WarpBarrier;
    if (!i.operands.empty()) sources(s, i.operands[0], Type::U32);
  } else if ((base == "bar" || base == "barrier") && !o.has("cluster")) {
    s.kind = Step::Kind::Barrier;
    const bool reduces = o.has("red");
    std::size_t first = 0;
    if (reduces) results(s, i.operands[first++]);
    for (std::size_t k = first; k < i.operands.size(); ++k)
      sources(s, i.operands[k], reduces && k + 1 == i.operands.size() ? Type::Pred : Type::U32);
  } else if (base == "membar" || (base == "fence" && !o.has("proxy") && !o.has("mbarrier_init"))) {
    s.kind = Step::Kind::Fence;
  } else if (base == "nanosleep") {
    s.kind = Step::Kind::Yield;
  } else if (base == "pmevent" || base == "setmaxnreg" || base == "griddepcontrol" || base == "prefetch" ||
             base == "prefetchu" || base == "discard" || base == "applypriority") {
    s.message = " ";  // no effect on results
  }
}

void Decoder::call(Step& s, const ptx::Instruction& i) {
  s.kind = Step::Kind::Call;
  // (results), name, (arguments): groups may be absent.
  const Operand *into = nullptr, *name = nullptr, *from = nullptr;
  for (const Operand& operand : i.operands) {
    if (operand.kind == Operand::Kind::Group)
      (name == nullptr ? into : from) = &operand;
    else if (name == nullptr)
      name = &operand;
  }
  if (name == nullptr) return fail(s, "call needs the name of a function");
  if (name->kind != Operand::Kind::Symbol) return fail(s, "calls through a register are not supported");
  const ptx::Function* f = module_.function(name->name);
  if (f == nullptr) return fail(s, fmt::format("the function {} is not in this module", name->name));
  if (!f->defined) {
    // Functions of the runtime: printf prints nothing here; a failed assertion ends the thread.
    if (f->name == "vprintf") {
      s.kind = Step::Kind::Nothing;
      s.message = " ";
      return;
    }
    if (f->name == "__assertfail" || f->name == "__assert_fail") {
      s.kind = Step::Kind::Trap;
      return;
    }
    return fail(s, fmt::format("the function {} is only declared in this module", name->name));
  }
  s.callee = functionOf(*f);
  // ins: local offsets or registers of the arguments; outs: of the results. Memory arguments are constants.
  const auto pass = [&](const Operand* group, bool result) {
    if (group == nullptr) return;
    for (const Operand& part : group->parts) {
      if (part.kind == Operand::Kind::Symbol) {
        const auto at = address(s, part);
        (result ? s.outs : s.ins).push_back(constant(at.value_or(0)));
      } else if (result) {
        results(s, part);
      } else {
        sources(s, part, Type::B64);
      }
    }
  };
  pass(from, false);
  pass(into, true);
}

int Decoder::operationFor(Step& s, const std::string& opcode) {
  const auto [at, made] = operations_.try_emplace(opcode, -1);
  if (!made) return at->second;
  Result<Operation> operation = operationOf(ptx::Opcode(opcode));
  if (!operation) {
    operations_.erase(at);
    fail(s, operation.error().message);
    return -1;
  }
  at->second = static_cast<int>(program_.operations.size());
  program_.operations.push_back(*std::move(operation));
  return at->second;
}

bool Decoder::compute(Step& s, const ptx::Instruction& i) {
  if (i.opcode.base() == "mov" && i.operands.size() == 2 && ptx::bitsOf(i.opcode.type()) > 1 &&
      (i.operands[0].kind == Operand::Kind::Vector || i.operands[1].kind == Operand::Kind::Vector ||
       i.opcode.type() == Type::B128)) {
    s.kind = Step::Kind::Pack;
    s.type = i.opcode.type();
    results(s, i.operands[0]);
    sources(s, i.operands[1], Type::B64);
    return true;
  }
  s.kind = Step::Kind::Compute;
  s.operation = operationFor(s, i.opcode.text);
  if (s.operation < 0) return true;
  const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
  std::size_t next = 0;
  if (next < i.operands.size() && op.results > 0) results(s, i.operands[next++]);
  s.outs.resize(static_cast<std::size_t>(std::max(op.results, static_cast<int>(s.outs.size()))), kNoPlace);
  for (; next < i.operands.size(); ++next) {
    const std::size_t k = s.ins.size();
    sources(s, i.operands[next], k < op.sources.size() ? op.sources[k] : Type::B32);
  }
  const bool optional = op.optionalFrom >= 0;
  for (std::size_t k = s.ins.size(); optional && k < op.sources.size(); ++k)
    s.ins.push_back(constant(op.sources[k] == Type::Pred ? 1 : 0));
  if (op.carryIn) s.ins.push_back(kCarry);
  if (op.carryOut) s.outs.push_back(kCarry);
  if (s.kind == Step::Kind::Compute && s.ins.size() != op.sources.size() + (op.carryIn ? 1 : 0) &&
      s.ins.size() < op.sources.size())
    fail(s, fmt::format("{} needs {} sources, not {}", i.opcode.text, op.sources.size(), s.ins.size()));
  return true;
}

}  // namespace tessera::kernel
