// The reader of programs, names and tensors: statements by recursive descent; tensors, shapes and operations by the
// notation's own reader. Specifications and control: read_specs.cpp; named ones: read_calls.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/graphene/atoms/fragments.h"
#include "core/graphene/element.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/program_reader.h"
#include "core/graphene/reader/read_parts.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMaxStatements = 100'000;

}  // namespace

ProgramReader::ProgramReader(std::string_view text, Order order)
    : reader_(text, order, beginOf(text)), in_(reader_.cursor()) {
  variable({"blockIdx.x", Variable::Kind::Block, {}, {}, 1, {}});
  variable({"threadIdx.x", Variable::Kind::Thread, {}, {}, 1, {}});
  reader_.fragments(atlasFragment);
  reader_.resolve([this](const std::string& name) { return meaning(name); });
  scopes_.emplace_back();
}

Result<Program> ProgramReader::run() {
  TESSERA_TRY(const Parameters head, parametersOf(in_.text()));
  if (!head.broken.empty()) return head.broken.front();
  for (const Parameter& p : head.all) {
    if (p.number) {
      parameters_.values[p.name] = Expr::constant(std::stoll(p.value));
    } else {
      parameters_.words[p.name] = p.value;
    }
  }
  scopes_.front() = parameters_;
  in_.seek(head.end);
  while (!in_.atEnd()) {
    TESSERA_CHECKED(topLevel());
  }
  const Names names = namesOf(program_.variables);
  nameSymbols(program_.specs, names);  // at the end every tensor knows the names of all variables
  for (Tensor& t : program_.operands) t.symbols = names;
  return std::move(program_);
}

// ---- names
std::vector<std::string> ProgramReader::namesOf(const std::vector<Variable>& variables) {
  std::vector<std::string> out;
  for (const Variable& v : variables) out.push_back(v.name);
  return out;
}

int ProgramReader::variable(Variable v) {
  reader_.know({});  // whoever has the list alone adds to it in place
  names_.add(v.name);
  program_.variables.push_back(std::move(v));
  reader_.know(names_);
  return static_cast<int>(program_.variables.size()) - 1;
}

Result<Expr> ProgramReader::meaning(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto at = scope->indices.find(name);
    if (at != scope->indices.end()) return Expr::param(at->second);
    const auto value = scope->values.find(name);
    if (value != scope->values.end()) return value->second;
    const auto word = scope->words.find(name);
    if (word != scope->words.end())
      return Diag{fmt::format("{} is {}, which is no number", name, word->second), "a number", "", {}};
  }
  if (scopes_.size() == 1 && name[0] != '@') {  // a size of the caller's tensors
    if (const auto number = given_.find(name); number != given_.end()) {
      asked_.insert(name);
      return scopes_[0].values[name] = Expr::constant(number->second);
    }
    const int index = variable({name, Variable::Kind::Size, {}, {}, 1, {}});
    scopes_[0].indices[name] = index;
    return Expr::param(index);
  }
  std::vector<std::string> known;
  for (const Scope& scope : scopes_) {
    for (const auto& [word, index] : scope.indices) known.push_back(word);
    for (const auto& [word, value] : scope.values) known.push_back(word);
  }
  const auto near = nearest(name, known);
  return Diag{fmt::format("there is no index {} here", name),
              "a name of indices(), a loop, or a size",
              near ? fmt::format("did you mean {}?", *near) : "",
              {}};
}

std::optional<std::string> ProgramReader::notAsked() const {
  for (const auto& [name, value] : given_)
    if (!asked_.contains(name)) return name;
  return std::nullopt;
}

const Tensor* ProgramReader::tensor(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto at = scope->tensors.find(name);
    if (at != scope->tensors.end()) return &at->second;
  }
  return nullptr;
}

Result<void> ProgramReader::define(const std::string& written, const Tensor& t, std::size_t begin) {
  if (!scopes_.back().tensors.emplace(written, t).second)
    return in_.failFrom(begin, fmt::format("{} is defined twice here", written), "another name");
  return {};
}

// %7, #warp; nothing is known about it yet.
Result<std::string> ProgramReader::tensorName() {
  const char mark = in_.peek();
  if (mark != '%' && mark != '#') return in_.fail("a tensor is missing here", "%NAME or #NAME");
  std::size_t length = 1;
  while (isNamePart(in_.raw(length))) ++length;
  if (length == 1) return in_.fail("the name of the tensor is missing", "%A, #warp");
  std::string name(in_.text().substr(in_.position(), length));
  in_.advance(length);
  return name;
}

Result<Tensor> ProgramReader::known() {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  TESSERA_TRY(const std::string name, tensorName());
  if (const Tensor* found = tensor(name)) return *found;
  std::vector<std::string> names;
  for (const Scope& scope : scopes_)
    for (const auto& [word, t] : scope.tensors) names.push_back(word);
  const auto near = nearest(name, names);
  return in_.failFrom(begin, fmt::format("there is no tensor {} here", name), "a tensor that is defined above",
                      near ? fmt::format("did you mean {}?", *near) : "");
}

