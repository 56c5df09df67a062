// The reader of programs: statements by recursive descent; tensors, shapes and operations by the notation's own reader.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/nearest.h"
#include "core/graphene/fragments.h"
#include "core/graphene/program.h"
#include "core/graphene/read_parts.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {
namespace {

constexpr int kMaxNesting = 60;
constexpr std::size_t kMaxStatements = 100'000;

class ProgramReader {
 public:
  ProgramReader(std::string_view text, Order order) : reader_(text, order), in_(reader_.cursor()) {
    variable({"blockIdx.x", Variable::Kind::Block, {}, {}, 1, {}});
    variable({"threadIdx.x", Variable::Kind::Thread, {}, {}, 1, {}});
    reader_.fragments(atlasFragment);
    reader_.resolve([this](const std::string& name) { return meaning(name); });
    scopes_.emplace_back();
  }

  Result<Program> run() {
    while (!in_.atEnd()) {
      TESSERA_CHECKED(topLevel());
    }
    const std::vector<std::string> names = namesOf(program_.variables);
    nameSymbols(program_.specs, names);  // at the end every tensor knows the names of all variables
    for (Tensor& t : program_.operands) t.symbols = names;
    return std::move(program_);
  }

 private:
  struct Scope {
    std::map<std::string, Tensor> tensors;  // by "%7"
    std::map<std::string, int> indices;     // by "@m" and "k"
  };

  // ---- names

  static std::vector<std::string> namesOf(const std::vector<Variable>& variables) {
    std::vector<std::string> out;
    for (const Variable& v : variables) out.push_back(v.name);
    return out;
  }

  int variable(Variable v) {
    program_.variables.push_back(std::move(v));
    reader_.know(namesOf(program_.variables));
    return static_cast<int>(program_.variables.size()) - 1;
  }

  Result<Expr> meaning(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto at = scope->indices.find(name);
      if (at != scope->indices.end()) return Expr::param(at->second);
    }
    if (scopes_.size() == 1 && name[0] != '@') {  // a size of the caller's tensors
      const int index = variable({name, Variable::Kind::Size, {}, {}, 1, {}});
      scopes_[0].indices[name] = index;
      return Expr::param(index);
    }
    std::vector<std::string> known;
    for (const Scope& scope : scopes_)
      for (const auto& [word, index] : scope.indices) known.push_back(word);
    const auto near = nearest(name, known);
    return Diag{fmt::format("there is no index {} here", name),
                "a name of indices(), a loop, or a size",
                near ? fmt::format("did you mean {}?", *near) : "",
                {}};
  }

