// Values as terms (solver/kernel/symbolic), and proofs of references.
//
// The law: the term of an element, evaluated on the numbers of a run, is the number that the run left there, up to
// rounding. It is checked for every kernel below, whether its reference is provable or not.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "solver/emulate/equality/same_value.h"
#include "solver/emulate/numbers.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/reference/array.h"
#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/proof.h"
#include "solver/kernel/symbolic/symbolic.h"
#include "tests/kernel/kernels.h"

using namespace tessera;
using namespace tessera::kernel;
using reference::Proof;
using Answer = Proof::Answer;

namespace {

struct ValueCase {
  const char* entry;
  const char *grid, *block;
  std::vector<std::string> arguments;
  const char* reference;
  Answer answer;
  const char* says;  // a part of the proof's text
};

const std::vector<ValueCase>& valueCases() {
  static const std::vector<ValueCase> kCases = {
      {"scale",
       "2",
       "64",
       {"x=f32[128]", "y=f32[128]", "out=f32[128]=0", "a=float32:nan"},
       "out = a * x + 0.1 * y - x / 3",
       Answer::Unknown,
       "no law shows"},
      {"scale",
       "2",
       "64",
       {"x=f32[128]", "y=f32[128]", "out=f32[128]=0", "a=float32:0.7"},
       "out = a * x + 0.1 * y - x / 3",
       Answer::Proved,
       "every value of x and y, with the given out"},
      {"scale",
       "2",
       "64",
       {"x=f32[128]", "y=f32[128]", "out=f32[128]=0", "a=float32:0.7"},
       "out = a * x + 0.1001 * y - x / 3",
       Answer::Refuted,
       "a run with these values differs"},
      {"relu",
       "1",
       "64",
       {"x=f32[64]", "out=f32[64]=0"},
       "out = np.maximum(x, 0)",
       Answer::Proved,
       "over the real numbers"},
      {"relu", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.where(x > 0, x, 0)", Answer::Proved, ""},
      {"relu", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.where(x >= 0, x, 0)", Answer::Proved, ""},
      {"relu", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.minimum(x, 0)", Answer::Refuted, ""},
      {"leaky", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.where(x >= 0, x, x / 4)", Answer::Proved, ""},
      {"leaky", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.where(x < 0, 0.25 * x, x)", Answer::Proved, ""},
      // Equal on all numbers near 0: a far input refutes it.
      {"cut", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = x", Answer::Refuted, "around 100000"},
      {"cut", "1", "64", {"x=f32[64]", "out=f32[64]=0"}, "out = np.where(x > 100, x + x, x)", Answer::Proved, ""},
      {"softmax",
       "2",
       "32",
       {"x=f32[2,64]", "out=f32[2,64]=0"},
       "out = softmax(x)",
       Answer::Proved,
       "exp(x + y) = exp(x) exp(y)"},
      {"softmax",
       "2",
       "32",
       {"x=f32[2,64]", "out=f32[2,64]=0"},
       "out = np.exp(x) / np.exp(x).sum(1, keepdims=True)",
       Answer::Proved,
       ""},
      {"softmax",
       "2",
       "32",
       {"x=f32[2,64]", "out=f32[2,64]=0"},
       "out = np.exp(x) / np.exp(x).sum()",
       Answer::Refuted,
       ""},
      {"functions",
       "9",
       "32",
       {"x=f32[32]", "out=f32[9,32]=0"},
       "out = np.stack([np.exp(x), np.exp(x), np.exp2(x), np.sqrt(x*x + 1), 1/np.sqrt(x**2 + 1), sigmoid(x), abs(x), "
       "np.clip(x, -0.5, 0.5), x / 3])",
       Answer::Proved,
       "rsqrt(x) = 1 / sqrt(x)"},
      {"halves",
       "1",
       "32",
       {"x=f16[64]", "y=f16[64]", "out=f16[64]=0", "wide=f32[32]=0"},
       "out = x * y + np.maximum(x, y); wide = x[::2] * x[1::2] + y[::2]",
       Answer::Proved,
       ""},
      {"bfloats",
       "1",
       "32",
       {"x=bf16[32]", "out=f32[32]=0", "back=bf16[32]=0"},
       "out = x**2; back = 2 * x",
       Answer::Proved,
       ""},
      {"dot_atomic", "2", "32", {"x=f32[64]", "y=f32[64]", "out=f32[1]=0.5"}, "out = x @ y + 0.5", Answer::Proved, ""},
      {"dot_atomic",
       "2",
       "32",
       {"x=f32[64]", "y=f32[64]", "out=f32[1]"},
       "out = out + (x * y).sum()",
       Answer::Proved,
       ""},
      {"clipped",
       "1",
       "32",
       {"x=f32[32]", "out=f32[32]=0"},
       "out = np.maximum(x, 0)",
       Answer::Unknown,
       "depends on the values"},
      {"gather",
       "1",
       "32",
       {"x=f32[32]", "at=u32[32]", "out=f32[32]=0"},
       "out = x[at]",
       Answer::Proved,
       "to the last bit"},
      {"integers",
       "1",
       "32",
       {"x=i32[32]", "y=i32[32]", "out=i32[32]=0"},
       "out = (y + 3) * x - np.maximum(y, x)",
       Answer::Proved,
       ""},
      {"extremes",
       "1",
       "32",
       {"x=u32[32]", "y=i32[32]", "out=u32[32]=0", "mixed=i32[32]=0"},
       "mixed = np.maximum(x, 5)",
       Answer::Unknown,
       ""},
      {"extremes",
       "1",
       "32",
       {"x=u32[32]", "y=i32[32]", "out=u32[32]=0", "mixed=i32[32]=0"},
       "out = np.where(y > 3, 1, 0)",
       Answer::Proved,
       ""},
      {"sum_integers", "1", "32", {"x=i32[32]", "out=i32[1]=0"}, "out = x.sum()", Answer::Proved, ""},
      {"reversed_bytes", "1", "32", {"x=u32[32]", "out=u32[32]=0"}, "out = x", Answer::Proved, "to the last bit"},
      {"bits", "1", "32", {"x=f32[32]", "out=f32[32]=0"}, "out = x", Answer::Unknown, "xor.b32 of a symbolic value"},
      {"shifts", "13", "32", {"x=u32[32]", "y=u32[32]", "out=u32[13,32]=0"}, "out = 0 * out", Answer::Unknown, ""},
      {"calls", "1", "32", {"x=f32[32]", "out=f32[32]=0"}, "out = 2 * x * x", Answer::Proved, ""},
      {"product", "1", "32", {"a=f16[16,32]", "b=f16[32,16]", "c=f32[16,16]=0"}, "c = a @ b", Answer::Proved, ""},
      {"product",
       "1",
       "32",
       {"a=f16[16,32]", "b=f16[32,16]", "c=f32[16,16]=0"},
       "c = a[:,:16] @ b[:16]",
       Answer::Refuted,
       ""},
      {"product",
       "1",
       "32",
       {"a=f16[16,32]", "b=f16[32,16]", "c=f32[16,16]=0"},
       "c[i,j] = sum(k < 32) a[i,k] * b[k,j]",
       Answer::Proved,
       ""},
      {"product",
       "1",
       "32",
       {"a=f16[16,32]", "b=f16[32,16]", "c=f32[16,16]=0"},
       "%c[i,j] = sum(k < 32) %a[i,k] * %b[k,i]",
       Answer::Refuted,
       ""},
      {"softmax",
       "2",
       "32",
       {"x=f32[2,64]", "out=f32[2,64]=0"},
       "m[i] = max(k < 64) x[i,k]; s[i] = sum(k < 64) exp(x[i,k] - m[i]); out[i,j] = exp(x[i,j] - m[i]) / s[i]",
       Answer::Proved,
       ""},
      {"scale",
       "2",
       "64",
       {"x=f32[128]", "y=f32[128]", "out=f32[128]=0", "a=float32:0.7"},
       "out[i] = a * x[i] + 0.1 * y[i] - x[i] / 3",
       Answer::Proved,
       ""},
      {"product_async", "1", "32", {"a=f16[16,16]", "b=f16[8,16]", "c=f32[16,8]=0"}, "c = a @ b.T", Answer::Proved, ""},
  };
  return kCases;
}

Prepared prepared(const ptx::Module& module, const ValueCase& c) {
  LaunchText text;
  text.entry = c.entry;
  text.grid = c.grid;
  text.block = c.block;
  text.arguments = c.arguments;
  auto out = prepare(module, text, {});
  INFO((out ? "" : out.error().message));
  REQUIRE(out.ok());
  return *std::move(out);
}

// Terms on given numbers: written again, without algebra.
class Evaluation {
 public:
  Evaluation(graphene::Terms& terms, std::function<double(int, i64)> input) : terms_(terms), input_(std::move(input)) {}
  double of(graphene::Terms::Value v) {
    graphene::operandsFirst(
        terms_, v, [&](graphene::Terms::Value x) { return known_.contains(x); },
        [&](graphene::Terms::Value x, const graphene::Terms::Sum& sum) { known_.emplace(x, one(x, sum)); });
    return known_.at(v);
  }

 private:
  double one(graphene::Terms::Value v, const graphene::Terms::Sum& sum) {
    const graphene::Terms::Node n = terms_.node(v);
    switch (n.kind) {
      case graphene::Terms::Kind::Undefined:
        return std::nan("");
      case graphene::Terms::Kind::Input:
        return ValueTerms::isOpaque(n) ? std::nan("") : input_(n.operation, n.element);
      case graphene::Terms::Kind::Constant:
        return n.number;
      case graphene::Terms::Kind::Unary:
      case graphene::Terms::Kind::Binary:
      case graphene::Terms::Kind::Set: {
        const std::string& name = terms_.nameOf(n.operation);
        const double a = known_.at(n.a), b = n.kind == graphene::Terms::Kind::Unary ? 0 : known_.at(n.b);
        if (name == "<") return a < b ? 1 : 0;
        if (name == "whole") return std::floor(a);
        return graphene::Numbers::binary(graphene::Numbers::operation(name), a, b);
      }
      case graphene::Terms::Kind::Sum: {
        double out = sum.constant;
        for (const auto& [x, times] : sum.terms) out += known_.at(x) * static_cast<double>(times);
        for (const auto& [p, times] : sum.products)
          out += known_.at(p.first) * known_.at(p.second) * static_cast<double>(times);
        return out;
      }
    }
    return 0;
  }
  graphene::Terms& terms_;
  std::function<double(int, i64)> input_;
  std::map<graphene::Terms::Value, double> known_;
};

double numberAt(const Element& e, const std::vector<std::byte>& bytes, i64 index) {
  u64 bits = 0;
  std::memcpy(&bits, bytes.data() + index * e.bytes, static_cast<std::size_t>(e.bytes));
  return decoded(e, bits);
}

ptx::Type typeOfElement(const Element& e) {
  using ptx::Type;
  if (e.kind != Element::Kind::Float) return e.kind == Element::Kind::Signed ? Type::S32 : Type::U32;
  return e.name == "bfloat16" ? Type::BF16 : e.bytes == 2 ? Type::F16 : Type::F32;
}

}  // namespace

TEST_CASE("references of kernels are proved for every value, refuted by a run, or unknown for a reason") {
  const ptx::Module& module = test::kernelsOf("values");
  for (const ValueCase& c : valueCases()) {
    const Prepared p = prepared(module, c);
    INFO(c.entry << ": " << c.reference);
    const auto proofs = reference::prove(module, p.launch, c.reference, p.given);
    INFO((proofs ? "" : proofs.error().message));
    REQUIRE(proofs.ok());
    REQUIRE(!proofs->empty());
    for (const Proof& proof : *proofs) {
      INFO(reference::textOf(proof));
      CHECK(proof.answer == c.answer);
    }
    INFO(reference::textOf(proofs->front()));
    CHECK(reference::textOf(proofs->back()).find(c.says) != std::string::npos);
    // What is proved also runs correctly, and what a run refutes is not proved.
    Report report = *run(module, p.launch);
    const auto compared = reference::check(c.reference, p.given, 0, report);
    REQUIRE(compared.ok());
    for (const reference::Compared& one : *compared)
      if (c.answer == Answer::Proved) CHECK(one.wrong == 0);
  }
}

TEST_CASE("a kernel with one instruction changed is not proved unless it runs correctly") {
  // Another operation, or an operand used twice.
  const std::pair<const char*, const char*> changes[] = {{"add.", "sub."},       {"sub.", "add."},
                                                         {"max.", "min."},       {"min.", "max."},
                                                         {"mul.", "add."},       {"fma.rn.f32", "mad.rn.f32"},
                                                         {"setp.lt", "setp.gt"}, {"setp.gt", "setp.ge"},
                                                         {"ex2", "lg2"},         {"neg.", "abs."},
                                                         {"shl.b32", "shr.u32"}, {"row.col", "row.row"},
                                                         {"0x3123", "0x3210"},   {"0f3F000000", "0f3F000001"},
                                                         {"bfly", "up"},         {", 16, 31", ", 8, 31"}};
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/kernel/data/values.ptx");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  int mutants = 0, proved = 0, wrong = 0;
  for (std::size_t at = 0; at < lines.size(); ++at)
    for (const auto& [from, to] : changes) {
      const std::size_t found = lines[at].find(from);
      if (found == std::string::npos || lines[at].find(".u64") != std::string::npos ||
          lines[at].find(".s64") != std::string::npos)
        continue;
      std::string text;
      for (std::size_t k = 0; k < lines.size(); ++k)
        text += (k == at ? std::string(lines[k]).replace(found, std::string(from).size(), to) : lines[k]) + "\n";
      const auto module = ptx::read(text);
      if (!module) continue;
      // The entry that the line belongs to.
      std::string entry;
      for (const ptx::Function& f : module->functions)
        if (f.line <= static_cast<int>(at) + 1 && f.entry) entry = f.name;
      for (const ValueCase& c : valueCases()) {
        if (entry != c.entry || c.answer != Answer::Proved) continue;
        const Prepared p = prepared(*module, c);
        auto report = run(*module, p.launch);
        if (!report || report->verdict < Verdict::Benign) continue;
        ++mutants;
        const auto compared = reference::check(c.reference, p.given, 0, *report);
        REQUIRE(compared.ok());
        const bool differs = report->verdict == Verdict::Wrong;
        wrong += differs ? 1 : 0;
        const auto proofs = reference::prove(*module, p.launch, c.reference, p.given);
        REQUIRE(proofs.ok());
        const bool all =
            std::all_of(proofs->begin(), proofs->end(), [](const Proof& one) { return one.answer == Answer::Proved; });
        proved += all ? 1 : 0;
        INFO(c.entry << ": " << lines[at] << " becomes " << to);
        CHECK(!(differs && all));
      }
    }
  CHECK(mutants > 60);
  CHECK(wrong > 40);
  CHECK(proved > 5);  // changes that change nothing
}

TEST_CASE("the term of each element is the number that a run leaves there, on its own inputs and on others") {
  const ptx::Module& module = test::kernelsOf("values");
  i64 compared = 0, opaque = 0;
  std::string last;
  for (const ValueCase& c : valueCases()) {
    if (c.entry == last) continue;
    last = c.entry;
    const auto preparedFor = [&](u64 seed) {
      auto p = prepare(module, LaunchText{c.entry, c.grid, c.block, {}, 0, c.arguments, seed}, {});
      REQUIRE(p.ok());
      return *std::move(p);
    };
    const Prepared p = preparedFor(1);
    const auto elementOf = [&](std::size_t k) { return elementNamed(p.given[k].argument.element); };
    std::map<int, ptx::Type> inputs;
    for (std::size_t k = 0; k < p.given.size(); ++k)
      if (p.given[k].argument.kind == Argument::Kind::Buffer && std::string(c.entry) != "gather")
        inputs[static_cast<int>(k)] = typeOfElement(*elementOf(k));
    graphene::Terms terms;
    Symbolic symbolic(terms, inputs);
    std::vector<std::vector<graphene::Terms::Value>> left(p.given.size());
    REQUIRE(runSymbolic(module, p.launch, symbolic, [&] {
              for (std::size_t k = 0; k < p.given.size(); ++k)
                if (p.given[k].argument.kind == Argument::Kind::Buffer)
                  for (i64 i = 0; i < *reference::countOf(p.given[k].argument.shape); ++i)
                    left[k].push_back(symbolic.element(static_cast<int>(k), i, typeOfElement(*elementOf(k))));
            }).ok());
    for (const u64 seed : {1, 2, 3}) {
      // Where control or addresses depend on the values, other inputs have another run.
      if (seed != 1 && (!symbolic.obstacle().empty() || inputs.empty())) continue;
      const Prepared other = preparedFor(seed);
      const auto report = run(module, other.launch);
      REQUIRE(report.ok());
      Evaluation evaluation(terms, [&](int k, i64 i) {
        return numberAt(*elementOf(static_cast<std::size_t>(k)),
                        other.given[static_cast<std::size_t>(k)].argument.bytes, i);
      });
      for (std::size_t k = 0; k < left.size(); ++k)
        for (std::size_t i = 0; i < left[k].size(); ++i) {
          INFO(c.entry << " " << p.given[k].name << "[" << i << "], seed " << seed);
          const double term = evaluation.of(left[k][i]);
          const Element& e = *elementOf(k);
          const double number = numberAt(e, report->buffers[k], static_cast<i64>(i));
          if (std::isnan(term)) {
            ++opaque;
            continue;
          }
          ++compared;
          const double unit = e.kind != Element::Kind::Float ? 0
                              : e.bytes == 4                 ? 4e-6
                              : e.name == "bfloat16"         ? 0.01
                                                             : 2e-3;
          CHECK(std::fabs(term - number) <= unit * std::max(1.0, std::fabs(number)));
        }
    }
  }
  CHECK(compared > 7000);
  CHECK(opaque < 2000);
}

TEST_CASE("the gallery's product by TMA and wgmma is proved for every matrix") {
  const ptx::Module& module = test::kernelsOf("gemm_wgmma_tma");
  LaunchText text;
  text.block = "384";
  text.shared = 196864;
  text.arguments = {"C=f32[128,256]", "A=tensormap:f16[128,64],box=128x64,swizzle=128B",
                    "B=tensormap:f16[256,64],box=256x64,swizzle=128B"};
  const auto p = prepare(module, text, {});
  REQUIRE(p.ok());
  const auto proofs = reference::prove(module, p->launch, "C = C + A @ B.T", p->given);
  REQUIRE(proofs.ok());
  REQUIRE(proofs->size() == 1);
  INFO(reference::textOf(proofs->front()));
  CHECK(proofs->front().answer == Answer::Proved);
}

TEST_CASE("a constant of type f32 stands for the number that it rounds") {
  CHECK(meantBy(0.1f) == 0.1);
  CHECK(meantBy(1e-5f) == 1e-5);
  CHECK(meantBy(1.0f / 96) == 1.0 / 96);
  CHECK(meantBy(-2.0f / 3) == -2.0 / 3);
  CHECK(meantBy(1.4426950408889634f) == 1.4426950408889634);
  CHECK(meantBy(0.125f * 1.4426950408889634f) == 0.125 * 1.4426950408889634);
  CHECK(meantBy(0.044715f) == 0.044715);
  CHECK(meantBy(16777216.0f) == 16777216.0);
  CHECK(meantBy(0.1) == 0.1);  // a double that is no f32
  CHECK(std::isinf(meantBy(-HUGE_VAL)));
  // A number of no such form is itself.
  const float odd = std::nextafterf(0.123456f, 1) * 1.0000012f;
  CHECK(static_cast<float>(meantBy(odd)) == odd);
}
