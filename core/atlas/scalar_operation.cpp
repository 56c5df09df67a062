#include "core/atlas/scalar_operation.h"

#include <algorithm>
#include <cmath>

#include "core/base/chars.h"

namespace tessera {
namespace {

// clang-format off
constexpr ScalarOperation kTable[] = {
    {"exp", 1, [](double a, double) { return std::exp(a); },
     {"hexp", "h2exp", "__expf", "exp", ""},
     {"hexp({})", "h2exp({})", "__expf({})", "exp({})", ""}, "exponential"},
    {"exp2", 1, [](double a, double) { return std::exp2(a); },
     {"", "", "ex2.approx.ftz.f32", "", ""},
     {"", "", "tessera::exp2({})", "", ""}},
    {"log", 1, [](double a, double) { return std::log(a); },
     {"hlog", "h2log", "__logf", "log", ""},
     {"hlog({})", "h2log({})", "__logf({})", "log({})", ""}, "log"},
    {"relu", 1, [](double a, double) { return a > 0 ? a : 0.0; },
     {"__hmax_0", "__hmax2_0", "max.f32 0", "max.f64 0", "max.s32 0"},
     {"__hmax({}, {0})", "__hmax2({}, {00})", "fmaxf({}, 0.0f)", "fmax({}, 0.0)", "max({}, {0})"}},
    {"neg", 1, [](double a, double) { return -a; },
     {"__hneg", "__hneg2", "neg.f32", "neg.f64", "neg.s32"},
     {"__hneg({})", "__hneg2({})", "-{}", "-{}", "{i}({u}(0) - {u}({}))"}, "negate"},
    {"rcp", 1, [](double a, double) { return 1 / a; },
     {"hrcp", "h2rcp", "rcp.rn.f32", "rcp.rn.f64", ""},
     {"hrcp({})", "h2rcp({})", "1.0f / {}", "1.0 / {}", ""}},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); },
     {"hsqrt", "h2sqrt", "sqrt.rn.f32", "sqrt.rn.f64", ""},
     {"hsqrt({})", "h2sqrt({})", "sqrtf({})", "sqrt({})", ""}, "sqrt"},
    {"rsqrt", 1, [](double a, double) { return 1 / std::sqrt(a); },
     {"hrsqrt", "h2rsqrt", "rsqrt.approx.f32", "rsqrt.approx.f64", ""},
     {"hrsqrt({})", "h2rsqrt({})", "rsqrtf({})", "rsqrt({})", ""}, "rsqrt"},
    {"tanh", 1, [](double a, double) { return std::tanh(a); },
     {"htanh", "h2tanh", "tanhf", "tanh", ""},
     {"{<}(tanhf({>}({})))", "", "tanhf({})", "tanh({})", ""}, "tanh"},
    {"sigmoid", 1, [](double a, double) { return 1 / (1 + std::exp(-a)); },
     {"hrcp(1+hexp(-x))", "h2rcp(1+h2exp(-x))", "__frcp_rn(1+__expf(-x))", "1/(1+exp(-x))", ""},
     {"{<}(tessera::sigmoid({>}({})))", "", "tessera::sigmoid({})", "tessera::sigmoid({})", ""}, "logistic"},
    {"id", 1, [](double a, double) { return a; },
     {"mov.b16", "mov.b32", "mov.f32", "mov.f64", "mov.b32"},
     {"{}", "{}", "{}", "{}", "{}"}, "copy"},
    {"+", 2, [](double a, double b) { return a + b; },
     {"__hadd", "__hadd2", "add.f32", "add.f64", "add.s32"},
     {"__hadd({}, {})", "__hadd2({}, {})", "{} + {}", "{} + {}", "{i}({u}({}) + {u}({}))"}, "add", true},
    {"-", 2, [](double a, double b) { return a - b; },
     {"__hsub", "__hsub2", "sub.f32", "sub.f64", "sub.s32"},
     {"__hsub({}, {})", "__hsub2({}, {})", "{} - {}", "{} - {}", "{i}({u}({}) - {u}({}))"}, "subtract"},
    {"*", 2, [](double a, double b) { return a * b; },
     {"__hmul", "__hmul2", "mul.f32", "mul.f64", "mul.lo.s32"},
     {"__hmul({}, {})", "__hmul2({}, {})", "{} * {}", "{} * {}", "{i}({u}({}) * {u}({}))"}, "multiply"},
    {"/", 2, [](double a, double b) { return a / b; },
     {"__hdiv", "__h2div", "div.rn.f32", "div.rn.f64", ""},
     {"__hdiv({}, {})", "__h2div({}, {})", "{} / {}", "{} / {}", ""}, "divide"},
    {"max", 2, [](double a, double b) { return std::fmax(a, b); },
     {"__hmax", "__hmax2", "max.f32", "max.f64", "max.s32"},
     {"__hmax({}, {})", "__hmax2({}, {})", "fmaxf({}, {})", "fmax({}, {})", "max({}, {})"}, "maximum", true},
    {"min", 2, [](double a, double b) { return std::fmin(a, b); },
     {"__hmin", "__hmin2", "min.f32", "min.f64", "min.s32"},
     {"__hmin({}, {})", "__hmin2({}, {})", "fminf({}, {})", "fmin({}, {})", "min({}, {})"}, "minimum", true},
};
// clang-format on

std::span<const ScalarOperation> operationRows = kTable;

}  // namespace

std::span<const ScalarOperation> scalarOperations() { return operationRows; }

const ScalarOperation* scalarOperation(std::string_view name) {
  const auto at = std::ranges::find(operationRows, name, &ScalarOperation::name);
  return at == operationRows.end() ? nullptr : &*at;
}

const ScalarOperation* scalarOperation(std::string_view name, int arity) {
  const ScalarOperation* row = scalarOperation(name);
  return row != nullptr && row->arity == arity ? row : nullptr;
}

std::string scalarNames(int arity, bool words) {
  std::string out;
  for (const ScalarOperation& o : operationRows)
    if (o.arity == arity && (!words || isLetter(o.name[0]))) out += (out.empty() ? "" : " ") + std::string(o.name);
  return out;
}

ExtraScalarOperation::ExtraScalarOperation(const ScalarOperation& row)
    : rows_(operationRows.begin(), operationRows.end()) {
  rows_.push_back(row);
  operationRows = rows_;
}

ExtraScalarOperation::~ExtraScalarOperation() { operationRows = kTable; }

}  // namespace tessera
