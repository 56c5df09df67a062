// Declarations of types and templates: using, typedef, struct, enum, namespace, template.
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

Result<void> enumerators(In& in, std::vector<Tree>& out) {
  while (!in.atEnd() && !in.is("}")) {
    if (in.kind() == Token::Kind::Directive) {
      in.next();
      continue;
    }
    const int first = in.at;
    if (!in.nameAt(in.at)) return in.fail("the name of an enumerator is missing here", "a name");
    Tree made = node(Kind::Declare, {}, std::string(in.text(in.at)));
    const std::size_t begin = in.token(in.at).span.begin;
    made.qualifiers = "const";
    in.next();
    Tree value = emptyAt(in);
    if (in.accept("=")) {
      TESSERA_TRY(value, assignment(in));
    }
    made.children = {node(Kind::Name, {begin, begin}, "int"), std::move(value)};
    made.span = in.spanFrom(first);
    out.push_back(finished(std::move(made)));
    if (!in.accept(",")) break;
  }
  return {};
}

}  // namespace

Result<Tree> aliasStatement(In& in) {
  const int first = in.at;
  in.next();
  if (!in.nameAt(in.at) || in.is("namespace") || !in.is("=", 1)) {
    while (!in.atEnd() && !in.is(";")) in.next();
    Tree out = node(Kind::Directive, in.spanFrom(first), written(in, first));
    TESSERA_CHECKED(endOfStatement(in));
    return out;
  }
  Tree out = node(Kind::Alias, {}, std::string(in.text(in.at)));
  in.next();
  in.next();
  bool sure = false;
  const int after = in.skipType(in.at, &sure);
  const bool isType = after > 0 && (in.isAt(after, ";") || in.token(after).kind == Token::Kind::End);
  auto value = isType ? type(in) : assignment(in);
  if (!value) return value.error();
  if (value->kind == Kind::Call && value->children[0].text == "decltype" && value->children.size() == 2) {
    out.qualifiers = "decltype";
    Tree inside = std::move(value->children[1]);
    out.children.push_back(std::move(inside));
  } else {
    out.children.push_back(*std::move(value));
  }
  out.span = in.spanFrom(first);
  TESSERA_CHECKED(endOfStatement(in));
  return finished(std::move(out));
}

Result<Tree> typedefStatement(In& in) {
  const int first = in.at;
  in.next();
  TESSERA_TRY(Tree of, type(in));
  if (!in.nameAt(in.at)) return in.fail("the name of a type is missing here", "a name");
  Tree out = node(Kind::Alias, {}, std::string(in.text(in.at)));
  in.next();
  out.children.push_back(std::move(of));
  out.span = in.spanFrom(first);
  TESSERA_CHECKED(endOfStatement(in));
  return finished(std::move(out));
}

// Position of the `{` or `;` of a struct; -1: this is no struct.
int structBody(In& in) {
  int i = in.at + 1;
  if (in.isAt(i, "class") || in.isAt(i, "struct")) ++i;
  while ((in.isAt(i, "[") || in.isAt(i, "alignas") || in.isAt(i, "__align__")) &&
         in.token(i).kind != Token::Kind::End) {
    if (in.nameAt(i)) ++i;
    if (in.token(i).match < i) return -1;
    i = in.token(i).match + 1;
  }
  while (in.nameAt(i) && in.nameAt(i + 1) && !in.isAt(i + 1, "final")) ++i;
  if (in.nameAt(i)) ++i;
  while (in.isAt(i, "::")) i += 2;
  if (in.isAt(i, "<")) {
    if (in.angleEnd(i) < 0) return -1;
    i = in.angleEnd(i) + 1;
  }
  if (in.isAt(i, "final")) ++i;
  if (in.isAt(i, "{") || in.isAt(i, ";")) return i;
  if (!in.isAt(i, ":")) return -1;
  for (; in.token(i).kind != Token::Kind::End && !in.isAt(i, "{") && !in.isAt(i, ";"); ++i) {
    spend();
    if (in.isAt(i, "<") && in.angleEnd(i) > 0) i = in.angleEnd(i);
    if (in.isAt(i, "(") && in.token(i).match > i) i = in.token(i).match;
  }
  return in.isAt(i, "{") ? i : -1;
}

