#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

// The token after [[...]], __attribute__((...)), alignas(...), __launch_bounds__(...), extern "C".
int skipAttribute(const In& in, int i) {
  if (in.isAt(i, "[") && in.isAt(i + 1, "[") && in.token(i).match > 0) return in.token(i).match + 1;
  for (const std::string_view word : {"__attribute__", "alignas", "__launch_bounds__", "__align__", "CUTE_ALIGNAS",
                                      "CUTLASS_ALIGNAS", "__declspec", "explicit"})
    if (in.isAt(i, word) && in.isAt(i + 1, "(") && in.token(i + 1).match > 0) return in.token(i + 1).match + 1;
  return i;
}

bool isSpecifierAt(const In& in, int i) { return in.nameAt(i) && isSpecifier(in.text(i)); }

int skipSpecifiers(const In& in, int i) {
  for (;;) {
    const int after = skipAttribute(in, i);
    if (after != i) {
      i = after;
    } else if (isSpecifierAt(in, i)) {
      ++i;
      if (in.token(i).kind == Token::Kind::String && in.isAt(i - 1, "extern")) ++i;
    } else {
      return i;
    }
  }
}

// `Name(` or `~Name(` of the struct around, or `operator T()`.
bool isConstructor(const In& in, int i) {
  if (in.isAt(i, "operator")) return true;
  if (in.isAt(i, "~")) ++i;
  return !in.structName.empty() && in.isAt(i, in.structName) && in.isAt(i + 1, "(");
}

// What may follow a declared name.
bool followsDeclarator(const In& in, int i) {
  if (in.token(i).kind == Token::Kind::End) return true;
  for (const std::string_view mark : {"=", ";", ",", "(", "{", "[", ":", "}", ")"})
    if (in.isAt(i, mark)) return true;
  return false;
}

// Whether the `(` here, after a declared name, holds parameters, and not the arguments of a constructor.
bool holdsParameters(In& in) {
  const int close = in.token(in.at).match;
  if (close < 0) return false;
  for (const std::string_view word : {"{", "const", "noexcept", "override", "final", "->", "=", "try", "&", "&&"})
    if (in.isAt(close + 1, word)) return true;
  if (close == in.at + 1) return true;
  if (in.isAt(in.at + 1, "void") && close == in.at + 2) return true;
  bool sure = false;
  const int after = in.skipType(skipSpecifiers(in, in.at + 1), &sure);
  const bool product = !sure && (in.isAt(after - 1, "*") || in.isAt(after - 1, "&"));
  return after > 0 && after <= close &&
         ((in.nameAt(after) && !product) || (sure && (in.isAt(after, ",") || after == close)));
}

Result<void> extentsOf(In& in, std::vector<Tree>& out) {
  while (in.is("[")) {
    in.next();
    if (in.is("]")) {
      out.push_back(emptyAt(in));
    } else {
      const bool before = std::exchange(in.angle, false);
      TESSERA_TRY(Tree extent, expression(in));
      in.angle = before;
      out.push_back(std::move(extent));
    }
    TESSERA_CHECKED(in.expect("]", "after an extent"));
  }
  return {};
}

// `(&x)[4]`, `(*f)(int)`: the name, with the bracket read.
std::string bracketedDeclarator(In& in, std::string& mark) {
  if (!in.is("(") || (!in.is("&", 1) && !in.is("*", 1)) || !in.nameAt(in.at + 2) || !in.is(")", 3)) return {};
  mark = in.text(in.at + 1);
  const std::string out(in.text(in.at + 2));
  in.at += 3;
  in.next();
  return out;
}

Result<Tree::Parameter> parameter(In& in, std::string_view closer) {
  const int first = in.at;
  Tree::Parameter out;
  if (in.accept("...")) {
    out.type = "...";
    out.span = in.spanFrom(first);
    return out;
  }
  std::string words = specifiers(in);
  // __CUTE_REQUIRES(condition)
  if (in.nameAt(in.at) && in.text(in.at).starts_with("__") && in.is("(", 1) && in.token(in.at + 1).match > 0) {
    in.at = in.token(in.at + 1).match;
    in.next();
    out.type = "typename";
    out.span = in.spanFrom(first);
    return out;
  }
  if (in.is("template") && in.is("<", 1) && in.angleEnd(in.at + 1) > 0) {
    in.at = in.angleEnd(in.at + 1);
    in.next();
    out.type = "template";
    in.next();
  } else if ((in.is("typename") || in.is("class")) && (in.nameAt(in.at + 1) ? !in.is("::", 2) : true) &&
             !(in.nameAt(in.at + 1) && in.nameAt(in.at + 2))) {
    out.type = "typename";
    in.next();
  } else {
    TESSERA_TRY(Tree of, type(in));
    out.type = print(of, Language::Cpp);
  }
  std::string kept;
  for (const std::string_view word : {"const", "volatile"})
    if (words.find(word) != std::string::npos) (kept += word) += ' ';
  out.type = kept + out.type;
  if (in.accept("...")) out.type += " ...";
  std::string mark;
  out.name = bracketedDeclarator(in, mark);
  if (!mark.empty()) (out.type += ' ') += mark;
  if (in.nameAt(in.at)) {
    out.name = in.text(in.at);
    in.next();
  }
  std::vector<Tree> extents;
  TESSERA_CHECKED(extentsOf(in, extents));
  for (const Tree& extent : extents) out.type += "[" + print(extent, Language::Cpp) + "]";
  if (in.accept("=")) {
    bool sure = false;
    const int after = in.skipType(in.at, &sure);
    const bool isType = out.type == "typename" && (in.isAt(after, ",") || in.isAt(after, closer));
    auto value = isType ? type(in) : initializer(in);
    if (!value) return value.error();
    out.byDefault.push_back(*std::move(value));
  }
  out.span = in.spanFrom(first);
  return out;
}

