#include "solver/measure/reference/operand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/graphene/slots/slots.h"
#include "core/graphene/walk.h"

namespace tessera::measure {
namespace {

using graphene::Memory;
using graphene::Program;
using graphene::Spec;
using graphene::Statement;
using graphene::Tensor;

constexpr i64 kMostPlaces = i64{1} << 40;
constexpr i64 kMostBlocks = (i64{1} << 31) - 1;
constexpr i64 kMostSize = (i64{1} << 31) - 1;  // sizes are int parameters

Result<i64> numberOf(const Expr& e, const std::vector<Expr>& values, const std::string& what) {
  const auto number = graphene::Formula(substitute(e, {}, values)).at({});
  if (number) return *number;
  return Diag{fmt::format("the size of {} is not known", what), "a number for each size", "--size M=128"};
}

// What the names between the kernels stand for: "W" of %W0 = %Wt[0,0] and of %Wt = %W.tile([128:1],_).
using Views = std::map<std::string, std::string>;
Views viewsOf(const Program& program) {
  Views out;
  for (graphene::Walk walk(program.specs); const Statement* s = walk.next();) {
    const auto* define = std::get_if<graphene::Define>(&s->what);
    if (define == nullptr || !walk.around<Spec>().empty()) continue;
    const std::string source = define->source.substr(define->source.starts_with('%') ? 1 : 0);
    const auto through = out.find(source);
    out[define->tensor.name] = through == out.end() ? source : through->second;
  }
  return out;
}

// Which operands a kernel reads and writes.
class Uses {
 public:
  explicit Uses(const Program& program) : views_(viewsOf(program)) {}
  void add(Operand& operand, const Spec& spec) const {
    if (!operand.output && reads(spec, operand.name)) operand.input = true;  // not if an earlier kernel wrote them
    if (names(spec.outputs, operand.name)) operand.output = true;
  }

