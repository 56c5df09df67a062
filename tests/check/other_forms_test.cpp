// A program may compute its specification's function in another form: y + x for x + y, max(x, 0) for relu(x), a maximum
// that begins with -inf. Every method accepts such a program. One that computes another function is refuted. Without a
// law, neither is claimed. Second opinion: both functions on a grid of numbers, in plain C++.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;
using verdicts::checked;
using verdicts::standing;

namespace {

// %z of %x and %y (and %u, %v, %w in registers), a thread an element.
std::string pointwise(const std::string& spec, const std::string& body, const std::string& size = "32") {
  const std::string blocks = size == "32" ? "1" : "N";
  return fmt::format(
      "%x:[{0}].fp32.GL  %y:[{0}].fp32.GL  %z:[{0}].fp32.GL\n#b:[{1}].block  #t:[32].thread\n"
      "%z <- {2} {{\n  @b = #b.indices()  @t = #t.indices()\n"
      "  %e = %x[32*@b + @t]  %f = %y[32*@b + @t]  %o = %z[32*@b + @t]\n"
      "  %u:[].fp32.RF  %v:[].fp32.RF  %w:[].fp32.RF\n  {3}\n}}\n",
      size, blocks, spec, body);
}

// One thread goes through 64 values.
std::string reduction(const std::string& op, const std::string& start, const std::string& step) {
  return fmt::format(
      "%x:[64].fp32.GL  %z:[].fp32.GL\n#b:[1].block  #t:[1].thread\n%z <- Reduction<{},0><<<#b,#t>>>(%x) "
      "{{\n  %u:[].fp32.RF  %v:[].fp32.RF\n  %v <- Init<{}>()\n  for (k = 0; k < 64; k += 1) {{ %e = %x[k]  {} "
      "}}\n  %z <- Move(%v)\n}}\n",
      op, start, step);
}

const std::string kOn = "<<<#b,#t>>>";

struct Form {
  std::string spec, body;
};
// Each is the function of its specification.
const std::vector<Form> kRight = {
    {"BinaryPointwise<+>" + kOn + "(%x,%y)", "%o <- BinaryPointwise<+>(%f,%e)"},
    {"BinaryPointwise<*>" + kOn + "(%x,%y)", "%v <- BinaryPointwise<*>(%f,%e)  %o <- Move(%v)"},
    {"BinaryPointwise<max>" + kOn + "(%x,%y)", "%o <- BinaryPointwise<max>(%f,%e)"},
    {"BinaryPointwise<->" + kOn + "(%x,%y)", "%v <- UnaryPointwise<neg>(%f)  %o <- BinaryPointwise<+>(%e,%v)"},
    {"BinaryPointwise</>" + kOn + "(%x,%y)", "%v <- UnaryPointwise<rcp>(%f)  %o <- BinaryPointwise<*>(%e,%v)"},
    {"UnaryPointwise<relu>" + kOn + "(%x)", "%v <- Init<0>()  %o <- BinaryPointwise<max>(%e,%v)"},
    {"UnaryPointwise<neg>" + kOn + "(%x)", "%v <- Init<0>()  %o <- BinaryPointwise<->(%v,%e)"},
    {"UnaryPointwise<rsqrt>" + kOn + "(%x)", "%v <- UnaryPointwise<sqrt>(%e)  %o <- UnaryPointwise<rcp>(%v)"},
    {"UnaryPointwise<rcp>" + kOn + "(%x)", "%v <- Init<1>()  %o <- BinaryPointwise</>(%v,%e)"},
    {"Move" + kOn + "(%x)", "%v <- UnaryPointwise<id>(%e)  %o <- Move(%v)"},
    {"Move" + kOn + "(%x)", "%v <- Init<0>()  %o <- BinaryPointwise<+>(%v,%e)"},
    {"Move" + kOn + "(%x)", "%v <- UnaryPointwise<neg>(%e)  %o <- UnaryPointwise<neg>(%v)"},
    {"Init<0>" + kOn + "()", "%v <- Init<0.0>()  %o <- Move(%v)"},
    {"Init<1>" + kOn + "()", "%v <- Init<1.0f>()  %o <- Move(%v)"},
};
const std::vector<Form> kWrong = {
    {"BinaryPointwise<->" + kOn + "(%x,%y)", "%o <- BinaryPointwise<->(%f,%e)"},
    {"BinaryPointwise</>" + kOn + "(%x,%y)", "%v <- UnaryPointwise<rcp>(%e)  %o <- BinaryPointwise<*>(%f,%v)"},
    {"UnaryPointwise<relu>" + kOn + "(%x)", "%v <- Init<0>()  %o <- BinaryPointwise<min>(%e,%v)"},
    {"UnaryPointwise<relu>" + kOn + "(%x)", "%v <- Init<0.001>()  %o <- BinaryPointwise<max>(%e,%v)"},
    {"Move" + kOn + "(%x)", "%v <- Init<1>()  %o <- BinaryPointwise<+>(%v,%e)"},
    {"Init<1>" + kOn + "()", "%v <- Init<1.5>()  %o <- Move(%v)"},
    {"UnaryPointwise<exp>" + kOn + "(%x)", "%o <- UnaryPointwise<exp>(%f)"},
};

Standing valueBy(const std::string& text, CheckMethod method) {
  return standing(checked(text, {.budgetSeconds = 60, .method = method}), Obligation::Value);
}

}  // namespace

