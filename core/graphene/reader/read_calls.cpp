// The reader of programs: named specifications, defined and called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/atlas/scalar_operation.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/reader/program_reader.h"
#include "core/graphene/reader/read_parts.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMostCalls = 24;  // one in the other

}  // namespace

// def all<op>: %x <- Spec<all><<<#b,#w>>>(%x) { ... }, after its `def`
Result<void> ProgramReader::definition() {
  TESSERA_TRY(Definition one, definitionAt(in_));
  const std::string key = one.name;
  const Span span = one.span;
  if (kindOf(key)) return Diag{fmt::format("{} is a kind of specification", key), "another name", "", span};
  for (std::size_t k = 0; k < one.parameters.size(); ++k)
    if (std::count(one.parameters.begin(), one.parameters.end(), one.parameters[k]) > 1)
      return Diag{fmt::format("{} has the parameter {} twice", key, one.parameters[k]), "another name", "", span};
  const auto at = definitions_.find(key);
  if (at != definitions_.end() && !at->second.library)
    return Diag{fmt::format("{} is defined twice", key), "another name", "", span};
  definitions_.insert_or_assign(key, std::move(one));
  return {};
}

// The program's own, or the library's.
const Definition* ProgramReader::definitionOf(const std::string& word) {
  if (!libraryRead_) {
    libraryRead_ = true;
    for (const Definition& d : libraryDefinitions()) definitions_.emplace(d.name, d);
  }
  const auto at = definitions_.find(word);
  return at == definitions_.end() ? nullptr : &at->second;
}

// all<+><<<#b, #w>>>(%sum), after `%sum <-`
Result<Statement> ProgramReader::call(const Definition& definition, Spec head, std::size_t begin,
                                      std::size_t wordSize) {
  in_.advance(wordSize);
  const std::size_t behindWord = in_.position();
  TESSERA_TRY(Scope given, arguments(definition));
  head.called = definition.name + std::string(in_.text().substr(behindWord, in_.position() - behindWord));
  TESSERA_CHECKED(operands(head));
  if (in_.peek() == '{')
    return in_.fail(fmt::format("{} has its decomposition where it is defined", definition.name), "no body here");
  const bool outermost = expanding_.empty();
  if (outermost) call_ = in_.spanFrom(begin);
  const Cursor behind = in_;
  const bool wasInLibrary = inLibrary_;
  const std::size_t written = in_.position();
  inLibrary_ = inLibrary_ || definition.library;
  const Result<void> done = expand(definition, head, std::move(given), begin);
  inLibrary_ = wasInLibrary;
  if (!done) {
    Diag d = done.error();
    if (in_.text().data() != behind.text().data() || d.span.empty()) d.span = {begin, written};
    if (definition.library && !wasInLibrary) {
      d.span = outermost ? Span{begin, written} : call_;
      d.message = fmt::format("in {} of the library: {}", definition.name, d.message);
    }
    in_ = behind;
    return d;
  }
  in_ = behind;
  return Statement{{}, std::move(head)};
}

// <4, kt%3, max>: numbers, and operations by their names.
Result<ProgramReader::Scope> ProgramReader::arguments(const Definition& definition) {
  Scope out;
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  const bool some = in_.raw() == '<' && in_.text().substr(begin, 3) != "<<<";
  if (some != !definition.parameters.empty())
    return in_.failFrom(begin,
                        some ? fmt::format("{} has no parameters", definition.name)
                             : fmt::format("the parameters of {} are missing", definition.name),
                        definition.signature);
  if (!some) return out;
  in_.advance();
  for (std::size_t k = 0; k < definition.parameters.size(); ++k) {
    const std::string& parameter = definition.parameters[k];
    if (k > 0) TESSERA_CHECKED(in_.expect(",", fmt::format("before {}", parameter)));
    in_.skipBlanks();
    const std::string word(in_.peekWord());
    const std::string sign(1, in_.raw());
    if (!word.empty() && scalarOperation(word) != nullptr) {
      out.words[parameter] = word;
      in_.advance(word.size());
    } else if (scalarOperation(sign, 2) != nullptr) {
      out.words[parameter] = sign;
      in_.advance();
    } else if (const auto op = wordOf(word)) {  // handed on: of the definition around it, or of the program
      out.words[parameter] = *op;
      in_.advance(word.size());
    } else {
      TESSERA_TRY(const Expr value, reader_.number());
      out.values[parameter] = value;
    }
  }
  TESSERA_CHECKED(in_.expect(">", fmt::format("after the parameters of {}", definition.name)));
  return out;
}