// `{ body }` or `;`, with the words before it.
Result<Tree> functionTail(In& in, Tree& result) {
  while (in.is("const") || in.is("noexcept") || in.is("override") || in.is("final") || in.is("&") || in.is("&&") ||
         isSpecifierAt(in, in.at)) {
    in.next();
    if (in.is("(") && in.token(in.at).match > 0) in.at = in.token(in.at).match + 1;
  }
  if (in.accept("->")) {
    TESSERA_TRY(result, type(in));
  }
  if (in.accept("=")) in.next();
  // The initializers of members.
  if (in.accept(":"))
    while (!in.atEnd() && !in.is(";") && !in.is("}")) {
      const bool opens = in.is("{") && !in.nameAt(in.at - 1) && !in.isAt(in.at - 1, ">");
      if (opens) break;
      if (in.token(in.at).match > in.at) in.at = in.token(in.at).match;
      in.next();
    }
  if (in.is("{")) return block(in);
  if (!in.accept(";") && !in.atEnd() && !in.is("}")) return in.fail("the body of a function is missing here", "{");
  return emptyAt(in);
}

Result<Tree> functionRest(In& in, int first, Tree returned, std::string words, std::string called) {
  Tree out = node(Kind::Function, {}, std::move(called));
  out.qualifiers = std::move(words);
  in.next();
  TESSERA_CHECKED(parametersOf(in, ")", out.parameters));
  const std::string outer = std::exchange(in.structName, {});
  auto body = functionTail(in, returned);
  in.structName = outer;
  if (!body) return body.error();
  out.children.push_back(*std::move(body));
  out.children.push_back(std::move(returned));
  out.span = in.spanFrom(first);
  return finished(std::move(out));
}

// The name after the type: x, operator(), Class::f, [a, b].
Result<std::string> declared(In& in) {
  if (in.is("[")) {
    std::string out = "[";
    for (in.next(); in.nameAt(in.at); in.next()) {
      if (out.size() > 1) out += ", ";
      out += in.text(in.at);
      if (!in.is(",", 1)) {
        in.next();
        break;
      }
      in.next();
    }
    TESSERA_CHECKED(in.expect("]", "after the declared names"));
    return out + "]";
  }
  std::string out;
  for (;;) {
    if (in.accept("~")) out += "~";
    if (!in.nameAt(in.at)) return in.fail("a declared name is missing here", "a name");
    const bool isOperator = in.is("operator");
    out += in.text(in.at);
    in.next();
    if (isOperator) {
      if (in.is("(") && in.is(")", 1)) {
        out += "()";
        in.at += 1;
        in.next();
      }
      for (; !in.atEnd() && !in.is("(") && !in.is(";"); in.next()) {
        if (in.nameAt(in.at)) out += ' ';
        out += in.text(in.at);
      }
      return out;
    }
    if (in.is("<") && in.angleEnd(in.at) > 0 && in.isAt(in.angleEnd(in.at) + 1, "::")) {
      in.at = in.angleEnd(in.at);
      in.next();
    }
    if (!in.is("::")) return out;
    out += "::";
    in.next();
  }
}

// `int const x`: the qualifiers belong to the variable.
void moveQualifiers(Tree& of, std::string& words) {
  if (of.kind != Kind::Type || of.children.empty()) return;
  const std::string base = print(of.children[0], Language::Cpp);
  const std::size_t at = of.text.find(base);
  if (at == 0 || at == std::string::npos) return;
  if (!words.empty()) words += ' ';
  words += stripped(std::string_view(of.text).substr(0, at));
  of.text.erase(0, at);
  if (of.text != base) return;
  Tree plain = std::move(of.children[0]);
  of = std::move(plain);
}

Result<Tree> initialValue(In& in, const Tree& of) {
  if (in.accept("=")) return initializer(in);
  if (!in.is("(") && !in.is("{")) return emptyAt(in);
  const bool call = in.is("(");
  const int first = in.at;
  Tree out = node(call ? Kind::Call : Kind::Braces, {});
  out.children.push_back(of);
  // The type is elsewhere, before the name.
  in.next();
  TESSERA_CHECKED(arguments(in, call ? ")" : "}", out.children));
  out.span = {of.span.begin, in.spanFrom(first).end};
  return finished(std::move(out));
}

}  // namespace