TEST_CASE("another form of the same function is proved") {
  for (const Form& f : kRight) {
    INFO(f.spec << " by " << f.body);
    CHECK(valueBy(pointwise(f.spec, f.body), CheckMethod::Running) == Standing::Proved);
    CHECK(valueBy(pointwise(f.spec, f.body), CheckMethod::Z3) == Standing::Proved);
    CHECK(valueBy(pointwise(f.spec, f.body, "32*N"), CheckMethod::Any) == Standing::Proved);
  }
}

TEST_CASE("another function is refuted") {
  for (const Form& f : kWrong) {
    INFO(f.spec << " by " << f.body);
    CHECK(valueBy(pointwise(f.spec, f.body), CheckMethod::Running) == Standing::Refuted);
    CHECK(valueBy(pointwise(f.spec, f.body), CheckMethod::Z3) == Standing::Refuted);
    CHECK(valueBy(pointwise(f.spec, f.body, "32*N"), CheckMethod::Any) == Standing::Refuted);
  }
}

TEST_CASE("a reduction may begin with what changes nothing") {
  const auto all = [](const std::string& text) { return verdicts::told(checked(text, {.budgetSeconds = 60})); };
  CHECK(all(reduction("+", "0", "%v <- BinaryPointwise<+>(%e,%v)")).empty());
  CHECK(all(reduction("max", "-inf", "%v <- BinaryPointwise<max>(%v,%e)")).empty());
  CHECK(all(reduction("min", "inf", "%v <- BinaryPointwise<min>(%v,%e)")).empty());
  CHECK(all(reduction("*", "1", "%v <- BinaryPointwise<*>(%v,%e)")).empty());
  CHECK(all(reduction("+", "0", "%u <- Init<1>()  %v <- MatMul(%u,%e)")).empty());
  // 0 and -1000 are larger than what all inputs may be; one value of 64 is omitted, or repeated.
  for (const std::string start : {"0", "-1000"}) {
    const CheckResult r = checked(reduction("max", start, "%v <- BinaryPointwise<max>(%v,%e)"), {.budgetSeconds = 60});
    CHECK(standing(r, Obligation::Value) == Standing::Refuted);
    CHECK(standing(r, Obligation::Coverage) == Standing::Proved);
    CHECK(verdicts::why(r, Obligation::Value) == "%z[]: " + start + " is not among the 64 arguments of max");
  }
  const CheckResult left =
      checked(reduction("max", "-inf", "if (k != 37) { %v <- BinaryPointwise<max>(%v,%e) }"), {.budgetSeconds = 60});
  CHECK(standing(left, Obligation::Value) == Standing::Refuted);
  CHECK(standing(left, Obligation::Coverage) == Standing::Refuted);
  CHECK(verdicts::why(left, Obligation::Value) == "%z[]: %x[37] is missing in max");
  CHECK(valueBy(reduction("+", "0", "%v <- BinaryPointwise<+>(%v,%e)  if (k == 5) { %v <- BinaryPointwise<+>(%v,%e) }"),
                CheckMethod::Any) == Standing::Refuted);
}

TEST_CASE("a product by vectors has a contribution for each of their values") {
  const auto product = [](const std::string& sizes, const std::string& k) {
    return sizes +
           "\n#b:[1].block  #t:[8,8].thread\n%C <- MatMul<<<#b,#t>>>(%A,%B) {\n  (@i,@j) = #t.indices()\n  %c = "
           "%C[@i,@j]\n"
           "  for (k = 0; k < " +
           k +
           "; k += 1) {\n    %a = %A.tile(1,4)[@i,k]  %b = %B.tile(4,1)[k,@j]\n"
           "    %c <- MatMul(%a,%b)\n  }\n}\n";
  };
  const std::string known = "%A:[8,16].i8.GL  %B:[16,8:1,16].i8.GL  %C:[8,8].i32.GL";
  for (const CheckMethod method : {CheckMethod::Any, CheckMethod::Z3, CheckMethod::Running})
    CHECK(verdicts::told(checked(product(known, "4"), {.budgetSeconds = 60, .method = method})).empty());
  CHECK(verdicts::told(
            checked(product("%A:[8,4*K].i8.GL  %B:[4*K,8:1,4*K].i8.GL  %C:[8,8].i32.GL", "K"), {.budgetSeconds = 60}))
            .empty());
  const CheckResult less = checked(product(known, "3"), {.budgetSeconds = 60, .method = CheckMethod::Z3});
  CHECK(standing(less, Obligation::Coverage) == Standing::Refuted);
  // Values of one vector with those of another quarter.
  const std::string crossed = verdicts::changed(product(known, "4"), "%B.tile(4,1)[k,@j]", "%B.tile(4,1)[3 - k,@j]");
  for (const CheckMethod method : {CheckMethod::Any, CheckMethod::Z3, CheckMethod::Running})
    CHECK(valueBy(crossed, method) == Standing::Refuted);
}

