#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

template <std::size_t N>
constexpr bool isIn(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool endsWith(std::string_view word, std::string_view end) { return word.size() > end.size() && word.ends_with(end); }

// Names of types and templates look like Layout, copy_t, is_same_v; constants look like BM, kBlock, i.
bool looksLikeTemplate(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kKnown = {"static_cast",
                                                              "reinterpret_cast",
                                                              "const_cast",
                                                              "dynamic_cast",
                                                              "bit_cast",
                                                              "get",
                                                              "tuple",
                                                              "array",
                                                              "number",
                                                              "sequence",
                                                              "constant",
                                                              "C",
                                                              "max",
                                                              "vector",
                                                              "smem_ptr_flag_bits",
                                                              "conditional"};
  if (isIn(word, kKnown) || endsWith(word, "_t") || endsWith(word, "_v")) return true;
  const bool anyLower = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return word.front() >= 'A' && word.front() <= 'Z' && (anyLower || word.find('_') != std::string_view::npos);
}

// `int static constexpr x`: what belongs to the variable may follow its type.
bool isTrailing(std::string_view word) {
  return word == "const" || word == "volatile" || word == "constexpr" || word == "static";
}

bool isTypeSuffix(std::string_view word) {
  static constexpr std::array<std::string_view, 6> kWords = {"*", "&", "&&", "__restrict", "__restrict__", "restrict"};
  return isTrailing(word) || isIn(word, kWords);
}

std::string withWord(std::string text, std::string_view word) {
  if (!text.empty()) text += ' ';
  return text += word;
}

}  // namespace

bool isBuiltinType(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords = {"void", "bool",    "char",    "short",  "int",
                                                              "long", "float",   "double",  "signed", "unsigned",
                                                              "auto", "wchar_t", "__int128"};
  return isIn(word, kWords);
}

bool isKnownType(std::string_view word) {
  static constexpr std::array<std::string_view, 24> kWords = {
      "half",  "half2",  "float2", "float3", "float4", "int2",   "int3",    "int4",
      "uint2", "uint3",  "uint4",  "uint",   "uchar",  "ushort", "ulong",   "short2",
      "char4", "uchar4", "dim3",   "bf16",   "fp16",   "__half", "__half2", "__nv_bfloat16"};
  return isIn(word, kWords) || (endsWith(word, "_t") && word.front() >= 'a' && word.front() <= 'z');
}

bool isKeyword(std::string_view word) {
  static constexpr std::array<std::string_view, 35> kWords = {
      "return",    "if",       "else",   "for",     "while",     "do",       "switch",    "case",  "default",
      "break",     "continue", "goto",   "using",   "typedef",   "struct",   "class",     "union", "enum",
      "namespace", "template", "asm",    "__asm__", "new",       "delete",   "throw",     "try",   "catch",
      "operator",  "sizeof",   "public", "private", "protected", "requires", "co_return", "this"};
  return isIn(word, kWords);
}

bool isSpecifier(std::string_view word) {
  static constexpr std::array<std::string_view, 24> kWords = {
      "static",     "constexpr",    "const",           "inline",       "extern",        "volatile",
      "mutable",    "virtual",      "explicit",        "friend",       "register",      "consteval",
      "constinit",  "thread_local", "typename",        "__shared__",   "__device__",    "__host__",
      "__global__", "__constant__", "__forceinline__", "__noinline__", "__forceinline", "__inline__"};
  if (isIn(word, kWords) || word == "__grid_constant__") return true;
  return (word.starts_with("CUTE_") || word.starts_with("CUTLASS_") || word.starts_with("CK_") ||
          word.starts_with("CATLASS_")) &&
         (endsWith(word, "DEVICE") || endsWith(word, "HOST") || endsWith(word, "INLINE") ||
          endsWith(word, "CONSTEXPR") || endsWith(word, "STATIC") || endsWith(word, "CONSTANT"));
}

void In::matchAngles(int first) {
  std::vector<int> open;
  for (int i = first; i < static_cast<int>(tokens_.size()); ++i) {
    spend();
    const std::string_view word = text(i);
    const Token& here = token(i);
    if (here.kind == Token::Kind::Directive || here.kind == Token::Kind::End || word == ";") break;
    if (here.kind != Token::Kind::Mark) continue;
    if (word == "(" || word == "[" || word == "{") {
      if (here.match < 0) break;
      i = here.match;
    } else if (word == ")" || word == "]" || word == "}") {
      break;
    } else if (word == "<") {
      if (i > 0 && nameAt(i - 1) && angles_[i] == -2) {
        open.push_back(i);
      } else if (angles_[i] >= 0) {
        i = angles_[i];
      }
    } else if (word == ">" && !(touches(i) && text(i + 1).starts_with("="))) {
      angles_[open.back()] = i;
      open.pop_back();
      if (open.empty()) return;
    } else if (word == "&&" || word == "||" || word == "?" || word == "=") {
      // `T &&>` and `T &&,` are types.
      compares_[open.back()] |= !(word == "&&" && (isAt(i + 1, ">") || isAt(i + 1, ",") || isAt(i + 1, "...")));
    }
  }
  for (const int i : open) angles_[i] = -1;
}

