#include "core/graphene/reader/call_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/atlas/scalar_operation.h"
#include "core/base/mapped.h"
#include "core/graphene/reader/constructs.h"

namespace tessera::graphene {

constexpr std::size_t kMostCalls = 24;  // nesting depth

Result<void> CallReader::definition() {
  TESSERA_TRY(Definition one, definitionAt(in_));
  const std::string key = one.name;
  const Span span = one.span;
  if (kindOf(key)) return Diag{fmt::format("{} is a kind of specification", key), "another name", "", span};
  for (std::size_t k = 0; k < one.parameters.size(); ++k)
    if (std::ranges::count(one.parameters, one.parameters[k]) > 1)
      return Diag{fmt::format("{} has the parameter {} twice", key, one.parameters[k]), "another name", "", span};
  const auto at = definitions_.find(key);
  if (at != definitions_.end() && !at->second.library)
    return Diag{fmt::format("{} is defined twice", key), "another name", "", span};
  definitions_.insert_or_assign(key, std::move(one));
  return {};
}

const Definition* CallReader::definitionOf(const std::string& word) {
  if (!libraryRead_) {
    libraryRead_ = true;
    for (const Definition& d : libraryDefinitions()) definitions_.emplace(d.name, d);
  }
  const auto at = definitions_.find(word);
  return at == definitions_.end() ? nullptr : &at->second;
}

Result<Statement> CallReader::call(const Definition& definition, Spec head, std::size_t begin, std::size_t wordSize) {
  in_.advance(wordSize);
  const std::size_t afterWord = in_.position();
  TESSERA_TRY(Scope given, arguments(definition));
  head.called = definition.name + std::string(in_.text().substr(afterWord, in_.position() - afterWord));
  TESSERA_CHECKED(readOperands(text_, head));
  if (in_.peek() == '{')
    return in_.fail(fmt::format("{} is decomposed in its definition", definition.name), "no body here");
  const bool outermost = expanding_.empty();
  if (outermost) call_ = in_.spanFrom(begin);
  const Cursor after = in_;
  const bool wasInLibrary = inLibrary_;
  const std::size_t written = in_.position();
  inLibrary_ = inLibrary_ || definition.library;
  const Result<void> done = expand(definition, head, std::move(given), begin);
  inLibrary_ = wasInLibrary;
  if (!done) {
    Diag d = done.error();
    if (in_.text().data() != after.text().data() || d.span.empty()) d.span = {begin, written};
    if (definition.library && !wasInLibrary) {
      d.span = outermost ? Span{begin, written} : call_;
      d.message = fmt::format("in {} of the library: {}", definition.name, d.message);
    }
    in_ = after;
    return d;
  }
  in_ = after;
  return Statement{{}, std::move(head)};
}

// <4, kt%3, max>: numbers, and operations by their names.
Result<Scope> CallReader::arguments(const Definition& definition) {
  Scope out;
  const std::size_t begin = in_.start();
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
    const std::string word(in_.peekWord());
    const std::string sign(1, in_.raw());
    if (!word.empty() && scalarOperation(word) != nullptr) {
      out.words[parameter] = word;
      in_.advance(word.size());
    } else if (scalarOperation(sign, 2) != nullptr) {
      out.words[parameter] = sign;
      in_.advance();
    } else if (const auto op =
                   text_.names.wordOf(word)) {  // passed on: a parameter of the enclosing definition, or of the program
      out.words[parameter] = *op;
      in_.advance(word.size());
    } else {
      TESSERA_TRY(const Expr value, text_.reader.number());
      out.values[parameter] = value;
    }
  }
  TESSERA_CHECKED(in_.expect(">", fmt::format("after the parameters of {}", definition.name)));
  return out;
}

