// Random index functions: their text in C or Python, and an obvious interpreter of them, one point at a time.
//
//     RandomCode code(seed, Language::Cpp);
//     code.text      "long long f7(int a, unsigned b) { int v0 = (a + 3); if (a < 2) v0 ^= (b >> 1); return v0; }"
//     code.at(2, 3)  the value, or nullopt if a signed operation overflows there
//
// A second opinion on core/code: values are i128 with a width and a sign, and nothing is symbolic.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/arith.h"
#include "core/code/tree.h"

namespace tessera::test {

struct Overflow {};

class RandomCode {
 public:
  struct V {
    i128 v = 0;
    int bits = 32;
    bool isSigned = true;
  };

  RandomCode(std::uint64_t seed, code::Language language)
      : random_(seed), python_(language == code::Language::Python), name_("f" + std::to_string(seed)) {
    extents = {pick(1, 16), pick(1, 16)};
    build();
  }

  std::string text;
  std::vector<i64> extents;
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::optional<i64> at(i64 a, i64 b) const {
    Env env;
    env.vars = {convert({a, 64, true}, types_[0]), convert({b, 64, true}, types_[1])};
    try {
      for (const Run& run : body_) {
        run(env);
        if (env.returned) break;
      }
    } catch (const Overflow&) {
      return std::nullopt;
    }
    const i128 value = convert(*env.returned, {0, 64, true}).v;
    return static_cast<i64>(value);
  }

 private:
  struct Env {
    std::vector<V> vars;
    std::optional<V> returned;
  };
  using Value = std::function<V(Env&)>;
  using Run = std::function<void(Env&)>;
  struct Expression {
    std::string text;
    Value value;
  };
  struct Code {
    std::string text;
    Run run;
  };

  i64 pick(i64 lo, i64 hi) { return lo + static_cast<i64>(random_() % static_cast<u64>(hi - lo + 1)); }

  [[nodiscard]] V convert(V x, const V& type) const {
    if (python_) return {x.v, 0, true};
    const i128 size = i128{1} << type.bits;
    i128 v = ((x.v % size) + size) % size;
    if (type.isSigned && v >= size / 2) v -= size;
    return {v, type.bits, type.isSigned};
  }
  [[nodiscard]] static V promote(const V& x) { return x.bits != 0 && x.bits < 32 ? V{x.v, 32, true} : x; }
  [[nodiscard]] V common(const V& a, const V& b) const {
    const V x = promote(a), y = promote(b);
    if (x.bits != y.bits) return {0, std::max(x.bits, y.bits), x.bits > y.bits ? x.isSigned : y.isSigned};
    return {0, x.bits, x.isSigned && y.isSigned};
  }
  [[nodiscard]] V result(i128 v, const V& type) const {
    if (python_) return {v, 0, true};
    if (!type.isSigned) return convert({v, 64, true}, type);
    const i128 half = i128{1} << (type.bits - 1);
    if (v < -half || v >= half) throw Overflow{};
    return {v, type.bits, true};
  }
  [[nodiscard]] V apply(const std::string& op, const V& a, const V& b) const {
    const V type = python_ ? V{0, 0, true} : common(a, b);
    if (op == "<<" || op == ">>") {
      const V t = python_ ? type : promote(a);
      const i128 moved = op == "<<" ? a.v * (i128{1} << static_cast<int>(b.v)) : a.v >> static_cast<int>(b.v);
      return op == "<<" ? convert({moved, 64, true}, t) : V{moved, t.bits, t.isSigned};
    }
    const V x = convert(a, type), y = convert(b, type);
    const bool floors = python_;
    if (op == "+") return result(x.v + y.v, type);
    if (op == "-") return result(x.v - y.v, type);
    if (op == "*") return result(x.v * y.v, type);
    if (op == "/" || op == "//") return result(floors ? wideFloorDiv(x.v, y.v) : x.v / y.v, type);
    if (op == "%") return result(floors ? x.v - wideFloorDiv(x.v, y.v) * y.v : x.v % y.v, type);
    if (op == "&") return {x.v & y.v, type.bits, type.isSigned};
    if (op == "|") return {x.v | y.v, type.bits, type.isSigned};
    if (op == "^") return {x.v ^ y.v, type.bits, type.isSigned};
    const bool truth = op == "<"    ? x.v < y.v
                       : op == ">"  ? x.v > y.v
                       : op == "<=" ? x.v <= y.v
                       : op == ">=" ? x.v >= y.v
                       : op == "==" ? x.v == y.v
                                    : x.v != y.v;
    return {truth ? 1 : 0, python_ ? 0 : 8, python_};
  }

