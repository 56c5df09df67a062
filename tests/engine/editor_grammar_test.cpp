// The grammars of editors/vscode: written from the language's tables, so that a new function, view, instruction or
// keyword is coloured. TESSERA_WRITE=1 rewrites them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "app/engine/help/code_tokens.h"
#include "app/engine/help/completions.h"
#include "app/engine/program/program_words.h"
#include "app/show/show.h"
#include "core/atlas/scalar_operation.h"
#include "core/base/chars.h"
#include "core/graphene/reader/definitions.h"
#include "core/worksheet/statements/evaluator.h"

using namespace tessera;
using Grammar = nlohmann::ordered_json;

namespace {

// "a|b|c", longest first, so that no word hides one that it begins.
std::string anyOf(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::ranges::stable_sort(words, std::ranges::greater(), &std::string::size);
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : "|") + w;
  REQUIRE_FALSE(out.empty());
  return out;
}
std::string anyOf(std::span<const std::string_view> words) {
  return anyOf(std::vector<std::string>(words.begin(), words.end()));
}
bool isWord(std::string_view s) { return !s.empty() && std::ranges::all_of(s, isNamePart); }

std::string wordsOf(const std::vector<Completion>& rows, std::string_view kind) {
  std::vector<std::string> out;
  for (const Completion& c : rows)
    if (c.kind == kind) out.push_back(c.text);
  return anyOf(std::move(out));
}

Grammar rule(const std::string& name, const std::string& match) { return {{"name", name}, {"match", match}}; }
Grammar include(const char* what) { return {{"include", what}}; }
Grammar captures(std::initializer_list<const char*> names) {
  Grammar out = Grammar::object();
  int number = 1;
  for (const char* name : names) out[std::to_string(number++)] = {{"name", name}};
  return out;
}

Grammar comments(const std::string& language) {
  return {{{"name", "comment.block." + language}, {"begin", "/\\*"}, {"end", "\\*/"}},
          rule("comment.line.double-slash." + language, "//.*$")};
}
void add(Grammar& to, const Grammar& rules) { to.insert(to.end(), rules.begin(), rules.end()); }

// What is left to every language: numbers, names, operators, brackets.
Grammar rest(const std::string& language) {
  return {rule("constant.numeric." + language, "\\b0[xX][0-9A-Fa-f]+\\b|\\b_?[0-9]+(?:\\.[0-9]+)?\\w*"),
          rule("variable.parameter." + language, "[%#@][A-Za-z0-9_]+"),
          rule("variable.other." + language, "[A-Za-z_]\\w*"),
          rule("keyword.operator." + language, "<-|->|<<<|>>>|[-+*/%<>=!&|^~?:.@#$'\\\\]"),
          rule("punctuation." + language, "[,;(){}\\[\\]]")};
}

