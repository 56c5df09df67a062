// Generic specifications with equations: those of the gallery are proved, each single change is refuted at an element,
// and undecidable cases are reported. Second opinion: equations on numbers, compared with the emulator and with plain
// loops.
#include "core/graphene/meaning.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "programs.h"
#include "solver/emulate/meaning_value.h"
#include "solver/graphene/check.h"
#include "solver/graphene/running/translation.h"
#include "support/emulate.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::filesystem::path kFiles = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";

std::string fileText(const std::string& name) {
  std::ifstream in(kFiles / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

graphene::Program read(const std::string& text) {
  auto program = readProgram(text);
  INFO(text);
  if (!program) FAIL(program.error().message);
  return *std::move(program);
}

ObligationVerdict valueOf(const std::string& text, std::size_t spec = 0) {
  const graphene::Program program = read(text);
  const CheckResult r = checkProgram(program, {.budgetSeconds = 5000, .method = CheckMethod::Running});
  for (const ObligationVerdict& v : r.specs.at(spec).obligations)
    if (v.obligation == Obligation::Value) return v;
  return {};
}

std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  return verdicts::changed(fileText(name), from, to);
}

// Refuted at an element of an output.
ObligationVerdict refuted(const std::string& text, const std::string& tensor) {
  const ObligationVerdict v = valueOf(text);
  INFO(v.reason);
  CHECK(v.standing == Standing::Refuted);
  REQUIRE(v.finding.has_value());
  CHECK(v.finding->tensor == tensor);
  CHECK_FALSE(v.finding->coordinate.empty());
  CHECK_FALSE(v.finding->instances.empty());
  return v;
}

// One specification of 32 threads: BODY after `%y[i] = EQUATION`.
std::string rows(const std::string& equation, const std::string& body) {
  return "%x:[64:1].fp32.GL  %y:[64:1].fp32.GL\n#b:[2:1].block  #w:[32:1].thread\n%y <- Spec<f><<<#b,#w>>>(%x) means "
         "{\n" +
         equation + "\n} {\n  @b = #b.indices()  @l = #w.indices()\n  %v:[].fp32.RF  %u:[].fp32.RF\n" + body + "\n}\n";
}

}  // namespace

TEST_CASE("the value of every generic specification of the gallery is proved") {
  const std::string name = GENERATE("online_softmax", "layernorm", "lstm_cell", "mlp_layer", "gemm_bias_relu",
                                    "attention", "epilogue", "row_reduction");
  const graphene::Program program = read(fileText(name));
  const CheckResult r = checkProgram(program, {.budgetSeconds = 5000, .method = CheckMethod::Running});
  int stated = 0;
  for (const SpecVerdict& s : r.specs)
    for (const ObligationVerdict& v : s.obligations) {
      INFO(name << ": " << s.spec << ": " << v.reason);
      CHECK((v.standing == Standing::Proved || v.standing == Standing::NotStated));
      if (v.obligation != Obligation::Value || v.reason.find("equations") == std::string::npos) continue;
      CHECK(v.standing == Standing::Proved);
      CHECK(v.reason.find("over the real numbers") != std::string::npos);
      ++stated;
    }
  CHECK(stated > 0);
}

TEST_CASE("a fused kernel with one thing changed is refuted") {
  refuted(changed("mlp_layer", "%Yw <- store_with_bias<2,4,relu>", "%Yw <- store_with_bias<2,4,id>"), "%Y");
  refuted(changed("mlp_layer", "%biasw = %bias.tile([32:1])[@wn]", "%biasw = %bias.tile([32:1])[@wm]"), "%Y");
  refuted(changed("layernorm", "%d <- BinaryPointwise<+>(%d,%eps)", ""), "%y");
  refuted(changed("layernorm", "%n <- Init<0.00390625>()", "%n <- Init<0.0039>()"), "%y");
  refuted(changed("layernorm", "%vj <- BinaryPointwise<+>(%vj,%be)", ""), "%y");
  refuted(changed("online_softmax", "%m, %s <- softmax_meet<1><<<#b,#w>>>(%m,%s)", ""), "%y");
  // Any first value is forgotten: exp(-inf) is 0.
  CHECK(valueOf(changed("online_softmax", "%s <- Init<0>()", "%s <- Init<1>()")).standing == Standing::Proved);
  refuted(changed("online_softmax", "%v <- BinaryPointwise<->(%v,%m)", ""), "%y");
  refuted(changed("lstm_cell", "%forget = %z[1]  %cell = %z[2]", "%forget = %z[2]  %cell = %z[1]"), "%c1");
  refuted(changed("lstm_cell", "%zg <- BinaryPointwise<+>(%s,%bg)", "%zg <- Move(%s)"), "%c1");
  refuted(changed("attention", "%scale <- Init<0.125>()", "%scale <- Init<0.25>()"), "%O");
  refuted(changed("attention", "%values = %sVt[k,n]", "%values = %sVt[n,k]"), "%O");
  refuted(changed("attention", "%total <- quad<+><<<#b,#w>>>(%total)", ""), "%O");
  refuted(changed("epilogue", "%bias[2*@q + j]", "%bias[2*@q]"), "%out");
}

TEST_CASE("equations that are not what the kernel does refute it") {
  refuted(changed("attention", "/ 8\n", "/ 4\n"), "%O");
  refuted(changed("mlp_layer", "%A[i,k] * %B[k,j]", "%A[i,k] * %B[j,k]"), "%Y");
  refuted(changed("online_softmax", "sum(k < 512)", "sum(k < 511)"), "%y");
}