// Reads the definition for the tensors of the call: `out` has the operands, and receives kind, attribute and body.
Result<void> CallReader::expand(const Definition& definition, Spec& out, Scope given, std::size_t begin) {
  if (std::ranges::find(expanding_, &definition) != expanding_.end()) {
    const auto way = mapped<std::string>(expanding_, &Definition::name);
    return in_.failFrom(
        begin, fmt::format("{} calls itself: {} > {}", definition.name, fmt::join(way, " > "), definition.name),
        "loops instead of recursion");
  }
  if (expanding_.size() >= kMostCalls)
    return in_.failFrom(begin, fmt::format("calls nest more than {} levels deep", kMostCalls), "fewer levels");
  std::set<std::string> operands;
  for (const auto* tensors : {&out.outputs, &out.inputs, &out.blocks, &out.threads})
    for (const Tensor& t : *tensors) operands.insert(nameOf(t));
  const Scopes::Call inside(text_.names, std::move(operands), std::move(given), definition.library);
  expanding_.push_back(&definition);
  in_ = Cursor(definition.text, {.lineComments = true, .blockComments = true}, definition.head);
  const auto read = [&]() -> Result<void> {
    TESSERA_CHECKED(matchHead(out));
    if (const auto fault = arityFault(out)) return in_.failFrom(definition.head, fault->message, fault->expected);
    TESSERA_CHECKED(readMeaning(text_, out));
    out.decomposed = true;
    TESSERA_TRY(out.body, body_());
    return {};
  };
  const Result<void> done = read();
  expanding_.pop_back();
  return done;
}

std::vector<std::string> CallReader::names() const {
  return mapped<std::string>(definitions_, [](const auto& d) { return d.first; });
}

// %x, %y <- Spec<all><<<#b,#w>>>(%x, %z): every formal becomes a name for its operand.
Result<void> CallReader::matchHead(Spec& out) {
  TESSERA_CHECKED(formals(out.outputs, "output"));
  TESSERA_CHECKED(in_.expect("<-", "between the outputs and the specification"));
  const std::size_t begin = in_.start();
  const std::string word(in_.peekWord());
  const std::optional<SpecKind> kind = kindOf(word);
  if (!kind)
    return in_.fail(fmt::format("'{}' is not a kind of specification", word),
                    "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate or Spec");
  in_.advance(word.size());
  out.kind = *kind;
  TESSERA_CHECKED(readAttribute(text_, out, begin));
  const bool threads = in_.accept("<<<");
  if (threads != !out.threads.empty())
    return in_.failFrom(begin,
                        threads ? "it is called without blocks and threads" : "it is called with blocks and threads",
                        threads ? "<<<#BLOCKS, #THREADS>>>" : "no <<<>>>");
  if (threads) {
    TESSERA_CHECKED(formals(out.blocks, "blocks"));
    TESSERA_CHECKED(in_.expect(",", "between the blocks and the threads"));
    TESSERA_CHECKED(formals(out.threads, "threads"));
    TESSERA_CHECKED(in_.expect(">>>", "after the threads"));
  }
  TESSERA_CHECKED(in_.expect("(", "before the inputs"));
  if (!in_.accept(')')) {
    TESSERA_CHECKED(formals(out.inputs, "input"));
    TESSERA_CHECKED(in_.expect(")", "after the inputs"));
  } else if (!out.inputs.empty()) {
    return in_.failFrom(begin, fmt::format("it is called with {} inputs", out.inputs.size()), "none");
  }
  return {};
}

Result<void> CallReader::formals(const std::vector<Tensor>& actual, std::string_view what) {
  const bool list = what == "input" || what == "output";
  const std::size_t begin = in_.start();
  std::size_t count = 0;
  do {
    TESSERA_TRY(const std::string name, text_.tensorName());
    if (count < actual.size()) {
      const Tensor& t = actual[count];
      if ((name[0] == '#') != t.threads)
        return in_.failFrom(begin, fmt::format("{} is not {}", name, nameOf(t)), "%data or #threads");
      const auto [at, made] = text_.names.inner().tensors.emplace(name, t);
      if (!made && nameOf(at->second) != nameOf(t))
        return in_.failFrom(begin, fmt::format("{} is both {} and {}", name, nameOf(at->second), nameOf(t)),
                            "one tensor in both places");
    }
    ++count;
  } while (list && in_.accept(','));
  if (count != actual.size())
    return in_.failFrom(begin, fmt::format("it is called with {}, but takes {}", counted(actual.size(), what), count),
                        "as many");
  return {};
}

}  // namespace tessera::graphene