Grammar sheetGrammar() {
  std::vector<std::string> called, claimed, drawn;
  for (const FunctionInfo& f : functions()) {
    REQUIRE(isWord(f.name));
    (isClaimName(f.name) ? claimed : called).emplace_back(f.name);
  }
  for (const ViewInfo& v : views()) {
    REQUIRE(isWord(v.name));
    drawn.emplace_back(v.name);
  }
  Grammar patterns = Grammar::array();
  // `//` divides in a formula, before its `over`.
  patterns.push_back(rule("keyword.operator.tess", "//(?=[^\"]*\\bover\\s*\\()"));
  add(patterns, comments("tess"));
  patterns.push_back({{"name", "string.quoted.double.tess"}, {"begin", "\""}, {"end", "\"|$"}});
  patterns.push_back(
      {{"begin", "^\\s*(graphene)\\s+([A-Za-z_]\\w*)\\s*(\\{)"},
       {"beginCaptures", captures({"keyword.control.tess", "entity.name.type.tess", "punctuation.tess"})},
       {"end", "\\}"},
       {"contentName", "meta.embedded.graphene"},
       {"patterns", {include("source.graphene")}}});
  patterns.push_back(
      {{"begin", "\\b(hlo|cuda|cpp|c|hip|python)\\b\\s*([A-Za-z_]\\w*)?\\s*(\\{)"},
       {"beginCaptures", captures({"keyword.control.tess", "entity.name.type.tess", "punctuation.tess"})},
       {"end", "\\}"},
       {"patterns", {include("#code")}}});
  patterns.push_back({{"match", "\\b(as)\\s+(" + anyOf(drawn) + ")\\b"},
                      {"captures", captures({"keyword.control.tess", "support.constant.view.tess"})}});
  patterns.push_back({{"match", "(?:^|[;}])\\s*(" + anyOf(lineKeywordNames()) + ")\\b(?!\\()"},
                      {"captures", captures({"keyword.control.tess"})}});
  patterns.push_back(rule("keyword.control.tess", "\\b(?:" + anyOf(keywordNames()) + ")\\b"));
  patterns.push_back(rule("entity.name.variable.tess", "^\\s*#?[A-Za-z_]\\w*(?=\\s*(?:\\([^)]*\\)\\s*)?=(?!=))"));
  patterns.push_back(rule("support.function.claim.tess", "\\b(?:" + anyOf(claimed) + ")\\b(?=\\s*\\()"));
  patterns.push_back(rule("support.function.tess", "\\b(?:" + anyOf(called) + ")\\b(?=\\s*\\()"));
  patterns.push_back(rule("storage.type.tess", "\\b(?:" + anyOf(elementTypeNames()) + ")\\b"));
  patterns.push_back(rule("support.class.instruction.tess", "\\b[a-z]\\w*(?:\\.[A-Za-z0-9_]+)+"));
  add(patterns, rest("tess"));
  Grammar code = comments("tess");
  code.push_back({{"begin", "\\{"}, {"end", "\\}"}, {"patterns", {include("#code")}}});
  code.push_back({{"name", "string.quoted.double.tess"}, {"begin", "\""}, {"end", "\"|$"}});
  add(code, rest("tess"));
  return {{"name", "Tessera"},
          {"scopeName", "source.tess"},
          {"patterns", patterns},
          {"repository", {{"code", {{"patterns", code}}}}}};
}

Grammar programGrammar() {
  const std::vector<Completion> words = programVocabulary();
  std::vector<std::string> library, operations;
  for (const graphene::Definition& d : graphene::libraryDefinitions()) library.push_back(d.name);
  for (const ScalarOperation& o : scalarOperations())
    if (isWord(o.name)) operations.emplace_back(o.name);
  Grammar patterns = comments("graphene");
  patterns.push_back({{"begin", "\\{"}, {"end", "\\}"}, {"patterns", {include("$self")}}});
  patterns.push_back(
      rule("keyword.control.graphene", "\\b(?:" + wordsOf(words, "keyword") + "|else|in|means|holds)\\b"));
  patterns.push_back(rule("support.class.specification.graphene", "\\b(?:" + wordsOf(words, "specification") + ")\\b"));
  patterns.push_back(rule("support.function.library.graphene", "(?<=<- )(?:" + anyOf(library) + ")\\b"));
  patterns.push_back(rule("storage.type.graphene", "\\b(?:" + wordsOf(words, "type") + ")\\b"));
  patterns.push_back({{"match", "(\\.)(" + wordsOf(words, "operation") + ")\\b"},
                      {"captures", captures({"keyword.operator.graphene", "support.function.graphene"})}});
  patterns.push_back(rule("support.function.scalar.graphene", "\\b(?:" + anyOf(operations) + ")(?=[(,>])"));
  add(patterns, rest("graphene"));
  return {{"name", "Graphene"}, {"scopeName", "source.graphene"}, {"patterns", patterns}};
}

void compare(const std::string& name, const Grammar& grammar) {
  const std::string file = std::string(TESSERA_SOURCE_DIR) + "/editors/vscode/syntaxes/" + name + ".tmLanguage.json";
  const std::string wanted = grammar.dump(2) + "\n";
  if (std::getenv("TESSERA_WRITE") != nullptr) std::ofstream(file) << wanted;
  std::ifstream in(file);
  const std::string is((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  INFO(file << " is not what the tables say; TESSERA_WRITE=1 writes it");
  CHECK((is == wanted));
}

}  // namespace

TEST_CASE("the grammars of editors are those of the language's tables") {
  compare("tess", sheetGrammar());
  compare("graphene", programGrammar());
}