namespace {

// A random computation of a few steps, as statements and as a function.
struct Made {
  std::string text;
  std::function<double(double, double)> value;
};
Made randomly(std::mt19937& random) {
  using Number = std::function<double(double, double)>;
  std::vector<std::pair<std::string, Number>> have = {{"%e", [](double x, double) { return x; }},
                                                      {"%f", [](double, double y) { return y; }}};
  Made out;
  const std::size_t steps = 1 + random() % 4;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::string to = s + 1 == steps ? "%o" : fmt::format("%s{}", s);
    if (s + 1 != steps) out.text += to + ":[].fp32.RF  ";
    const std::pair<std::string, Number> first = have[random() % have.size()];
    const std::pair<std::string, Number> second = have[random() % have.size()];
    const Number one = first.second, two = second.second;
    const auto binary = [&](const char* op, const std::function<double(double, double)>& f) {
      out.text += fmt::format("{} <- BinaryPointwise<{}>({},{})  ", to, op, first.first, second.first);
      have.emplace_back(to, [=](double x, double y) { return f(one(x, y), two(x, y)); });
    };
    switch (random() % 7) {
      case 0:
        binary("+", [](double p, double q) { return p + q; });
        break;
      case 1:
        binary("-", [](double p, double q) { return p - q; });
        break;
      case 2:
        binary("max", [](double p, double q) { return std::max(p, q); });
        break;
      case 3:
        binary("min", [](double p, double q) { return std::min(p, q); });
        break;
      case 4:
        out.text += fmt::format("{} <- UnaryPointwise<neg>({})  ", to, first.first);
        have.emplace_back(to, [=](double x, double y) { return -one(x, y); });
        break;
      case 5:
        out.text += fmt::format("{} <- UnaryPointwise<relu>({})  ", to, first.first);
        have.emplace_back(to, [=](double x, double y) { return std::max(one(x, y), 0.0); });
        break;
      default: {
        const int number = static_cast<int>(random() % 3);
        out.text += fmt::format("{} <- Init<{}>()  ", to, number);
        have.emplace_back(to, [=](double, double) { return number; });
        break;
      }
    }
  }
  out.value = have.back().second;
  return out;
}

}  // namespace

TEST_CASE("random computations: proved only what is the function, refuted only what is not") {
  struct Spec {
    std::string head;
    std::function<double(double, double)> value;
  };
  const std::vector<Spec> specs = {
      {"BinaryPointwise<+>" + kOn + "(%x,%y)", [](double x, double y) { return x + y; }},
      {"BinaryPointwise<->" + kOn + "(%x,%y)", [](double x, double y) { return x - y; }},
      {"BinaryPointwise<max>" + kOn + "(%x,%y)", [](double x, double y) { return std::max(x, y); }},
      {"UnaryPointwise<relu>" + kOn + "(%x)", [](double x, double) { return std::max(x, 0.0); }},
      {"UnaryPointwise<neg>" + kOn + "(%x)", [](double x, double) { return -x; }},
      {"Move" + kOn + "(%x)", [](double x, double) { return x; }},
      {"Init<0>" + kOn + "()", [](double, double) { return 0.0; }},
  };
  std::mt19937 random(20261123);
  int proved = 0, refuted = 0, same = 0;
  for (int round = 0; round < 260; ++round) {
    const Made made = randomly(random);
    const Spec* spec = &specs[random() % specs.size()];
    const auto alike = [&](const Spec& s) {
      for (double x = -2; x <= 2; x += 0.25)
        for (double y = -2; y <= 2; y += 0.25)
          if (std::fabs(made.value(x, y) - s.value(x, y)) > 1e-12) return false;
      return true;
    };
    // Of those that are one of the functions every one is asked about, of the others some.
    for (const Spec& s : specs)
      if (alike(s)) spec = &s;
    const bool is = alike(*spec);
    if (!is && round % 4 != 0) continue;
    same += is ? 1 : 0;
    for (const CheckMethod method : {CheckMethod::Running, CheckMethod::Z3}) {
      const Standing says = valueBy(pointwise(spec->head, made.text), method);
      INFO(spec->head << " by " << made.text);
      CHECK(says != (is ? Standing::Refuted : Standing::Proved));
      proved += says == Standing::Proved ? 1 : 0;
      refuted += says == Standing::Refuted ? 1 : 0;
    }
  }
  CHECK(same > 30);
  CHECK(proved > same);     // most of them, by at least one method
  CHECK(refuted > 2 * 30);  // of about 60 by both
}
