#include <fmt/format.h>

#include <algorithm>

#include "core/ptx/read.h"

namespace tessera::ptx {

namespace {

using Out = std::string;

template <typename... Args>
void put(Out& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

std::string_view spaceName(Space space) {
  switch (space) {
    case Space::Register:
      return "reg";
    case Space::Param:
      return "param";
    case Space::Local:
      return "local";
    case Space::Shared:
      return "shared";
    case Space::Const:
      return "const";
    default:
      return "global";
  }
}

void putOperand(Out& out, const Function& f, const Operand& o) {
  constexpr std::string_view kComponents = "xyzw";
  using Kind = Operand::Kind;
  const auto parts = [&](char open, char close) {
    out += open;
    for (std::size_t k = 0; k < o.parts.size(); ++k) {
      if (k > 0) out += ", ";
      putOperand(out, f, o.parts[k]);
    }
    out += close;
  };
  switch (o.kind) {
    case Kind::Register:
      if (o.negated) out += f.declaration(o.index).type == Type::Pred ? '!' : '-';
      out += f.registerName(o.index);
      if (o.component >= 0) put(out, ".{}", kComponents[static_cast<std::size_t>(o.component) % 4]);
      if (!o.name.empty()) put(out, ".{}", o.name);
      break;
    case Kind::Special:
      if (o.negated) out += '-';
      out += o.name;
      if (o.component >= 0) put(out, ".{}", kComponents[static_cast<std::size_t>(o.component) % 4]);
      break;
    case Kind::Integer:
      put(out, "{}", static_cast<i64>(o.bits));
      break;
    case Kind::Float:
      if (o.type == Type::F32)
        put(out, "0f{:08X}", o.bits);
      else
        put(out, "0d{:016X}", o.bits);
      break;
    case Kind::Symbol:
      out += o.name;
      if (o.offset != 0) put(out, "{:+}", o.offset);
      break;
    case Kind::Address:
      out += '[';
      for (std::size_t k = 0; k < o.parts.size(); ++k) {
        if (k > 0) out += ", ";
        putOperand(out, f, o.parts[k]);
        if (k == 0 && o.offset != 0) put(out, "+{}", o.offset);
      }
      out += ']';
      break;
    case Kind::Vector:
      parts('{', '}');
      break;
    case Kind::Group:
      parts('(', ')');
      break;
    case Kind::Pair:
      putOperand(out, f, o.parts[0]);
      out += '|';
      putOperand(out, f, o.parts[1]);
      break;
    case Kind::Sink:
      out += '_';
      break;
  }
}

void putInstruction(Out& out, const Function& f, const Instruction& i) {
  if (i.guard.index >= 0) put(out, "@{}{} ", i.guard.negated ? "!" : "", f.registerName(i.guard.index));
  out += i.opcode.text;
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    out += k == 0 ? " " : ", ";
    putOperand(out, f, i.operands[k]);
  }
  out += ';';
}

void putInitial(Out& out, const Variable& v, const Variable::Initial& i) {
  if (i.symbol.empty()) {
    if (v.type == Type::F32)
      put(out, "0f{:08X}", i.bits);
    else if (v.type == Type::F64)
      put(out, "0d{:016X}", i.bits);
    else
      put(out, "{}", i.bits);
    return;
  }
  if (i.mask != 0) put(out, "0x{:X}(", i.mask);
  out += i.generic ? fmt::format("generic({})", i.symbol) : i.symbol;
  if (i.bits != 0) put(out, "{:+}", static_cast<i64>(i.bits));
  if (i.mask != 0) out += ')';
}

// Values k to end, with braces for the extents from `level` on, and for the elements of a vector.
void putValues(Out& out, const Variable& v, std::size_t level, std::size_t k, std::size_t end) {
  std::size_t size = 1;  // values of an element of this level
  for (std::size_t e = level + 1; e < v.extents.size(); ++e) size *= static_cast<std::size_t>(v.extents[e]);
  if (level < v.extents.size()) size *= static_cast<std::size_t>(v.vector);
  out += '{';
  for (bool first = true; k < end; k += size, first = false) {
    if (!first) out += ", ";
    if (size > 1)
      putValues(out, v, level + 1, k, std::min(end, k + size));
    else
      putInitial(out, v, v.initial[k]);
  }
  out += '}';
}

// Without semicolon.
void putVariable(Out& out, const Variable& v) {
  if (!v.linkage.empty()) put(out, "{} ", v.linkage);
  put(out, ".{}", spaceName(v.space));
  for (const std::string& a : v.attributes)
    if (a.rfind(".attribute", 0) == 0) put(out, " {}", a);
  if (v.align > 0) put(out, " .align {}", v.align);
  if (v.vector > 1) put(out, " .v{}", v.vector);
  put(out, " .{}", nameOf(v.type));
  for (const std::string& a : v.attributes)
    if (a.rfind(".attribute", 0) != 0) put(out, " {}", a);
  put(out, " {}", v.name);
  for (const i64 extent : v.extents) {
    out += '[';
    if (extent > 0) put(out, "{}", extent);
    out += ']';
  }
  if (v.initial.empty()) return;
  out += " = ";
  if (v.extents.empty() && v.vector == 1)
    putInitial(out, v, v.initial[0]);
  else
    putValues(out, v, 0, 0, v.initial.size());
}

void putParameters(Out& out, const std::vector<Variable>& parameters) {
  out += '(';
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    out += k == 0 ? "\n  " : ",\n  ";
    putVariable(out, parameters[k]);
  }
  out += parameters.empty() ? ")" : "\n)";
}

void putLocation(Out& out, const Location& l) {
  put(out, ".loc {} {} {}", l.file, l.line, l.column);
  if (!l.function.empty()) put(out, ", function_name {}", l.function);
  if (!l.function.empty() && l.functionOffset != 0) put(out, "+{}", l.functionOffset);
  if (l.inlinedAt) put(out, ", inlined_at {} {} {}", (*l.inlinedAt)[0], (*l.inlinedAt)[1], (*l.inlinedAt)[2]);
}

void putStatement(Out& out, const Module& m, const Function& f, const Statement& s, std::size_t depth) {
  const auto at = static_cast<std::size_t>(s.index);
  if (s.kind != Statement::Kind::Label) out.append(2 * depth, ' ');
  switch (s.kind) {
    case Statement::Kind::Instruction:
      putInstruction(out, f, f.instructions[at]);
      break;
    case Statement::Kind::Label:
      put(out, "{}:", f.labels[at]);
      break;
    case Statement::Kind::Variable:
      putVariable(out, f.variables[at]);
      out += ';';
      break;
    case Statement::Kind::Registers: {
      const RegisterDeclaration& d = f.declarations[at];
      out += ".reg ";
      if (d.vector > 1) put(out, ".v{} ", d.vector);
      put(out, ".{} {}", nameOf(d.type), d.name);
      if (d.count > 0) put(out, "<{}>", d.count);
      out += ';';
      break;
    }
    case Statement::Kind::Open:
      out += '{';
      break;
    case Statement::Kind::Close:
      out += '}';
      break;
    case Statement::Kind::Location:
      putLocation(out, m.locations[at]);
      break;
    case Statement::Kind::Directive:
      put(out, "{};", f.directives[at]);
      break;
  }
  out += '\n';
}

void putFunction(Out& out, const Module& m, const Function& f) {
  if (!f.linkage.empty()) put(out, "{} ", f.linkage);
  out += f.entry ? ".entry" : ".func";
  std::size_t inBody = 0;  // directives of the body
  for (const Statement& s : f.body) inBody += s.kind == Statement::Kind::Directive;
  const std::size_t before = f.directives.size() - inBody;
  std::size_t k = 0;
  for (; k < before && f.directives[k].rfind(".attribute", 0) == 0; ++k) put(out, " {}", f.directives[k]);
  if (!f.results.empty()) {
    out += ' ';
    putParameters(out, f.results);
  }
  put(out, " {}", f.name);
  putParameters(out, f.parameters);
  for (; k < before; ++k) put(out, "\n{}{}", f.directives[k], f.directives[k].rfind(".pragma", 0) == 0 ? ";" : "");
  if (!f.defined) {
    out += ";\n";
    return;
  }
  out += "\n{\n";
  std::size_t depth = 1;
  for (const Statement& s : f.body) {
    if (s.kind == Statement::Kind::Close) --depth;
    putStatement(out, m, f, s, depth);
    if (s.kind == Statement::Kind::Open) ++depth;
  }
  out += "}\n";
}

bool isPragma(const std::string& directive) { return directive.rfind(".pragma", 0) == 0; }
// Sections and @@DWARF end themselves.
bool needsSemicolon(const std::string& directive) {
  return directive.rfind(".section", 0) != 0 && directive.rfind("@@", 0) != 0;
}

}  // namespace

