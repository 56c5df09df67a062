#include "core/ptx/reader/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "core/ptx/reader/constant.h"
#include "core/ptx/reader/tokens.h"

namespace tessera::ptx {

namespace {

constexpr int kMostInFunction = 1 << 20;  // of a function
constexpr std::size_t kMostBlocks = 200;

Statement statementOf(Statement::Kind kind, std::size_t size) { return {kind, static_cast<int>(size) - 1}; }

Result<int> smallInteger(Cursor& in, std::string_view what) {
  const std::size_t begin = in.start();
  TESSERA_TRY(const i64 value, integerConstant(in, what, true));
  if (value < INT_MIN || value > INT_MAX) return in.failFrom(begin, fmt::format("{} does not fit in 32 bits", what));
  return static_cast<int>(value);
}

}  // namespace

int Lines::at(std::size_t position) {
  line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(seen_),
                                       text_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
  seen_ = position;
  return line_;
}

Result<void> Functions::file(Cursor& in, Module& module) {
  TESSERA_TRY(const int number, smallInteger(in, "the number of a file"));
  TESSERA_TRY(module.files[number], quoted(in));
  while (in.accept(',')) {
    TESSERA_TRY([[maybe_unused]] const i64 stamp, integerConstant(in, "a time or a size"));
  }
  return {};
}

void Functions::kept(Function& f, std::string text) {
  f.directives.push_back(std::move(text));
  f.body.push_back(statementOf(Statement::Kind::Directive, f.directives.size()));
}

Result<void> Functions::addRegisters(Function& f, RegisterDeclaration declared, std::string_view name) {
  declared.first = f.registerCount;
  f.registerCount += std::max(declared.count, 1);
  if (f.registerCount > kMostInFunction)
    return in_.fail(fmt::format("{} declares more than {} registers", f.name, kMostInFunction), "fewer registers");
  names_.declare(name, declared.count, declared.first);
  f.declarations.push_back(std::move(declared));
  return {};
}

// (.param .u32 a, .reg .b32 %r)
Result<std::vector<Variable>> Functions::parameters(Function& f) {
  std::vector<Variable> out;
  if (in_.accept(')')) return out;
  Declarations declarations(in_);
  do {
    const std::size_t begin = in_.start();
    TESSERA_TRY(Variable v, declarations.parameter(lines_.at(begin)));
    if (v.space == Space::Register) {
      // Names refer to the text, so that they outlive `v`.
      const std::size_t at = in_.text().substr(0, in_.position()).rfind(v.name);
      TESSERA_CHECKED(addRegisters(f, {v.name, v.type, v.vector, 0, 0}, in_.text().substr(at, v.name.size())));
    }
    out.push_back(std::move(v));
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect(")", "after the parameters"));
  return out;
}

Result<void> Functions::head(Function& f) {
  const auto attributes = [&]() -> Result<void> {
    while (peekDirective(in_) == "attribute") {
      takeDirective(in_, "attribute");
      TESSERA_CHECKED(in_.expect("(", "after .attribute"));
      const std::string text = keptText(in_, ")");
      TESSERA_CHECKED(in_.expect(")", "after an attribute"));
      f.directives.push_back(fmt::format(".attribute({})", text));
    }
    return {};
  };
  TESSERA_CHECKED(attributes());
  if (in_.accept('(')) {
    TESSERA_TRY(f.results, parameters(f));
  }
  TESSERA_CHECKED(attributes());
  f.name = takeName(in_);
  if (f.name.empty()) return in_.fail("the name of a function is missing here", "a name");
  if (in_.accept('(')) {
    TESSERA_TRY(f.parameters, parameters(f));
  }
  while (true) {
    const std::string_view word = peekDirective(in_);
    if (word.empty()) return {};
    takeDirective(in_, word);
    // Through the next directive, brace or semicolon; the texts of a pragma end with their own semicolon.
    std::string text = keptText(in_, ".{;");
    if (word == "pragma") TESSERA_CHECKED(in_.expect(";", "after a pragma"));
    f.directives.push_back(fmt::format(".{}{}{}", word, text.empty() ? "" : " ", text));
  }
}

Result<Function> Functions::function(std::string_view linkage, bool entry, int line) {
  Function f;
  f.linkage = linkage;
  f.entry = entry;
  f.line = line;
  names_.open();
  TESSERA_CHECKED(head(f));
  if (in_.accept(';')) {
    names_.close();
    return f;
  }
  if (!in_.accept('{'))
    return in_.fail(fmt::format("the body of {} is missing before {}", f.name, in_.found()), "`{` or `;`");
  f.defined = true;
  TESSERA_CHECKED(body(f));
  return f;
}

Result<void> Functions::body(Function& f) {
  const std::size_t open = in_.position() - 1;
  std::size_t depth = 0;
  while (true) {
    if (in_.atEnd())
      return in_.failFrom(open, fmt::format("the body of {} is never closed: the text ends inside it", f.name), "`}`",
                          "the text may be truncated");
    const char c = in_.raw();
    if (c == '}') {
      in_.advance();
      names_.close();
      if (depth-- == 0) return {};
      f.body.push_back({Statement::Kind::Close, 0});
    } else if (c == '{') {
      if (++depth > kMostBlocks) return in_.fail(fmt::format("blocks nest more than {} levels deep", kMostBlocks));
      in_.advance();
      names_.open();
      f.body.push_back({Statement::Kind::Open, 0});
    } else {
      TESSERA_CHECKED(statement(f));
    }
  }
}

Result<void> Functions::statement(Function& f) {
  const char c = in_.raw();
  if (c == ';') {
    in_.advance();
    return {};
  }
  if (const std::string_view word = peekDirective(in_); !word.empty()) return directive(f, word);
  const std::size_t begin = in_.position();
  if (const std::string_view name = peekName(in_); !name.empty() && name[0] != '%') {
    in_.advance(name.size());
    if (in_.raw() != '.' && in_.peek() == ':' && in_.raw(1) != ':') {
      in_.advance();
      return labelled(f, name);
    }
    in_.seek(begin);
  }
  return instruction(f);
}

// After "label:".
Result<void> Functions::labelled(Function& f, std::string_view label) {
  const std::string_view word = peekDirective(in_);
  if (word == "callprototype" || word == "calltargets" || word == "branchtargets") {
    std::string text = keptText(in_, ";");
    TESSERA_CHECKED(in_.expect(";", fmt::format("after .{}", word)));
    kept(f, fmt::format("{}: {}", label, text));
    return {};
  }
  f.labels.emplace_back(label);
  f.body.push_back(statementOf(Statement::Kind::Label, f.labels.size()));
  return {};
}

Result<void> Functions::registers(Function& f) {
  const std::size_t begin = in_.position();
  TESSERA_TRY(std::vector<RegisterDeclaration> all, Declarations(in_).registers());
  // The names in the text, in the same order.
  const std::string_view text = in_.text().substr(0, in_.position());
  std::size_t at = begin;
  for (RegisterDeclaration& declared : all) {
    at = text.find(declared.name, at);
    TESSERA_CHECKED(addRegisters(f, declared, text.substr(at, declared.name.size())));
    at += declared.name.size();
    f.body.push_back(statementOf(Statement::Kind::Registers, f.declarations.size()));
  }
  return {};
}

Result<void> Functions::directive(Function& f, std::string_view word) {
  const std::size_t begin = in_.position();
  std::string_view linkage;
  takeDirective(in_, word);
  if (word == "loc") return location(f);
  if (word == "reg") return registers(f);
  if (word == "file") return file(in_, module_);
  if (isLinkage(word)) {
    linkage = in_.text().substr(begin, word.size() + 1);
    word = peekDirective(in_);
    if (const auto space = spaceNamed(word); !space || *space == Space::Register)
      return in_.fail(fmt::format("a variable is missing after {}", linkage), ".shared, .global or .const");
    takeDirective(in_, word);
  }
  if (const auto space = spaceNamed(word); space && *space != Space::Register) {
    TESSERA_TRY(std::vector<Variable> all, Declarations(in_).variables(*space, linkage, lines_.at(begin)));
    for (Variable& v : all) {
      names_.variable(v);
      f.variables.push_back(std::move(v));
      f.body.push_back(statementOf(Statement::Kind::Variable, f.variables.size()));
    }
    return {};
  }
  std::string text = keptText(in_, ";");
  TESSERA_CHECKED(in_.expect(";", fmt::format("after .{}", word)));
  kept(f, fmt::format(".{}{}{}", word, text.empty() ? "" : " ", text));
  return {};
}

// 1 116 0, function_name label+4, inlined_at 1 20 5
Result<void> Functions::location(Function& f) {
  Location out;
  TESSERA_TRY(out.file, smallInteger(in_, "the number of a file"));
  TESSERA_TRY(out.line, smallInteger(in_, "a line"));
  TESSERA_TRY(out.column, smallInteger(in_, "a column"));
  while (in_.accept(',')) {
    if (const std::string_view word = takeName(in_); word == "function_name") {
      out.function = takeName(in_);
      if (out.function.empty()) return in_.fail("the label of a function's name is missing here");
      if (in_.accept('+')) {
        TESSERA_TRY(out.functionOffset, smallInteger(in_, "an offset"));
      }
    } else if (word == "inlined_at") {
      out.inlinedAt.emplace();
      for (int& value : *out.inlinedAt) {
        TESSERA_TRY(value, smallInteger(in_, "a place"));
      }
    } else {
      return in_.fail("a .loc has no such part", "function_name or inlined_at");
    }
  }
  module_.locations.push_back(std::move(out));
  location_ = static_cast<int>(module_.locations.size()) - 1;
  f.body.push_back({Statement::Kind::Location, location_});
  return {};
}

Result<void> Functions::instruction(Function& f) {
  Instruction out;
  const std::size_t begin = in_.position();
  Operands operands(in_, names_);
  out.line = lines_.at(begin);
  out.location = location_;
  if (in_.accept('@')) {
    TESSERA_TRY(out.guard, operands.guard());
    if (in_.peek() == '{')
      return in_.fail("a guard belongs to one instruction, not to a block", "an instruction after the guard");
  }
  std::string opcode = takeOpcode(in_);
  if (opcode.empty())
    return in_.fail(fmt::format("a statement begins with {}", in_.found()), "an instruction, a label or a directive");
  const bool call = opcode == "call" || opcode == "call.uni";
  out.opcode = Opcode(std::move(opcode));
  if (!in_.accept(';')) {
    do {
      TESSERA_TRY(Operand operand, operands.operand(call));
      out.operands.push_back(std::move(operand));
    } while (in_.accept(','));
    if (!in_.accept(';')) {
      return in_.fail(fmt::format("`;` is missing before {}, after {}", in_.found(), out.opcode.text), "`;` or `,`");
    }
  }
  f.instructions.push_back(std::move(out));
  f.body.push_back(statementOf(Statement::Kind::Instruction, f.instructions.size()));
  return {};
}

}  // namespace tessera::ptx