int In::angleEnd(int i) {
  if (i < 0 || i >= static_cast<int>(tokens_.size()) || !isAt(i, "<")) return -1;
  if (angles_[i] == -2 && i > 0 && nameAt(i - 1)) matchAngles(i);
  return angles_[i];
}

bool In::opensTemplate(int i, bool forType) {
  const int end = angleEnd(i);
  if (end < 0) return false;
  if (isAt(i - 2, "template") || isAt(i + 1, ">")) return true;
  const Token& after = token(end + 1);
  if (after.kind == Token::Kind::Number || after.kind == Token::Kind::String) return false;
  if (looksLikeTemplate(text(i - 1))) return true;
  if (compares_[i]) return false;
  // a < b >= c, a < b >> c
  if (touches(end) && (isAt(end + 1, "=") || (isAt(end + 1, ">") && !angle))) return false;
  return forType || after.kind != Token::Kind::Name;
}

int In::skipName(int i, bool* sure) {
  if (isAt(i, "::")) ++i;
  if (!nameAt(i) || isKeyword(text(i))) return -1;
  for (;;) {
    *sure = isKnownType(text(i));
    ++i;
    if (isAt(i, "<") && opensTemplate(i, true)) {
      *sure = true;
      i = angleEnd(i) + 1;
    }
    if (!isAt(i, "::")) return i;
    ++i;
    if (isAt(i, "template")) ++i;
    if (!nameAt(i) || isAt(i, "operator")) return -1;
  }
}

int In::skipType(int i, bool* sure) {
  bool word = false;
  *sure = false;
  for (; nameAt(i); ++i) {
    if (isBuiltinType(text(i))) {
      word = true;
    } else if (!isAt(i, "const") && !isAt(i, "volatile") && !isAt(i, "typename") && !isAt(i, "struct") &&
               !isAt(i, "class")) {
      break;
    } else {
      *sure = true;
    }
  }
  bool certain = word;
  if (!word && isAt(i, "decltype") && isAt(i + 1, "(") && token(i + 1).match > 0) {
    i = token(i + 1).match + 1;
    certain = true;
    if (isAt(i, "::")) i = skipName(i, &certain);
  } else if (!word) {
    i = skipName(i, &certain);
  }
  if (i < 0) return -1;
  *sure = *sure || certain;
  for (; isTypeSuffix(text(i)); ++i) *sure = *sure || nameAt(i);
  return i;
}

Tree finished(Tree tree) {
  int most = 0;
  const auto look = [&](const std::vector<Tree>& parts) {
    for (const Tree& part : parts) most = std::max(most, part.height);
  };
  look(tree.children);
  look(tree.templateArguments);
  look(tree.extents);
  for (const auto* list : {&tree.parameters, &tree.templateParameters})
    for (const Tree::Parameter& parameter : *list) look(parameter.byDefault);
  tree.height = most + 1;
  return tree;
}

Tree node(Tree::Kind kind, Span span, std::string text, std::vector<Tree> children) {
  Tree tree;
  tree.kind = kind;
  tree.span = span;
  tree.text = std::move(text);
  tree.children = std::move(children);
  return finished(std::move(tree));
}

Tree emptyAt(const In& in) {
  const std::size_t at = in.at > 0 ? in.token(in.at - 1).span.end : in.token(0).span.begin;
  return node(Tree::Kind::Empty, {at, at});
}

Result<void> templateArguments(In& in, std::vector<Tree>& out) {
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  const int end = in.angleEnd(in.at);
  in.next();
  const bool before = std::exchange(in.angle, true);
  while (in.at < end) {
    bool sure = false;
    const int after = in.skipType(in.at, &sure);
    const bool decorates = after > in.at + 1 && (after == end || in.isAt(after, ",") || in.isAt(after, "..."));
    const int first = in.at;
    auto argument = decorates ? type(in) : assignment(in);
    if (!argument) return argument.error();
    if (in.accept("...")) argument = node(Tree::Kind::Unary, in.spanFrom(first), "...", {*std::move(argument)});
    out.push_back(*std::move(argument));
    if (in.at < end) TESSERA_CHECKED(in.expect(",", "between template arguments"));
  }
  in.angle = before;
  if (in.at != end) return in.fail("`>` is missing after the template arguments", ">");
  in.next();
  return {};
}