  Expression number(i64 lo, i64 hi) {
    const i64 n = pick(lo, hi);
    const bool isUnsigned = !python_ && pick(0, 5) == 0 && n >= 0;
    const V v{n, python_ ? 0 : 32, !isUnsigned};
    return {std::to_string(n) + (isUnsigned ? "u" : ""), [v](Env&) { return v; }};
  }

  Expression binaryOf(const std::string& op, Expression a, Expression b) {
    return {"(" + a.text + " " + op + " " + b.text + ")", [this, op, x = a.value, y = b.value](Env& e) {
              const V left = x(e);
              return apply(op, left, y(e));
            }};
  }

  Expression expression(int depth) {
    const i64 choice = depth <= 0 ? pick(0, 2) : pick(0, 16);
    if (choice <= 1) {
      const auto k = static_cast<std::size_t>(pick(0, static_cast<i64>(scope_.size()) - 1));
      const std::size_t index = scope_[k];
      return {names_[index], [index](Env& e) { return e.vars[index]; }};
    }
    if (choice == 2) return number(0, pick(0, 3) == 0 ? 1000 : 17);
    if (choice == 3) return binaryOf(python_ ? "//" : "/", expression(depth - 1), divisor(depth));
    if (choice == 4) return binaryOf("%", expression(depth - 1), divisor(depth));
    if (choice == 5) return binaryOf(pick(0, 1) == 0 ? "<<" : ">>", expression(depth - 1), count(depth));
    if (choice == 6) return conditional(depth);
    if (choice == 7) return cast(depth);
    if (choice == 8) return extremum(depth);
    if (choice == 9) {
      Expression x = expression(depth - 1);
      return {"(~" + x.text + ")", [this, f = x.value](Env& e) {
                const V v = python_ ? f(e) : promote(f(e));
                return convert({-v.v - 1, 64, true}, v);
              }};
    }
    static const std::vector<std::string> kOps = {"+", "-", "*", "&", "|", "^", "^", "+"};
    return binaryOf(kOps[static_cast<std::size_t>(pick(0, 7))], expression(depth - 1), expression(depth - 1));
  }
  Expression divisor(int depth) {
    if (pick(0, 2) > 0) return number(1, 16);
    Expression low = binaryOf("&", expression(depth - 1), {"7", [](Env&) { return V{7, 32, true}; }});
    return binaryOf("+", std::move(low), {"1", [](Env&) { return V{1, 32, true}; }});
  }
  Expression count(int depth) {
    if (pick(0, 2) > 0) {
      const i64 n = pick(0, 5);
      return {std::to_string(n), [n](Env&) { return V{n, 32, true}; }};
    }
    return binaryOf("&", expression(depth - 1), {"3", [](Env&) { return V{3, 32, true}; }});
  }
  Expression condition(int depth) {
    static const std::vector<std::string> kOps = {"<", ">", "<=", ">=", "==", "!="};
    Expression one = binaryOf(kOps[static_cast<std::size_t>(pick(0, 5))], expression(depth - 1), expression(depth - 1));
    const i64 more = pick(0, 5);
    if (more > 1) return one;
    Expression two = binaryOf(kOps[static_cast<std::size_t>(pick(0, 5))], expression(depth - 1), expression(depth - 1));
    const std::string op = more == 0 ? (python_ ? "and" : "&&") : (python_ ? "or" : "||");
    return {"(" + one.text + " " + op + " " + two.text + ")", [this, more, x = one.value, y = two.value](Env& e) {
              const bool a = x(e).v != 0;
              const bool truth = more == 0 ? a && y(e).v != 0 : a || y(e).v != 0;
              return V{truth ? 1 : 0, python_ ? 0 : 8, python_};
            }};
  }
  Expression conditional(int depth) {
    Expression c = condition(depth), a = expression(depth - 1), b = expression(depth - 1);
    const std::string written = python_ ? "(" + a.text + " if " + c.text + " else " + b.text + ")"
                                        : "(" + c.text + " ? " + a.text + " : " + b.text + ")";
    // The type of ?: is that of both, whichever is taken.
    return {written, [this, c, a, b](Env& e) {
              const bool truth = c.value(e).v != 0;
              const V taken = truth ? a.value(e) : b.value(e);
              if (python_) return taken;
              return convert(taken, common(taken, typeOf(truth ? b : a, e)));
            }};
  }
  // The type of an expression, found by evaluating it; an overflow elsewhere does not count.
  V typeOf(const Expression& x, const Env& e) const {
    Env copy = e;
    const bool before = std::exchange(typing_, true);
    V v{0, 32, true};
    try {
      v = x.value(copy);
    } catch (const Overflow&) {
      v = {0, 32, true};  // only signed types overflow; of 64 bits never here
    }
    typing_ = before;
    return v;
  }
  Expression cast(int depth) {
    Expression x = expression(depth - 1);
    if (python_) return {"(-" + x.text + ")", [f = x.value](Env& e) { return V{-f(e).v, 0, true}; }};
    struct Named {
      std::string name;
      int bits;
      bool isSigned;
    };
    static const std::vector<Named> kTypes = {{"uint8_t", 8, false}, {"int8_t", 8, true},     {"uint16_t", 16, false},
                                              {"int16_t", 16, true}, {"unsigned", 32, false}, {"int", 32, true}};
    const Named t = kTypes[static_cast<std::size_t>(pick(0, 5))];
    const std::string written =
        pick(0, 1) == 0 ? "((" + t.name + ")" + x.text + ")" : "static_cast<" + t.name + ">(" + x.text + ")";
    return {written, [this, t, f = x.value](Env& e) { return convert(f(e), {0, t.bits, t.isSigned}); }};
  }
  Expression extremum(int depth) {
    const bool least = pick(0, 1) == 0;
    Expression a = expression(depth - 1), b = expression(depth - 1);
    const std::string name = python_ ? (least ? "min" : "max") : (least ? "lower" : "upper");
    return {name + "(" + a.text + ", " + b.text + ")", [this, least, x = a.value, y = b.value](Env& e) {
              const V left = x(e), right = y(e);
              if (python_) return (least ? right.v < left.v : right.v > left.v) ? right : left;
              const V p = convert(left, {0, 32, true}), q = convert(right, {0, 32, true});
              return (least ? q.v < p.v : q.v > p.v) ? q : p;
            }};
  }