std::string print(const Function& function, const Operand& operand) {
  Out out;
  putOperand(out, function, operand);
  return out;
}

std::string print(const Function& function, const Instruction& instruction) {
  Out out;
  putInstruction(out, function, instruction);
  return out;
}

std::string print(const Module& m) {
  Out out;
  put(out, ".version {}.{}\n", m.major, m.minor);
  if (!m.target.empty()) put(out, ".target {}\n", m.target);
  put(out, ".address_size {}\n", m.addressSize);
  std::size_t directive = 0;
  const auto putDirective = [&] {
    const std::string& d = m.directives[directive++];
    put(out, "{}{}\n", d, needsSemicolon(d) ? ";" : "");
  };
  while (directive < m.directives.size() && isPragma(m.directives[directive])) putDirective();
  std::vector<int> files;
  for (const auto& [number, name] : m.files) files.push_back(number);
  std::sort(files.begin(), files.end());
  for (const int number : files) put(out, ".file {} \"{}\"\n", number, m.files.at(number));
  out += '\n';
  std::size_t v = 0, f = 0;
  while (v < m.variables.size() || f < m.functions.size()) {
    const bool variable =
        f == m.functions.size() || (v < m.variables.size() && m.variables[v].line <= m.functions[f].line);
    if (variable) {
      putVariable(out, m.variables[v++]);
      out += ";\n";
    } else {
      out += '\n';
      putFunction(out, m, m.functions[f++]);
    }
  }
  while (directive < m.directives.size()) putDirective();
  return out;
}

}  // namespace tessera::ptx
