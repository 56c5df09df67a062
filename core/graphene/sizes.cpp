#include "core/graphene/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace tessera::graphene {
namespace {

class Replacer {
 public:
  explicit Replacer(std::vector<Expr> params) : params_(std::move(params)) {}

  void expr(Expr& e) const { e = substitute(e, {}, params_); }

  void tensor(Tensor& t) const {
    for (Level& level : t.levels)
      for (Dim& dim : level.dims)
        for (Mode& m : dim) {
          expr(m.size);
          expr(m.stride);
          expr(m.step);
        }
    for (Expr& e : t.extents) expr(e);
    for (Expr& e : t.origin) expr(e);
    expr(t.offset);
  }
  void tensors(std::vector<Tensor>& all) const {
    for (Tensor& t : all) tensor(t);
  }

  void body(Body& statements) const {
    for (Statement& s : statements) std::visit([&](auto& what) { one(what); }, s.what);
  }

 private:
  void one(Define& d) const { tensor(d.tensor); }
  void one(Temporary& t) const { tensor(t.tensor); }
  void one(Indices&) const {}
  void one(Spec& s) const {
    for (auto* all : {&s.outputs, &s.inputs, &s.blocks, &s.threads}) tensors(*all);
    body(s.body);
  }
  void one(Loop& l) const { body(l.body); }
  void one(Branch& b) const {
    for (Comparison& c : b.condition) {
      expr(c.left);
      expr(c.right);
    }
    body(b.then);
    body(b.otherwise);
  }
  void one(Sync&) const {}
  void one(Commit&) const {}
  void one(Wait&) const {}

  std::vector<Expr> params_;
};

}  // namespace

Result<Program> withSizes(const Program& program, const std::map<std::string, i64>& sizes) {
  std::vector<Expr> params;
  std::vector<std::string> names;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    params.push_back(Expr::param(static_cast<int>(v)));
    if (variable.kind != Variable::Kind::Size) continue;
    names.push_back(variable.name);
    if (const auto given = sizes.find(variable.name); given != sizes.end())
      params.back() = Expr::constant(given->second);
  }
  for (const auto& [name, value] : sizes) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Diag{fmt::format("the program has no size {}", name),
                  names.empty() ? "none: all of its sizes are numbers" : fmt::format("{}", fmt::join(names, ", ")),
                  "",
                  {}};
    if (value < 1 || value > INT32_MAX)
      return Diag{fmt::format("{} is {}", name, value), fmt::format("1 to {}", INT32_MAX), "", {}};
  }
  Program out = program;
  const Replacer replace(params);
  for (std::size_t v = 0; v < out.variables.size(); ++v) {
    Variable& variable = out.variables[v];
    replace.expr(variable.lo);
    replace.expr(variable.hi);
    replace.expr(variable.value);
    if (!params[v].isConstant()) continue;
    variable.kind = Variable::Kind::Index;  // of one value
    variable.value = params[v];
  }
  replace.tensors(out.operands);
  replace.body(out.specs);
  return out;
}

Result<std::map<std::string, i64>> readSizes(const std::vector<std::string>& texts) {
  std::map<std::string, i64> out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    i64 value = 0;
    const char* const end = text.data() + text.size();
    const char* const from = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
    const auto [stop, error] = std::from_chars(from, end, value);
    if (equals == std::string::npos || equals == 0 || error != std::errc() || stop != end)
      return Diag{fmt::format("--size '{}' is no size", text), "NAME=NUMBER, M=128 for example", "", {}};
    out[text.substr(0, equals)] = value;
  }
  return out;
}

}  // namespace tessera::graphene