  const Tensor* tensor(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto at = scope->tensors.find(name);
      if (at != scope->tensors.end()) return &at->second;
    }
    return nullptr;
  }

  static std::string nameOf(const Tensor& t) { return (t.threads ? "#" : "%") + t.name; }

  Result<void> define(const Tensor& t, std::size_t begin) {
    if (!scopes_.back().tensors.emplace(nameOf(t), t).second)
      return in_.failFrom(begin, fmt::format("{} is defined twice here", nameOf(t)), "another name");
    return {};
  }

  // %7, #warp; nothing is known about it yet.
  Result<std::string> tensorName() {
    const char mark = in_.peek();
    if (mark != '%' && mark != '#') return in_.fail("a tensor is missing here", "%NAME or #NAME");
    std::size_t length = 1;
    while (isNamePart(in_.raw(length))) ++length;
    if (length == 1) return in_.fail("the name of the tensor is missing", "%A, #warp");
    std::string name(in_.text().substr(in_.position(), length));
    in_.advance(length);
    return name;
  }

  Result<Tensor> known() {
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

  Result<void> count() {
    if (++statements_ > kMaxStatements) return in_.fail("this program is too long", "fewer statements");
    return {};
  }

  Result<void> topLevel() {
    TESSERA_CHECKED(count());
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    Cursor ahead = in_;
    if (atTensor() && tensorName().ok() && in_.peek() == ':') {
      in_ = ahead;
      TESSERA_TRY(const Tensor declared, reader_.declaration());
      TESSERA_CHECKED(define(declared, begin));
      program_.operands.push_back(declared);
      return {};
    }
    in_ = ahead;
    TESSERA_TRY(Statement s, statement());
    program_.specs.push_back(std::move(s));
    return {};
  }

  [[nodiscard]] bool atTensor() { return in_.peek() == '%' || in_.peek() == '#'; }

  Result<Statement> statement() {
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
    out.span = in_.spanFrom(begin);
    while (out.span.end > begin + 1 && isBlank(in_.text()[out.span.end - 1])) --out.span.end;
    (void)in_.accept(';');
    return out;
  }

  // %7 : TYPE = ..., %7 = ..., %s : TYPE, or a specification
  Result<Statement> tensorStatement() {
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
    }
    if (!in_.accept('=')) {
      if (!type) return in_.fail("a statement cannot end here", "`=`, `:` or `<-` behind the name of a tensor");
      if (in_.peek() == '<') return in_.fail("a specification writes tensors that are defined before it", "%7 <- ...");
      if (type->threads) return in_.failFrom(begin, "threads cannot be allocated", "#NAME = #OTHER.tile(...)");
      TESSERA_CHECKED(define(*type, begin));
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
    out.tensor.name = name.substr(1);
    if (type) {
      Tensor made = out.tensor;
      made.symbols = reader_.symbols();
      if (const auto what = typeDifference(*type, plain, made))
        return in_.failFrom(sourceBegin, fmt::format("the type says {}, the operations give {}", *what, print(made)),
                            print(made));
    }
    TESSERA_CHECKED(define(out.tensor, begin));
    return Statement{{}, std::move(out)};
  }

  // (@m, @n), @i = #6.indices(), and "@i = ..." of one level
  Result<Statement> indicesStatement() {
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

  Result<int> indexVariable(const std::string& name, const Expr& value, std::size_t begin) {
    const int index = variable({name, Variable::Kind::Index, {}, {}, 1, value});
    if (!scopes_.back().indices.emplace(name, index).second)
      return in_.failFrom(begin, fmt::format("{} is defined twice here", name), "another name");
    return index;
  }

  // @i; (@a, @b): two dimensions, or the two modes of one; ((@a, @b), @c)
  Result<std::vector<std::vector<std::string>>> levelNames() {
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

  Result<std::string> indexName() {
    if (!in_.accept('@')) return in_.fail("the name of an index is missing here", "@NAME");
    TESSERA_TRY(const std::string name, in_.identifier("the name of an index"));
    return "@" + name;
  }

  // %2, %3 <- Move<attribute><<<#b, #t>>>(%1) { ... }
  Result<Statement> spec() {
    Spec out;
    do {
      TESSERA_TRY(Tensor t, known());
      if (t.threads) return in_.fail("a specification writes data", "%NAME <- ...");
      out.outputs.push_back(std::move(t));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect("<-", "between the outputs and the specification"));
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    const std::string word(in_.peekWord());
    const std::optional<SpecKind> kind = kindOf(word);
    if (!kind) {
      const auto near = nearest(word, kindWords());
      return in_.fail(fmt::format("there is no specification '{}'", word),
                      "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate or Spec",
                      near ? fmt::format("did you mean {}?", *near) : "");
    }
    in_.advance(word.size());
    out.kind = *kind;
    TESSERA_CHECKED(attribute(out, begin));
    if (in_.accept("<<<")) TESSERA_CHECKED(configuration(out));
    if (in_.accept('(') && !in_.accept(')')) {
      do {
        TESSERA_TRY(Tensor t, known());
        if (t.threads) return in_.fail("a specification reads data", "%NAME");
        out.inputs.push_back(std::move(t));
      } while (in_.accept(','));
      TESSERA_CHECKED(in_.expect(")", "after the inputs"));
    }
    if (const auto fault = arityFault(out)) return in_.failFrom(begin, fault->message, fault->expected);
    if (in_.peek() == '{') {
      out.decomposed = true;
      TESSERA_TRY(out.body, block());
    }
    return Statement{{}, std::move(out)};
  }

  // <+>, <exp>, <max, 1>, <bfly 16>, and Init(0)
  Result<void> attribute(Spec& out, std::size_t begin) {
    const bool round = out.kind == SpecKind::Init && in_.peek() == '(';
    if (round || (in_.peek() == '<' && in_.text().substr(in_.position(), 3) != "<<<")) {
      in_.advance();
      const std::size_t close = in_.text().find(round ? ')' : '>', in_.position());
      const std::size_t line = in_.text().find('\n', in_.position());
      if (close == std::string_view::npos || close > line)
        return in_.failFrom(begin, "this attribute is never closed", ">");
      for (const char c : in_.text().substr(in_.position(), close - in_.position()))
        if (!isBlank(c)) out.attribute += c;
      in_.seek(close + 1);
    }
    const bool needed = out.kind == SpecKind::UnaryPointwise || out.kind == SpecKind::BinaryPointwise ||
                        out.kind == SpecKind::Reduction || out.kind == SpecKind::Shfl || out.kind == SpecKind::Init;
    if (needed && out.attribute.empty())
      return in_.failFrom(begin, fmt::format("{} of what?", name(out.kind)),
                          fmt::format("{}<...>: an operation, an axis, an offset or a value", name(out.kind)));
    return {};
  }

  Result<void> configuration(Spec& out) {
    TESSERA_TRY(Tensor first, known());
    TESSERA_CHECKED(in_.expect(",", "between the blocks and the threads"));
    TESSERA_TRY(Tensor second, known());
    TESSERA_CHECKED(in_.expect(">>>", "after the threads"));
    if (first.element != "block" || second.element != "thread")
      return in_.fail("a configuration is blocks, then threads", "<<<#BLOCKS, #THREADS>>>");
    out.blocks.push_back(std::move(first));
    out.threads.push_back(std::move(second));
    return {};
  }

  Result<Body> block() {
    in_.skipBlanks();
    const Span open = in_.here();
    TESSERA_CHECKED(in_.expect("{", "before the body"));
    if (static_cast<int>(scopes_.size()) > kMaxNesting) return in_.fail("bodies nest too deep here", "fewer levels");
    scopes_.emplace_back();
    Body out;
    while (!in_.accept('}')) {
      if (in_.atEnd()) return Diag{"this body is never closed", "`}`", "", open};
      TESSERA_TRY(Statement s, statement());
      out.push_back(std::move(s));
    }
    scopes_.pop_back();
    return out;
  }

  Result<Statement> control() {
    const std::size_t begin = in_.position();
    const std::string word(in_.peekWord());
    if (word == "for") return loop();
    if (word == "if") return branch();
    const bool block = word == "sync" || word == "__syncthreads";
    if (block || word == "syncwarp" || word == "__syncwarp") {
      in_.advance(word.size());
      if (in_.accept('(')) TESSERA_CHECKED(in_.expect(")", "after " + word));
      return Statement{{}, Sync{!block}};
    }
    if (word == "commit") {
      in_.advance(word.size());
      return Statement{{}, Commit{}};
    }
    if (word == "wait") {
      in_.advance(word.size());
      TESSERA_TRY(const i64 pending, in_.integer("how many groups may be on their way"));
      if (pending < 0 || pending > 64) return in_.failFrom(begin, "a number of groups that nobody has", "0 to 64");
      return Statement{{}, Wait{static_cast<int>(pending)}};
    }
    const auto near = nearest(word, {"for", "if", "sync", "syncwarp", "commit", "wait"});
    return in_.failFrom(
        begin,
        word.empty() ? fmt::format("unexpected {}", in_.found()) : fmt::format("there is no statement '{}'", word),
        "a tensor, a specification, indices, for, if, sync, commit or wait",
        near && !word.empty() ? fmt::format("did you mean {}?", *near) : "");
  }

  // for (k = 0; k < 1024; k += 16) { }
  Result<Statement> loop() {
    in_.advance(3);
    const std::size_t begin = in_.position();
    TESSERA_CHECKED(in_.expect("(", "after for"));
    TESSERA_TRY(const std::string name, loopName());
    TESSERA_CHECKED(in_.expect("=", "after the loop's variable"));
    Variable v{name, Variable::Kind::Loop, {}, {}, 1, {}};
    TESSERA_TRY(v.lo, reader_.number());
    TESSERA_CHECKED(in_.expect(";", "after the first value"));
    TESSERA_CHECKED(again(name));
    TESSERA_CHECKED(in_.expect("<", "after the loop's variable"));
    TESSERA_TRY(v.hi, reader_.number());
    TESSERA_CHECKED(in_.expect(";", "after the bound"));
    TESSERA_CHECKED(again(name));
    if (!in_.accept("++")) {
      TESSERA_CHECKED(in_.expect("+=", "before the step"));
      TESSERA_TRY(v.step, in_.integer("the step"));
      if (v.step < 1) return in_.failFrom(begin, "a step below 1", "a positive step");
    }
    TESSERA_CHECKED(in_.expect(")", "after the loop's head"));
    Loop out;
    out.variable = variable(std::move(v));
    scopes_.emplace_back();
    scopes_.back().indices[name] = out.variable;
    TESSERA_TRY(out.body, block());
    scopes_.pop_back();
    return Statement{{}, std::move(out)};
  }
  Result<std::string> loopName() {
    const bool at = in_.accept('@');
    TESSERA_TRY(const std::string word, in_.identifier("the loop's variable"));
    return (at ? "@" : "") + word;
  }
  Result<void> again(const std::string& name) {
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    TESSERA_TRY(const std::string word, loopName());
    if (word != name) return in_.failFrom(begin, fmt::format("{} is not the loop's variable", word), name);
    return {};
  }

  Result<Statement> branch() {
    in_.advance(2);
    TESSERA_CHECKED(in_.expect("(", "after if"));
    Branch out;
    do {
      Comparison c;
      TESSERA_TRY(c.left, reader_.number());
      in_.skipBlanks();
      for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"}) {
        if (!in_.accept(op)) continue;
        c.op = op;
        break;
      }
      if (c.op.empty()) return in_.fail("a comparison is missing here", "< <= > >= == or !=");
      TESSERA_TRY(c.right, reader_.number());
      out.condition.push_back(std::move(c));
    } while (in_.accept("&&"));
    TESSERA_CHECKED(in_.expect(")", "after the condition"));
    TESSERA_TRY(out.then, block());
    if (in_.acceptWord("else")) {
      TESSERA_TRY(out.otherwise, block());
    }
    return Statement{{}, std::move(out)};
  }

  static std::string_view name(SpecKind kind) { return graphene::name(kind); }

  Reader reader_;
  Cursor& in_;
  Program program_;
  std::vector<Scope> scopes_;
  std::size_t statements_ = 0;
};

}  // namespace

Result<Program> readProgram(std::string_view text, Order order) { return ProgramReader(text, order).run(); }

}  // namespace tessera::graphene