// struct A : public B<N>, C { ... }. in.at is before the `:`, if there is one. What is no name of a class ends them.
void baseClasses(In& in, int bodyAt, std::vector<Tree>& out) {
  while (in.at < bodyAt && !in.is(":")) {
    if (in.is("<") && in.angleEnd(in.at) > 0) in.at = in.angleEnd(in.at);
    in.next();
  }
  while (in.at < bodyAt && (in.is(":") || in.is(","))) {
    in.next();
    while (in.is("public") || in.is("private") || in.is("protected") || in.is("virtual")) in.next();
    auto base = plainType(in);
    if (!base || base->kind != Kind::Name) return;
    if (in.accept("...")) return;
    out.push_back(*std::move(base));
  }
}

Result<void> structStatement(In& in, int bodyAt, std::vector<Tree>& out) {
  const int first = in.at;
  Tree made = node(Kind::Struct, {});
  made.qualifiers = in.text(in.at);
  for (int i = in.at + 1; i < bodyAt && !in.isAt(i, ":") && !in.isAt(i, "<"); ++i) {
    if (in.token(i).match > i) i = in.token(i).match;
    if (in.nameAt(i) && !in.isAt(i, "final") && !in.isAt(i, "class") && !in.isAt(i, "alignas")) made.text = in.text(i);
    if (in.isAt(i + 1, "<")) {
      in.at = i + 1;
      made.isTemplate = true;
      if (auto read = templateArguments(in, made.templateArguments); !read) return read.error();
    }
  }
  if (made.qualifiers != "enum") baseClasses(in, bodyAt, made.extents);
  in.at = bodyAt;
  if (!in.is("{")) {
    made.span = in.spanFrom(first);
    in.next();
    out.push_back(finished(std::move(made)));
    return {};
  }
  in.next();
  const std::string outer = std::exchange(in.structName, made.text);
  Result<void> read = made.qualifiers == "enum" ? enumerators(in, made.children) : statements(in, made.children);
  in.structName = outer;
  TESSERA_CHECKED(std::move(read));
  TESSERA_CHECKED(in.expect("}", "after the members of a struct"));
  made.span = in.spanFrom(first);
  const std::string called = made.text;
  const bool variable = in.nameAt(in.at) && (in.is(";", 1) || in.is("=", 1) || in.is("[", 1));
  out.push_back(finished(std::move(made)));
  if (variable && !called.empty()) {
    Tree declare = node(Kind::Declare, in.token(in.at).span, std::string(in.text(in.at)));
    declare.children = {node(Kind::Name, {declare.span.begin, declare.span.begin}, called), emptyAt(in)};
    out.push_back(finished(std::move(declare)));
  }
  while (variable && !in.atEnd() && !in.is(";") && !in.is("}")) in.next();
  if (!in.accept(";") && !in.fragment) return in.fail("`;` is missing after a struct", ";");
  return {};
}

Result<Tree> namespaceStatement(In& in) {
  const int first = in.at;
  Tree out = node(Kind::Namespace, {});
  in.next();
  for (; !in.atEnd() && !in.is("{") && !in.is(";"); in.next()) {
    if (in.nameAt(in.at) && in.isAt(in.at - 1, "namespace")) out.text.clear();
    out.text += in.text(in.at);
  }
  if (!in.accept("{")) {
    Tree alias = node(Kind::Directive, in.spanFrom(first), written(in, first));
    TESSERA_CHECKED(endOfStatement(in));
    return alias;
  }
  TESSERA_CHECKED(statements(in, out.children));
  TESSERA_CHECKED(in.expect("}", "after a namespace"));
  out.span = in.spanFrom(first);
  return finished(std::move(out));
}

Result<void> templateStatement(In& in, std::vector<Tree>& out) {
  const int first = in.at;
  in.next();
  std::vector<Tree::Parameter> parameters;
  if (in.is("<")) {
    if (in.angleEnd(in.at) < 0) return in.fail("`>` is missing after template parameters", ">");
    in.next();
    TESSERA_CHECKED(parametersOf(in, ">", parameters));
  }
  if (in.accept("requires")) {
    if (auto condition = assignment(in); !condition) return condition.error();
  }
  const std::size_t before = out.size();
  TESSERA_CHECKED(statement(in, out));
  for (std::size_t i = before; i < out.size(); ++i) {
    // Those of the class come before those of a member: template <class T> template <int N> void S<T>::f().
    out[i].templateParameters.insert(out[i].templateParameters.begin(), parameters.begin(), parameters.end());
    out[i].span.begin = in.token(first).span.begin;
    out[i] = finished(std::move(out[i]));
  }
  return {};
}

}  // namespace tessera::code::cpp