TEST_CASE("a softmax that does not take its maximum away is infinite") {
  // Over the reals it is right; the equations stay small where it does not.
  const std::string text = changed("attention", "%e <- BinaryPointwise<->(%e,%m)\n", "");
  CHECK(refuted(text, "%O").reason.find("overflow fp32") != std::string::npos);
  // Equations that overflow themselves say nothing against it.
  const std::string plain = programs::replaced(text, "exp(s[i,j] - m[i])", "exp(s[i,j])");
  CHECK(valueOf(plain).standing == Standing::Proved);
}

TEST_CASE("what no law makes equal is unknown where numbers agree") {
  const std::string head = "  %e = %x[32*@b + @l]  %o = %y[32*@b + @l]\n  %v <- Move(%e)\n";
  const ObligationVerdict v =
      valueOf(rows("%y[i] = 2 * sigmoid(2 * %x[i]) - 1", head + "  %v <- UnaryPointwise<tanh>(%v)\n  %o <- Move(%v)"));
  INFO(v.reason);
  CHECK(v.standing == Standing::Unknown);
  CHECK(v.reason.find("64 of 64 elements agree with the equations on 8 random inputs") == std::string::npos);
  CHECK(v.reason.find("32 of 32 elements agree with the equations on 8 random inputs") != std::string::npos);
  CHECK(valueOf(rows("%y[i] = tanh(%x[i])", head + "  %v <- UnaryPointwise<tanh>(%v)\n  %o <- Move(%v)")).standing ==
        Standing::Proved);
}

TEST_CASE("blocks that are shifts are held to equations that may not be") {
  const std::string body = "  %e = %x[32*@b + @l]  %o = %y[32*@b + @l]\n  %v <- Move(%e)\n  %o <- Move(%v)";
  CHECK(valueOf(rows("%y[i] = %x[i]", body)).standing == Standing::Proved);
  CHECK(valueOf(rows("%y[i] = %x[i%32 + i/32*32]", body)).standing == Standing::Proved);
  refuted(rows("%y[i] = %x[i%32]", body), "%y");
  refuted(rows("%y[i] = where(i < 40, %x[i], 0)", body), "%y");
  refuted(rows("%y[i] = %x[63 - i]", body), "%y");
  const ObligationVerdict outside = valueOf(rows("%y[i] = %x[i + 40]", body));
  CHECK(outside.standing == Standing::Unknown);
  CHECK(outside.reason.find("%x[64] is outside of its extents [64]") != std::string::npos);
  const ObligationVerdict endless = valueOf(rows("f[i] = f[i+1] + %x[i]  %y[i] = f[i]", body));
  CHECK(endless.standing == Standing::Unknown);
  CHECK(endless.reason.find("depends on too many other values") != std::string::npos);
}

TEST_CASE("shifts of equations are found by their indices") {
  const std::string text =
      "%x:[8,8].fp32.GL %w:[8,8].fp32.GL %y:[8,8].fp32.GL #b:[1].block #t:[1].thread\n%y <- Spec<f><<<#b,#t>>>(%x,%w) "
      "means "
      "{ h[a,c] = sum(k < 8) %x[a,k] * %w[k,c]  %y[i,j] = h[i,j] + h[i/2*2,j] } { @l = #t.indices() }";
  const graphene::Program program = read(text);
  const Spec& spec = std::get<Spec>(program.specs.front().what);
  CHECK(meaningShifts(spec, {{2, 3}, {2, 0}, {0, 3}}));
  CHECK(meaningShifts(spec, {{}, {}, {}}));
  CHECK_FALSE(meaningShifts(spec, {{1, 3}, {1, 0}, {0, 3}}));
  CHECK_FALSE(meaningShifts(spec, {{2, 3}, {2, 0}, {0, 2}}));
  CHECK_FALSE(meaningShifts(spec, {{2, 3}, {2, 1}, {1, 3}}));
}

TEST_CASE("equations on numbers are what the emulator computes") {
  const std::string name = GENERATE("online_softmax", "layernorm", "lstm_cell", "mlp_layer", "attention");
  const graphene::Program program = read(fileText(name));
  const Spec& spec = std::get<Spec>(program.specs.front().what);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  TensorValues inputs;
  std::vector<const std::vector<double>*> operands(spec.outputs.size(), nullptr);
  for (const Tensor& t : spec.inputs) {
    i64 count = 1;
    for (const Expr& e : t.extents) count *= e.value();
    std::vector<double>& values = inputs[t.name];
    const NumberFormat type = *numberFormat(t.element);
    for (i64 k = 0; k < count; ++k) values.push_back(rounded(draw(random), type));
    operands.push_back(&values);
  }
  const auto run = emulate(program, inputs);
  REQUIRE(run.ok());
  Numbers numbers;
  std::vector<int> ports;
  MeaningValue<Numbers> values(
      spec, numbers, [](int) { return std::nullopt; },
      [&](int port, i64 e) {
        return (
            *operands[static_cast<std::size_t>(ports[static_cast<std::size_t>(port)])])[static_cast<std::size_t>(e)];
      });
  for (const MeaningPort& p : values.ports()) ports.push_back(p.operand);
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const std::vector<double>& got = run->tensors.at(spec.outputs[k].name);
    double worst = 0;
    for (std::size_t e = 0; e < got.size(); ++e)
      worst = std::max(worst, std::fabs(got[e] - values.value(static_cast<int>(k), static_cast<i64>(e))));
    INFO(name);
    CHECK(values.fault().empty());
    CHECK(worst < 4e-3);  // halves on the way
  }
}