  std::size_t newVariable(const std::string& name, const V& type) {
    names_.push_back(name);
    types_.push_back(type);
    return names_.size() - 1;
  }
  static void grow(Env& e, std::size_t size) {
    if (e.vars.size() < size) e.vars.resize(size);
  }

  Code assignment(int depth, const std::string& indent) {
    std::vector<std::size_t> locals;
    for (const std::size_t v : scope_)
      if (v >= 2 && !counters_[v]) locals.push_back(v);
    const std::size_t v =
        locals.empty() ? 0 : locals[static_cast<std::size_t>(pick(0, static_cast<i64>(locals.size()) - 1))];
    if (locals.empty()) return {"", [](Env&) {}};
    static const std::vector<std::string> kOps = {"", "+", "-", "^", "|", "&"};
    const std::string op = kOps[static_cast<std::size_t>(pick(0, 5))];
    Expression x = expression(depth);
    const V type = types_[v];
    return {indent + names_[v] + " " + op + "= " + x.text + (python_ ? "" : ";") + "\n", [=, this](Env& e) {
              const V right = x.value(e);
              e.vars[v] = convert(op.empty() ? right : apply(op, e.vars[v], right), type);
            }};
  }
  Code declaration(int depth, const std::string& indent) {
    struct Named {
      std::string name;
      int bits;
      bool isSigned;
    };
    static const std::vector<Named> kTypes = {
        {"int", 32, true}, {"unsigned", 32, false}, {"uint16_t", 16, false}, {"int", 32, true}};
    const Named t = kTypes[static_cast<std::size_t>(pick(0, 3))];
    Expression x = expression(depth);
    const std::size_t v = newVariable("v" + std::to_string(names_.size()), {0, t.bits, t.isSigned});
    counters_.resize(names_.size(), false);
    const std::string written =
        indent + (python_ ? "" : t.name + " ") + names_[v] + " = " + x.text + (python_ ? "" : ";") + "\n";
    scope_.push_back(v);
    const V type = types_[v];
    return {written, [=, this](Env& e) {
              grow(e, v + 1);
              e.vars[v] = convert(x.value(e), type);
            }};
  }
  Code block(int depth, const std::string& indent, int statements) {
    const std::size_t scope = scope_.size();
    Code out{"", {}};
    std::vector<Run> runs;
    for (int k = 0; k < statements; ++k) {
      Code s = statement(depth - 1, indent);
      out.text += s.text;
      runs.push_back(s.run);
    }
    if (out.text.empty() && python_) out.text = indent + "pass\n";
    scope_.resize(scope);
    out.run = [runs](Env& e) {
      for (const Run& r : runs) {
        if (e.returned) return;
        r(e);
      }
    };
    return out;
  }
  Code branch(int depth, const std::string& indent) {
    Expression c = condition(2);
    Code a = block(depth, indent + "  ", static_cast<int>(pick(1, 2)));
    const bool hasElse = pick(0, 1) == 0;
    Code b = hasElse ? block(depth, indent + "  ", 1) : Code{"", [](Env&) {}};
    std::string written =
        python_ ? indent + "if " + c.text + ":\n" + a.text : indent + "if " + c.text + " {\n" + a.text + indent + "}";
    if (hasElse) written += python_ ? indent + "else:\n" + b.text : " else {\n" + b.text + indent + "}";
    if (!python_) written += "\n";
    return {written, [c = c.value, a = a.run, b = b.run](Env& e) { c(e).v != 0 ? a(e) : b(e); }};
  }
  Code loop(int depth, const std::string& indent) {
    const i64 times = pick(1, 4), by = pick(1, 2);
    const std::size_t v = newVariable("i" + std::to_string(names_.size()), {0, 32, true});
    counters_.resize(names_.size(), false);
    counters_[v] = true;
    scope_.push_back(v);
    Code a = block(depth, indent + "  ", static_cast<int>(pick(1, 2)));
    scope_.pop_back();
    const std::string& n = names_[v];
    const std::string to = std::to_string(times * by), step = std::to_string(by);
    const std::string head = python_ ? "for " + n + " in range(0, " + to + ", " + step + "):\n"
                                     : "for (int " + n + " = 0; " + n + " < " + to + "; " + n + " += " + step + ") {\n";
    const bool python = python_;
    return {indent + head + a.text + (python_ ? "" : indent + "}\n"), [=](Env& e) {
              grow(e, v + 1);
              for (i64 k = 0; k < times && !e.returned; ++k) {
                e.vars[v] = {k * by, python ? 0 : 32, true};
                a.run(e);
              }
            }};
  }
  Code leave(const std::string& indent) {
    Expression x = expression(2);
    return {indent + "return " + x.text + (python_ ? "" : ";") + "\n", [this, f = x.value](Env& e) {
              e.returned = convert(f(e), {0, 64, true});
            }};
  }
  Code statement(int depth, const std::string& indent) {
    const i64 choice = depth <= 0 ? pick(0, 3) : pick(0, 9);
    if (choice <= 2) return assignment(2, indent);
    if (choice <= 4) return declaration(2, indent);
    if (choice <= 6) return branch(depth, indent);
    if (choice == 7) return loop(depth, indent);
    if (choice == 8) return pick(0, 2) == 0 ? leave(indent) : assignment(3, indent);
    return assignment(2, indent);
  }

  void build() {
    const bool wide = pick(0, 3) == 0;
    newVariable("a", {0, 32, !wide});
    newVariable("b", {0, 32, true});
    counters_.resize(2, false);
    scope_ = {0, 1};
    const int statements = static_cast<int>(pick(0, 4));
    std::string inner;
    for (int k = 0; k < statements; ++k) {
      Code s = statement(2, "  ");
      inner += s.text;
      body_.push_back(s.run);
    }
    Expression last = expression(3);
    body_.push_back([this, f = last.value](Env& e) { e.returned = convert(f(e), {0, 64, true}); });
    text = python_ ? "def " + name_ + "(a, b):\n" + inner + "  return " + last.text + "\n"
                   : "long long " + name_ + "(" + (wide ? "unsigned" : "int") + " a, int b) {\n" + inner + "  return " +
                         last.text + ";\n}\n";
  }

  std::mt19937_64 random_;
  bool python_;
  mutable bool typing_ = false;
  std::string name_;
  std::vector<std::string> names_;
  std::vector<V> types_;
  std::vector<bool> counters_;
  std::vector<std::size_t> scope_;
  std::vector<Run> body_;
};

}  // namespace tessera::test