std::string specifiers(In& in) {
  std::string out;
  for (;;) {
    const int after = skipAttribute(in, in.at);
    if (after != in.at) {
      in.at = after - 1;
      in.next();
    } else if (isSpecifierAt(in, in.at)) {
      if (in.is("typename")) return out;
      if (!out.empty()) out += ' ';
      out += in.text(in.at);
      in.next();
      if (in.kind() == Token::Kind::String && in.isAt(in.at - 1, "extern")) in.next();
    } else {
      return out;
    }
  }
}

Result<void> parametersOf(In& in, std::string_view closer, std::vector<Tree::Parameter>& out) {
  const Nesting level;
  TESSERA_CHECKED(in.enough(level));
  const bool before = std::exchange(in.angle, closer == ">");
  while (!in.is(closer) && !(in.fragment && in.atEnd())) {
    TESSERA_TRY(Tree::Parameter one, parameter(in, closer));
    if (one.type != "void" || !one.name.empty()) out.push_back(std::move(one));
    if (in.is(closer)) break;
    TESSERA_CHECKED(in.expect(",", "between parameters"));
  }
  in.angle = before;
  return in.expect(closer, "after the parameters");
}

bool isDeclaration(In& in) {
  int i = skipSpecifiers(in, in.at);
  const bool specified = i > in.at;
  if (isConstructor(in, i)) return true;
  bool sure = false;
  const int typeEnd = in.skipType(i, &sure);
  if (typeEnd < 0) return false;
  // void __launch_bounds__(256) f()
  const int after = skipSpecifiers(in, typeEnd);
  const bool decorates = in.isAt(typeEnd - 1, "*") || in.isAt(typeEnd - 1, "&") || in.isAt(typeEnd - 1, "&&");
  if (in.isAt(after, "[")) return in.isAt(i, "auto") && in.nameAt(after + 1);
  if (in.isAt(after, "(") && (sure || specified))
    return (in.isAt(after + 1, "&") || in.isAt(after + 1, "*")) && in.nameAt(after + 2) && in.isAt(after + 3, ")");
  if (in.isAt(after, "operator")) return true;
  if (!in.nameAt(after) || isKeyword(in.text(after)) || in.isAt(after, "and") || in.isAt(after, "or")) return false;
  int end = after + 1;
  while (in.isAt(end, "::") && (in.nameAt(end + 1) || in.isAt(end + 1, "~"))) end += in.isAt(end + 1, "~") ? 3 : 2;
  if (in.isAt(end - 1, "operator")) return true;
  // void Class<T>::f()
  if (in.isAt(end, "<") && in.angleEnd(end) > 0 && in.isAt(in.angleEnd(end) + 1, "::"))
    return in.isAt(in.angleEnd(end) + 3, "(");
  if (!followsDeclarator(in, end)) return false;
  if (specified || sure || !decorates || !in.structName.empty()) return true;
  return in.isAt(end, "=");
}

Result<void> declaration(In& in, std::vector<Tree>& out) {
  const int first = in.at;
  std::string words = specifiers(in);
  Tree base = node(Kind::Empty, {in.token(in.at).span.begin, in.token(in.at).span.begin});
  if (!isConstructor(in, in.at)) {
    TESSERA_TRY(base, plainType(in));
  }
  for (bool again = true; again;) {
    TESSERA_TRY(Tree of, decorated(in, base));
    moveQualifiers(of, words);
    if (const std::string more = specifiers(in); !more.empty()) words += (words.empty() ? "" : " ") + more;
    std::string mark;
    std::string called = bracketedDeclarator(in, mark);
    if (!mark.empty()) {
      if (in.is("(") && in.token(in.at).match > 0) in.at = in.token(in.at).match + 1;
      const Span span = of.span;
      std::string text = print(of, Language::Cpp) + " " + mark;
      of = node(Kind::Type, span, std::move(text), {std::move(of)});
    } else {
      TESSERA_TRY(called, declared(in));
    }
    if (in.is("(") && (of.kind == Kind::Empty || called.find("operator") != std::string::npos || holdsParameters(in))) {
      TESSERA_TRY(Tree made, functionRest(in, first, std::move(of), std::move(words), std::move(called)));
      out.push_back(std::move(made));
      return {};
    }
    Tree made = node(Kind::Declare, {}, std::move(called));
    made.qualifiers = words;
    TESSERA_CHECKED(extentsOf(in, made.extents));
    if (in.is(":") && in.kind(1) == Token::Kind::Number) {
      in.next();
      in.next();
    }
    TESSERA_TRY(Tree value, initialValue(in, of));
    made.children.push_back(std::move(of));
    made.children.push_back(std::move(value));
    made.span = in.spanFrom(first);
    out.push_back(finished(std::move(made)));
    again = in.accept(",");
  }
  return {};
}

}  // namespace tessera::code::cpp