Result<Tree> name(In& in, bool forType) {
  const int first = in.at;
  Tree out;
  out.kind = Tree::Kind::Name;
  while (in.is("typename") || in.is("template") || in.is("struct")) in.next();
  if (in.is("decltype")) return plainType(in);
  if (in.accept("::")) out.text = "::";
  for (;;) {
    if (!in.nameAt(in.at)) return in.fail("a name is missing here", "a name");
    out.text += in.text(in.at);
    in.next();
    if (out.text.ends_with("operator")) {
      while (!in.atEnd() && !in.is("(") && !in.is(";")) out.text += in.text(in.at), in.next();
      if (out.text.ends_with("operator") && in.is(")", 1)) {
        out.text += "()";
        ++in.at;
        in.next();
      }
    }
    if (in.is("<") && in.opensTemplate(in.at, forType)) {
      out.isTemplate = true;
      TESSERA_CHECKED(templateArguments(in, out.templateArguments));
    }
    out.span = in.spanFrom(first);
    out = finished(std::move(out));
    if (out.height > kMostHeight) return in.fail("this nests too deep");
    const bool goesOn = in.is("::") && (in.nameAt(in.at + 1)) && !in.is("operator", 1);
    if (!goesOn) return out;
    in.next();
    if (in.is("template")) in.next();
    if (out.isTemplate) {
      Tree scope = std::move(out);
      out = Tree{};
      out.kind = Tree::Kind::Name;
      out.children.push_back(std::move(scope));
    } else {
      out.text += "::";
    }
  }
}

Result<Tree> plainType(In& in) {
  const int first = in.at;
  std::string words;
  int count = 0;
  for (; in.nameAt(in.at) && isBuiltinType(in.text(in.at)); in.next(), ++count) words = withWord(words, in.text(in.at));
  if (count > 0) return node(count > 1 ? Tree::Kind::Type : Tree::Kind::Name, in.spanFrom(first), words);
  if (!in.is("decltype")) return name(in, true);
  Tree call = node(Tree::Kind::Call, {}, {}, {node(Tree::Kind::Name, in.token(in.at).span, "decltype")});
  in.next();
  TESSERA_CHECKED(in.expect("(", "after `decltype`"));
  TESSERA_CHECKED(arguments(in, ")", call.children));
  call.span = in.spanFrom(first);
  call = finished(std::move(call));
  if (!in.is("::") || !in.nameAt(in.at + 1)) return call;
  in.next();
  TESSERA_TRY(Tree member, name(in, true));
  Tree* outer = &member;
  while (!outer->children.empty()) outer = &outer->children[0];
  outer->children.push_back(std::move(call));
  for (Tree* scoped = &member; scoped != nullptr; scoped = scoped == outer ? nullptr : &scoped->children[0])
    scoped->span.begin = in.token(first).span.begin;
  ++member.height;
  return finished(std::move(member));
}

Result<Tree> decorated(In& in, Tree of) {
  const std::size_t begin = of.span.begin;
  std::string qualifiers, suffix;
  const int first = in.at;
  for (; in.kind() != Token::Kind::String && isTypeSuffix(in.text(in.at)); in.next()) {
    const std::string_view word = in.text(in.at);
    const bool leading = suffix.empty() && isTrailing(word);
    std::string& to = leading ? qualifiers : suffix;
    to = withWord(to, word);
  }
  if (in.at == first) return of;
  std::string text = withWord(qualifiers, print(of, Language::Cpp));
  if (!suffix.empty()) text = withWord(text, suffix);
  const Span span{begin, in.spanFrom(first).end};
  return node(Tree::Kind::Type, span, std::move(text), {std::move(of)});
}

Result<Tree> type(In& in) {
  const int first = in.at;
  std::string qualifiers;
  while (in.is("const") || in.is("volatile") || in.is("typename") || in.is("struct") || in.is("class")) {
    if (in.is("const") || in.is("volatile")) qualifiers = withWord(qualifiers, in.text(in.at));
    in.next();
  }
  TESSERA_TRY(Tree plain, plainType(in));
  TESSERA_TRY(Tree out, decorated(in, std::move(plain)));
  if (qualifiers.empty()) return out;
  std::string text = withWord(qualifiers, print(out, Language::Cpp));
  if (out.kind == Tree::Kind::Type && !out.children.empty()) {
    Tree base = std::move(out.children[0]);
    out = std::move(base);
  }
  return node(Tree::Kind::Type, in.spanFrom(first), std::move(text), {std::move(out)});
}

}  // namespace tessera::code::cpp