// Reads the definition over the tensors of the call: `out` has its operands, and gets kind, attribute and body.
Result<void> ProgramReader::expand(const Definition& definition, Spec& out, Scope given, std::size_t begin) {
  if (std::find(expanding_.begin(), expanding_.end(), &definition) != expanding_.end()) {
    std::vector<std::string> way;
    for (const Definition* d : expanding_) way.push_back(d->name);
    return in_.failFrom(
        begin, fmt::format("{} calls itself: {} > {}", definition.name, fmt::join(way, " > "), definition.name),
        "a body that ends: loops instead of recursion");
  }
  if (expanding_.size() >= kMostCalls)
    return in_.failFrom(begin, fmt::format("calls nest more than {} levels deep", kMostCalls), "fewer levels");
  std::set<std::string> taken;
  for (const auto* tensors : {&out.outputs, &out.inputs, &out.blocks, &out.threads})
    for (const Tensor& t : *tensors) taken.insert(nameOf(t));
  if (std::any_of(given.values.begin(), given.values.end(), [](const auto& v) { return !v.second.isConstant(); }))
    for (const Scope& scope : scopes_)
      for (const auto& [word, index] : scope.indices)
        taken.insert(program_.variables[static_cast<std::size_t>(index)].name);
  Scope sizes;
  if (!definition.library) sizes = parameters_;
  for (const auto& [word, index] : scopes_.front().indices)
    if (program_.variables[static_cast<std::size_t>(index)].kind == Variable::Kind::Size) sizes.indices[word] = index;
  for (const auto& [word, value] : scopes_.front().values)
    if (given_.contains(word)) sizes.values[word] = value;  // sizes that are numbers

  const std::vector<Scope> outer = std::exchange(scopes_, {});
  const std::set<std::string> outerTaken = std::exchange(taken_, std::move(taken));
  scopes_.push_back(std::move(sizes));
  scopes_.push_back(std::move(given));
  expanding_.push_back(&definition);
  in_ = Cursor(definition.text, {.lineComments = true, .blockComments = true}, definition.head);
  const auto read = [&]() -> Result<void> {
    TESSERA_CHECKED(headOfDefinition(out, scopes_.back()));
    if (const auto fault = arityFault(out)) return in_.failFrom(definition.head, fault->message, fault->expected);
    TESSERA_CHECKED(means(out));
    out.decomposed = true;
    TESSERA_TRY(out.body, block());
    return {};
  };
  const Result<void> done = read();
  expanding_.pop_back();
  taken_ = outerTaken;
  scopes_ = outer;
  return done;
}

// %x, %y <- Spec<all><<<#b,#w>>>(%x, %z): every formal is a name for the operand in its place.
Result<void> ProgramReader::headOfDefinition(Spec& out, Scope& scope) {
  TESSERA_CHECKED(formals(out.outputs, scope, "output"));
  TESSERA_CHECKED(in_.expect("<-", "between the outputs and the specification"));
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  const std::string word(in_.peekWord());
  const std::optional<SpecKind> kind = kindOf(word);
  if (!kind)
    return in_.fail(fmt::format("'{}' is no kind of specification", word),
                    "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate or Spec");
  in_.advance(word.size());
  out.kind = *kind;
  TESSERA_CHECKED(attribute(out, begin));
  const bool threads = in_.accept("<<<");
  if (threads != !out.threads.empty())
    return in_.failFrom(begin,
                        threads ? "it is called without blocks and threads" : "it is called with blocks and threads",
                        threads ? "<<<#BLOCKS, #THREADS>>>" : "no <<<>>>");
  if (threads) {
    TESSERA_CHECKED(formals(out.blocks, scope, "blocks"));
    TESSERA_CHECKED(in_.expect(",", "between the blocks and the threads"));
    TESSERA_CHECKED(formals(out.threads, scope, "threads"));
    TESSERA_CHECKED(in_.expect(">>>", "after the threads"));
  }
  TESSERA_CHECKED(in_.expect("(", "before the inputs"));
  if (!in_.accept(')')) {
    TESSERA_CHECKED(formals(out.inputs, scope, "input"));
    TESSERA_CHECKED(in_.expect(")", "after the inputs"));
  } else if (!out.inputs.empty()) {
    return in_.failFrom(begin, fmt::format("it is called with {} inputs", out.inputs.size()), "none");
  }
  return {};
}

Result<void> ProgramReader::formals(const std::vector<Tensor>& actual, Scope& scope, std::string_view what) {
  const bool list = what == "input" || what == "output";
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  std::size_t count = 0;
  do {
    TESSERA_TRY(const std::string name, tensorName());
    if (count < actual.size()) {
      const Tensor& t = actual[count];
      if ((name[0] == '#') != t.threads)
        return in_.failFrom(begin, fmt::format("{} is not {}", name, nameOf(t)), "%data or #threads");
      const auto [at, made] = scope.tensors.emplace(name, t);
      if (!made && nameOf(at->second) != nameOf(t))
        return in_.failFrom(begin, fmt::format("{} is both {} and {}", name, nameOf(at->second), nameOf(t)),
                            "one tensor in both places");
    }
    ++count;
  } while (list && in_.accept(','));
  if (count != actual.size())
    return in_.failFrom(
        begin,
        fmt::format("it is called with {} {}{}, and has {}", actual.size(), what, actual.size() == 1 ? "" : "s", count),
        "as many");
  return {};
}

std::string ProgramReader::fresh(const std::string& name) const {
  if (expanding_.empty()) return name;
  const auto used = [&](const std::string& word) {
    return taken_.count(word) > 0 || std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
             return std::any_of(scope.tensors.begin(), scope.tensors.end(),
                                [&](const auto& t) { return t.first != name && nameOf(t.second) == word; });
           });
  };
  std::string word = name;
  for (int k = 2; used(word); ++k) word = fmt::format("{}_{}", name, k);
  return word;
}

// The parameters that are operations or numbers, in an attribute: <op> is <max>, <bfly D> is <bfly 16>.
std::string ProgramReader::withWords(std::string_view attribute) const {
  std::string out;
  for (std::size_t at = 0; at < attribute.size();) {
    std::size_t end = at;
    while (end < attribute.size() && isNamePart(attribute[end])) ++end;
    if (end == at) {
      out += attribute[at++];
      continue;
    }
    std::string word(attribute.substr(at, end - at));
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto op = scope->words.find(word); op != scope->words.end()) {
        word = op->second;
        break;
      }
      const auto value = scope->values.find(word);
      if (value != scope->values.end() && value->second.isConstant()) {
        word = fmt::format("{}", value->second.value());
        break;
      }
    }
    out += word;
    at = end;
  }
  return out;
}

}  // namespace tessera::graphene