// ---- statements
Result<void> ProgramReader::count() {
  spend();
  if (++statements_ > kMaxStatements) return in_.fail("this program is too long", "fewer statements");
  return {};
}

Result<void> ProgramReader::topLevel() {
  TESSERA_CHECKED(count());
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  Cursor ahead = in_;
  if (atTensor() && tensorName().ok() && in_.peek() == ':') {
    in_ = ahead;
    TESSERA_TRY(const Tensor declared, reader_.declaration());
    if (auto fault = elementFault(declared, in_.text(), in_.spanFrom(begin))) return *std::move(fault);
    if (in_.peek() != '=') {  // else a view with its type
      TESSERA_CHECKED(barrierStorage(declared, /*operand=*/true, begin));
      TESSERA_CHECKED(define(nameOf(declared), declared, begin));
      program_.operands.push_back(declared);
      return {};
    }
  }
  in_ = ahead;
  if (in_.acceptWord("def")) return definition();
  const std::size_t had = program_.specs.size();
  TESSERA_CHECKED(next(program_.specs));
  for (std::size_t k = had; k < program_.specs.size(); ++k) TESSERA_CHECKED(runsNowhere(program_.specs[k]));
  return {};
}

// Threads exist only inside a specification: loops, conditions and barriers outside of one are refused.
Result<void> ProgramReader::runsNowhere(const Statement& s) const {
  if (std::holds_alternative<Define>(s.what) || std::holds_alternative<Indices>(s.what) ||
      std::holds_alternative<Spec>(s.what))
    return {};
  const std::string words = std::holds_alternative<Loop>(s.what)     ? "a loop"
                            : std::holds_alternative<Branch>(s.what) ? "a condition on threads or blocks"
                                                                     : fmt::format("`{}`", wordsOf(s));
  return Diag{fmt::format("{} outside of a specification, where no thread runs", words),
              "%out <- Spec<<<#blocks, #threads>>>(%in) { ... }", "move it into the body of the kernel", s.span};
}

// A statement, or what a branch that is decided now leaves of itself.
Result<void> ProgramReader::next(Body& out) {
  in_.skipBlanks();
  if (in_.peekWord() == "if") return branch(out);
  TESSERA_TRY(Statement s, statement());
  out.push_back(std::move(s));
  return {};
}

Result<Statement> ProgramReader::statement() {
  TESSERA_CHECKED(count());
  in_.skipBlanks();
  Statement out;
  const std::size_t begin = in_.position();
  if (atTensor()) {
    TESSERA_TRY(out, tensorStatement());
  } else if (in_.peek() == '(' || in_.peek() == '@') {
    TESSERA_TRY(out, indicesStatement());
  } else {
    TESSERA_TRY(out, control());
  }
  place(out, begin);
  return out;
}

// What was read since `begin`.
void ProgramReader::place(Statement& out, std::size_t begin) {
  out.span = in_.spanFrom(begin);
  while (out.span.end > begin + 1 && isBlank(in_.text()[out.span.end - 1])) --out.span.end;
  if (inLibrary_) out.span = call_;
  (void)in_.accept(';');
}

// %7 : TYPE = ..., %7 = ..., %s : TYPE, or a specification
Result<Statement> ProgramReader::tensorStatement() {
  const Cursor start = in_;
  const std::size_t begin = in_.position();
  TESSERA_TRY(const std::string name, tensorName());
  if (in_.peek() == '<' || in_.peek() == ',') {
    in_ = start;
    return spec();
  }
  std::optional<Tensor> type;
  if (in_.peek() == ':') {
    in_ = start;
    TESSERA_TRY(type, reader_.declaration());
    if (auto fault = elementFault(*type, in_.text(), in_.spanFrom(begin))) return *std::move(fault);
  }
  if (!in_.accept('=')) {
    if (!type) return in_.fail("a statement cannot end here", "`=`, `:` or `<-` after the name of a tensor");
    if (in_.peek() == '<') return in_.fail("a specification writes tensors that are defined before it", "%7 <- ...");
    if (type->threads) return in_.failFrom(begin, "threads cannot be allocated", "#NAME = #OTHER.tile(...)");
    TESSERA_CHECKED(barrierStorage(*type, /*operand=*/false, begin));
    type->name = fresh(name).substr(1);
    TESSERA_CHECKED(define(name, *type, begin));
    return Statement{{}, Temporary{*std::move(type)}};
  }
  const std::vector<bool> plain = reader_.plainLevels();
  in_.skipBlanks();
  const std::size_t sourceBegin = in_.position();
  TESSERA_TRY(const Tensor source, known());
  Define out;
  out.source = nameOf(source);
  TESSERA_TRY(out.tensor, reader_.operations(source));
  out.operations = reader_.trail();
  if ((name[0] == '#') != source.threads)
    return in_.failFrom(begin, fmt::format("{} is made of {}", name, out.source), "% of data, # of threads");
  out.tensor.name = fresh(name).substr(1);
  if (type) {
    Tensor made = out.tensor;
    made.symbols = reader_.symbols();
    if (const auto what = typeDifference(*type, plain, made))
      return in_.failFrom(sourceBegin, fmt::format("the type says {}, the operations give {}", *what, print(made)),
                          print(made));
  }
  TESSERA_CHECKED(define(name, out.tensor, begin));
  return Statement{{}, std::move(out)};
}

