#include "beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/expr/expr.h"
#include "solver/emulate/format.h"
#include "solver/emulate/plan.h"
#include "storage.h"

namespace tessera::host_check {
namespace {

using graphene::Plan;
using graphene::Program;
using graphene::Root;
using graphene::TensorValues;

std::string told(const Diag& diag, const std::string& text) {
  return fmt::format("{} at '{}'", diag.message, text.substr(std::min(diag.span.begin, text.size()), 60));
}

// Of an expression over the program's sizes.
i64 valueOf(const Expr& e, const Program& program, const std::map<std::string, i64>& sizes) {
  std::vector<i64> params;
  for (const graphene::Variable& v : program.variables) {
    const auto found = sizes.find(v.name);
    params.push_back(found == sizes.end() ? 0 : found->second);
  }
  return evaluate(e, {}, params);
}

// One kernel's arguments, and how its copies lie.
struct Arguments {
  std::vector<const Root*> roots;
  std::vector<Launch> launches;
  std::vector<Bytes> buffers;
  std::vector<int> sizes;
  std::vector<std::string> maps;  // as HostLaunch has them
};

std::string mapText(const codegen::KernelParam& p, const Root& root, const Program& program,
                    const std::map<std::string, i64>& sizes) {
  if (!p.map) return "-";
  const std::vector<std::string> modes = {"NONE", "32B", "64B", "128B"};
  std::string out =
      fmt::format("{}/{}", root.type.bits, std::find(modes.begin(), modes.end(), p.map->swizzle) - modes.begin());
  for (std::size_t d = 0; d < p.map->box.size(); ++d)
    out += fmt::format("/{},{},{}", valueOf(p.map->extents[d], program, sizes),
                       valueOf(p.map->strides[d], program, sizes), p.map->box[d]);
  return out;
}

std::string gather(const codegen::Kernel& kernel, const Plan& plan, const Program& program, const Case& one,
                   const Launch& launch, const TensorValues& values, Arguments& out) {
  for (const codegen::KernelParam& p : kernel.params) {
    if (p.size) {
      const auto found = one.sizes.find(p.name);
      if (found == one.sizes.end()) return fmt::format("size {} of kernel {} is not given", p.name, kernel.name);
      out.sizes.push_back(static_cast<int>(found->second));
      continue;
    }
    const Root* root = rootNamed(plan, p.name);
    if (root == nullptr) return fmt::format("kernel {} has a parameter {} that is no operand", kernel.name, p.name);
    Launch own = launch;
    const i64 places = valueOf(p.places, program, one.sizes), copies = copiesOf(*root, launch);
    own.apart = places / copies;
    if (own.apart < root->places || places % copies != 0)
      return fmt::format("parameter {} spans {} places, and {} copies of {} are needed", p.name, places, copies,
                         root->places);
    out.roots.push_back(root);
    out.maps.push_back(mapText(p, *root, program, one.sizes));
    out.launches.push_back(own);
    out.buffers.push_back(stored(*root, own, values.at(root->tensor.name)));
  }
  return "";
}

}  // namespace

TensorValues randomInputs(const Case& one, unsigned seed) {
  TensorValues out;
  const auto program = graphene::readProgram(one.text);
  if (!program) return out;
  const auto plan = graphene::makePlan(*program, {one.sizes, one.architecture});
  if (!plan) return out;
  std::mt19937 random(seed);
  for (const Root& root : plan->roots) {
    if (!root.operand) continue;
    auto& values = out[root.tensor.name];
    values.resize(valuesOf(root, {plan->blocks, plan->threads}));
    const bool integer = root.type.precision == 0;
    for (double& v : values) {
      v = static_cast<double>(random()) / 2147483648.0 - 1;
      v = graphene::rounded(integer ? 8 * v : v, root.type);
      // Every fourth integer is within 8 of an end of its type, so that sums and products wrap.
      if (integer && random() % 4 == 0)
        v = random() % 2 == 0 ? graphene::leastOf(root.type) + std::fabs(v)
                              : graphene::mostOf(root.type) - std::fabs(v);
    }
  }
  return out;
}

Beside::Beside(std::vector<Case> cases, std::vector<codegen::CudaSource> texts)
    : cases_(std::move(cases)), sources_(std::move(texts)) {
  const bool emits = sources_.empty();
  std::vector<HostText> all;
  for (std::size_t k = 0; k < cases_.size(); ++k) {
    const auto program = graphene::readProgram(cases_[k].text);
    if (!program) {
      wrong_ += fmt::format("{}: {}\n", cases_[k].name, told(program.error(), cases_[k].text));
      return;
    }
    if (emits) {
      auto source = codegen::emitCuda(*program, {cases_[k].architecture});
      if (!source) wrong_ += fmt::format("{}: {}\n", cases_[k].name, told(source.error(), cases_[k].text));
      sources_.push_back(source ? *std::move(source) : codegen::CudaSource());
    }
    HostText& text = all.emplace_back(HostText{sources_[k].text, {}});
    for (const codegen::Kernel& kernel : sources_[k].kernels) text.kernels.push_back(kernel.name);
  }
  program_ = std::make_unique<HostProgram>(all);
  if (program_->built()) return;
  const std::string& messages = program_->messages();
  const std::size_t error = std::min(messages.find("error:"), messages.size());
  wrong_ += "the compiler: " + messages.substr(error - std::min<std::size_t>(error, 200), 2000);
}

std::size_t Beside::find(const std::string& name) const {
  for (std::size_t k = 0; k < cases_.size(); ++k)
    if (cases_[k].name == name) return k;
  return cases_.size();
}

const codegen::CudaSource& Beside::source(const std::string& name) const { return sources_.at(find(name)); }

Both Beside::run(const std::string& name, const TensorValues& inputs, unsigned order) const {
  const std::size_t k = find(name);
  Both out;
  if (k == cases_.size()) {
    out.wrong = "no case " + name;
    return out;
  }
  const Case& one = cases_[k];
  const auto program = graphene::readProgram(one.text);
  const auto plan = graphene::makePlan(*program, {one.sizes, one.architecture});
  graphene::EmulateOptions options;
  options.sizes = one.sizes;
  options.architecture = one.architecture;
  options.count = false;
  out.inputs = inputs;
  for (auto& [tensor, values] : out.inputs)
    if (const Root* root = plan ? rootNamed(*plan, tensor) : nullptr)
      for (double& v : values) v = graphene::rounded(v, root->type);
  if (!last_ || last_->first != k || last_->second.inputs != out.inputs) {
    last_.reset();  // the same inputs come again for every order of the threads
    const auto emulated = graphene::emulate(*program, out.inputs, options);
    if (!plan || !emulated) {
      out.wrong = "the emulator: " + told(plan ? emulated.error() : plan.error(), one.text);
      return out;
    }
    if (!emulated->stopped.empty()) out.wrong = "the emulator stopped: " + emulated->stopped;
    out.emulated = emulated->tensors;
    out.findings = emulated->findings;
    last_.emplace(k, out);
  }
  out = last_->second;
  out.host = out.inputs;
  for (std::size_t i = 0; i < sources_[k].kernels.size() && out.wrong.empty(); ++i) {
    const codegen::Kernel& kernel = sources_[k].kernels[i];
    const Launch launch{valueOf(kernel.blocks, *program, one.sizes), kernel.threads};
    Arguments arguments;
    out.wrong = gather(kernel, *plan, *program, one, launch, out.host, arguments);
    if (!out.wrong.empty()) break;
    const HostRun ran =
        program_->run({k, i, launch.blocks, launch.threads, arguments.sizes, order, arguments.maps}, arguments.buffers);
    out.wrong = ran.wrong;
    for (std::size_t b = 0; b < ran.buffers.size(); ++b)
      if (arguments.maps[b] == "-")
        out.host[arguments.roots[b]->tensor.name] = fetched(*arguments.roots[b], arguments.launches[b], ran.buffers[b]);
  }
  return out;
}

std::string difference(const TensorValues& a, const TensorValues& b, double tolerance) {
  for (const auto& [name, left] : a) {
    const auto found = b.find(name);
    if (found == b.end()) return "only one has " + name;
    const auto& right = found->second;
    if (left.size() != right.size()) return fmt::format("{} has {} values, or {}", name, left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]))) continue;
      if (std::fabs(left[i] - right[i]) <= tolerance * std::max(1.0, std::fabs(left[i]))) continue;
      return fmt::format("{}: element {} is {:.9g}, or {:.9g}", name, i, left[i], right[i]);
    }
  }
  return "";
}

}  // namespace tessera::host_check