 private:
  [[nodiscard]] bool names(const std::vector<Tensor>& list, const std::string& name) const {
    return std::ranges::any_of(list, [&](const Tensor& t) {
      if (t.threads) return false;
      const auto view = views_.find(t.name);
      return (view == views_.end() ? t.name : view->second) == name;
    });
  }
  // Whether a kernel reads the tensor's previous contents: as an input, or as the accumulator of a product.
  [[nodiscard]] bool reads(const Spec& spec, const std::string& name) const {
    return names(spec.inputs, name) || (spec.kind == graphene::SpecKind::MatMul && names(spec.outputs, name));
  }
  Views views_;
};

Result<std::vector<Operand>> withoutUse(const Program& program, const std::vector<Expr>& values, i64 blocks,
                                        i64 threads) {
  std::vector<Operand> out;
  for (const Tensor& tensor : program.operands) {
    if (tensor.threads) continue;
    const i64 copies = tensor.memory == Memory::Register ? blocks * threads
                       : tensor.memory == Memory::Shared ? blocks
                                                         : 1;
    TESSERA_TRY(Operand operand, operandOf(tensor, values, copies));
    out.push_back(std::move(operand));
  }
  return out;
}

}  // namespace

Result<std::vector<Expr>> valuesOf(const Program& program, const std::map<std::string, i64>& sizes) {
  std::vector<Expr> out;
  for (const graphene::Variable& v : program.variables) {
    out.push_back(Expr::param(static_cast<int>(out.size())));
    if (v.kind != graphene::Variable::Kind::Size) continue;
    const auto given = sizes.find(v.name);
    if (given == sizes.end())
      return Diag{fmt::format("{} is not known, so nothing can be run", v.name), "a number for each size",
                  fmt::format("--size {}=128", v.name)};
    if (given->second < 1 || given->second > kMostSize)
      return Diag{fmt::format("{} is {}", v.name, given->second), fmt::format("sizes of 1 to {}", kMostSize)};
    out.back() = Expr::constant(given->second);
  }
  return out;
}

Result<Operand> operandOf(const Tensor& tensor, const std::vector<Expr>& values, i64 copies) {
  const std::string what = "%" + tensor.name;
  Operand out;
  out.name = tensor.name;
  out.element = tensor.element;
  TESSERA_TRY(out.type, graphene::numberFormat(tensor.element));
  TESSERA_TRY(out.offset_, numberOf(tensor.offset, values, what));
  out.swizzle_ = tensor.swizzle;
  out.copies = copies;
  const Diag large{fmt::format("{} is too large to be run", what), fmt::format("at most {} elements", kMostPlaces)};
  i64 last = out.offset_, count = 1;
  for (const graphene::Level& level : tensor.levels)
    for (const graphene::Dim& dim : level.dims)
      for (auto m = dim.rbegin(); m != dim.rend(); ++m) {
        Operand::Digit digit{0, 0, 0, static_cast<std::size_t>(m->dim)};
        TESSERA_TRY(digit.size, numberOf(m->size, values, what));
        TESSERA_TRY(digit.stride, numberOf(m->stride, values, what));
        TESSERA_TRY(digit.step, numberOf(m->step, values, what));
        if (digit.size < 1 || digit.stride < 0)
          return Diag{fmt::format("{} has an extent below 1 or a stride below 0", what), "other sizes"};
        const auto reach = checkedMul(digit.size - 1, digit.stride), product = checkedMul(count, digit.size);
        if (!reach || *reach > kMostPlaces || !product || *product > kMostPlaces) return large;
        last += *reach;
        count = *product;
        if (last > kMostPlaces) return large;
        out.digits_.push_back(digit);
      }
  for (const Expr& e : tensor.extents) {
    TESSERA_TRY(const i64 extent, numberOf(e, values, what));
    out.extents_.push_back(extent);
  }
  const i64 period = out.swizzle_.isIdentity() ? 1 : out.swizzle_.period();
  out.copyPlaces_ = (last / period + 1) * period;
  const auto places = checkedMul(out.copyPlaces_, copies), elements = checkedMul(count, copies);
  if (!places || *places > kMostPlaces || !elements || *elements > kMostPlaces) return large;
  out.places = *places;
  out.elements = *elements;
  return out;
}

i64 Operand::address(i64 e) const {
  const i64 one = elements / copies, copy = e / one;
  i64 left = e % one, at = offset_;
  for (std::size_t k = digits_.size(); k-- > 0;) {
    at += left % digits_[k].size * digits_[k].stride;
    left /= digits_[k].size;
  }
  return copy * copyPlaces_ + (swizzle_.isIdentity() ? at : swizzle_(at));
}

std::vector<i64> Operand::coordinate(i64 e) const {
  std::vector<i64> out(extents_.size(), 0);
  i64 left = e % (elements / copies);
  for (std::size_t k = digits_.size(); k-- > 0;) {
    if (digits_[k].dim < out.size()) out[digits_[k].dim] += left % digits_[k].size * digits_[k].step;
    left /= digits_[k].size;
  }
  return out;
}

std::string Operand::print(i64 e) const {
  const std::string at = fmt::format("%{}[{}]", name, fmt::join(coordinate(e), ","));
  return copies == 1 ? at : fmt::format("{} of copy {}", at, copyOf(e));
}

Result<std::vector<Operand>> operandsOf(const Program& program, const std::map<std::string, i64>& sizes, i64 blocks,
                                        i64 threads) {
  TESSERA_TRY(const std::vector<Expr> values, valuesOf(program, sizes));
  TESSERA_TRY(std::vector<Operand> out, withoutUse(program, values, blocks, threads));
  const Uses uses(program);
  for (const Spec* spec : outermostOf(program))
    for (Operand& o : out) uses.add(o, *spec);
  return out;
}

Result<Launches> launchesOf(const codegen::CudaSource& source, const Program& program,
                            const std::map<std::string, i64>& sizes) {
  TESSERA_TRY(const std::vector<Expr> values, valuesOf(program, sizes));
  Launches out;
  i64 most = 1, blocks = 1;  // of the largest launch, for the number of copies
  for (const codegen::Kernel& kernel : source.kernels) {
    LaunchRequest launch{kernel.name, 1, kernel.threads, kernel.dynamicBytes, {}, {}, {}};
    TESSERA_TRY(launch.blocks, numberOf(kernel.blocks, values, "the grid of " + kernel.name));
    if (launch.blocks < 1 || launch.blocks > kMostBlocks)
      return Diag{fmt::format("{} would have {} blocks", kernel.name, launch.blocks),
                  fmt::format("1 to {}", kMostBlocks)};
    blocks = std::max(blocks, launch.blocks);
    most = std::max(most, launch.threads);
    out.launches.push_back(std::move(launch));
  }
  TESSERA_TRY(out.operands, withoutUse(program, values, blocks, most));
  const std::vector<const Spec*> specs = outermostOf(program);
  const Uses uses(program);
  for (std::size_t k = 0; k < source.kernels.size(); ++k) {
    const codegen::Kernel& kernel = source.kernels[k];
    if (kernel.spec < 0 || static_cast<std::size_t>(kernel.spec) >= specs.size())
      return Diag{fmt::format("kernel '{}' does not belong to this program", kernel.name), "the program it came from"};
    for (Operand& o : out.operands) uses.add(o, *specs[kernel.spec]);
    for (const codegen::KernelParam& param : kernel.params) {
      const auto found =
          std::ranges::find_if(out.operands, [&](const Operand& o) { return !param.size && o.name == param.name; });
      const auto size = sizes.find(param.name);
      if (param.size ? size == sizes.end() : found == out.operands.end())
        return Diag{
            fmt::format("kernel '{}' has a parameter '{}' that the program does not have", kernel.name, param.name),
            "the program it came from"};
      LaunchRequest& launch = out.launches[k];
      launch.buffers.push_back(param.size ? -1 : static_cast<int>(found - out.operands.begin()));
      launch.sizes.push_back(param.size ? static_cast<int>(size->second) : 0);
      MapRequest& map = launch.maps.emplace_back();
      if (param.map) {
        map = {found->element, {}, {}, param.map->box, param.map->swizzle};
        for (std::size_t d = 0; d < map.box.size(); ++d) {
          TESSERA_TRY(const i64 extent, numberOf(param.map->extents[d], values, "%" + param.name));
          TESSERA_TRY(const i64 stride, numberOf(param.map->strides[d], values, "%" + param.name));
          map.extents.push_back(extent);
          map.strides.push_back(stride);
        }
      }
      if (param.size) continue;
      TESSERA_TRY(const i64 places, numberOf(param.places, values, "%" + param.name));
      found->places = std::max(found->places, places);  // at least what the kernel addresses
    }
  }
  return out;
}

}  // namespace tessera::measure