// (@m, @n), @i = #6.indices(), and "@i = ..." of one level
Result<Statement> ProgramReader::indicesStatement() {
  const std::size_t begin = in_.position();
  std::vector<std::vector<std::vector<std::string>>> names;
  do {
    TESSERA_TRY(auto level, levelNames());
    names.push_back(std::move(level));
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect("=", "after the names of the indices"));
  TESSERA_TRY(const Tensor source, known());
  if (!in_.accept('.') || !in_.acceptWord("indices") || !in_.accept('(') || !in_.accept(')'))
    return in_.fail("only indices() gives index variables", "#NAME.indices()");
  const Expr id = Expr::param(source.element == "block" ? 0 : 1);
  auto values = indices(source, id);
  if (!values) {
    values.error().span = in_.spanFrom(begin);
    return values.error();
  }
  Indices out;
  out.source = nameOf(source);
  if (names.size() != values->size())
    return in_.failFrom(begin, fmt::format("{} names for {} levels", names.size(), values->size()),
                        "a name for each level, (a, b) for one of two dimensions");
  for (std::size_t l = 0; l < names.size(); ++l) {
    if ((*values)[l].size() == 1 && names[l].size() == (*values)[l][0].size()) {  // (@quad, @hi) of one dimension
      std::vector<std::string> modes;
      for (const auto& dim : names[l]) modes.insert(modes.end(), dim.begin(), dim.end());
      names[l] = {std::move(modes)};
    }
    if (names[l].size() != (*values)[l].size())
      return in_.failFrom(
          begin, fmt::format("{} names for the {} dimensions of level {}", names[l].size(), (*values)[l].size(), l),
          "a name for each dimension");
    auto& level = out.variables.emplace_back();
    for (std::size_t d = 0; d < names[l].size(); ++d) {
      const Coordinate& modes = (*values)[l][d];
      auto& dim = level.emplace_back();
      if (names[l][d].size() != modes.size() && names[l][d].size() != 1)
        return in_.failFrom(
            begin, fmt::format("{} names for the {} modes of dimension {}", names[l][d].size(), modes.size(), d),
            "one name, or one for each mode");
      for (std::size_t k = 0; k < names[l][d].size(); ++k) {
        const Expr value = names[l][d].size() == modes.size() ? modes[k] : joined(source.levels[l].dims[d], modes);
        TESSERA_TRY(const int index, indexVariable(names[l][d][k], value, begin));
        dim.push_back(index);
      }
    }
  }
  return Statement{{}, std::move(out)};
}

Result<int> ProgramReader::indexVariable(const std::string& name, const Expr& value, std::size_t begin) {
  const int index = variable({fresh(name), Variable::Kind::Index, {}, {}, 1, value});
  if (!scopes_.back().indices.emplace(name, index).second)
    return in_.failFrom(begin, fmt::format("{} is defined twice here", name), "another name");
  return index;
}

// @i; (@a, @b): two dimensions, or the two modes of one; ((@a, @b), @c)
Result<std::vector<std::vector<std::string>>> ProgramReader::levelNames() {
  std::vector<std::vector<std::string>> out;
  if (!in_.accept('(')) {
    TESSERA_TRY(std::string one, indexName());
    out.push_back({std::move(one)});
    return out;
  }
  do {
    std::vector<std::string> dim;
    if (in_.accept('(')) {
      do {
        TESSERA_TRY(std::string one, indexName());
        dim.push_back(std::move(one));
      } while (in_.accept(','));
      TESSERA_CHECKED(in_.expect(")", "after the names of the modes"));
    } else {
      TESSERA_TRY(std::string one, indexName());
      dim.push_back(std::move(one));
    }
    out.push_back(std::move(dim));
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect(")", "after the names of a level"));
  return out;
}

Result<std::string> ProgramReader::indexName() {
  if (!in_.accept('@')) return in_.fail("the name of an index is missing here", "@NAME");
  TESSERA_TRY(const std::string name, in_.identifier("the name of an index"));
  return "@" + name;
}

Result<Program> readProgram(std::string_view text, Order order) { return ProgramReader(text, order).run(); }

}  // namespace tessera::graphene
