#include "solver/measure/predict/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/codegen/kernel/multiprocessor.h"
#include "core/graphene/slots/slots.h"
#include "core/graphene/walk.h"
#include "solver/emulate/format.h"
#include "solver/measure/predict/peaks.h"

namespace tessera::measure {

namespace {

using namespace graphene;

bool onMatrixUnits(const NumberFormat& type) { return type.precision > 0 && type.precision <= 11 && type.bits <= 32; }

// Whether a product adds up in fp16: an instruction's sums have the type of its result.
bool sumsInHalf(const Spec* leaf) {
  if (leaf->kind != SpecKind::MatMul || leaf->outputs.empty()) return false;
  const auto type = numberFormat(leaf->outputs.front().element);
  return type && type->bits == 16 && type->precision == 11;
}

class Counter {
 public:
  Counter(const Program& program, const std::map<std::string, i64>& sizes) : program_(program), sizes_(sizes) {}

  Result<Work> count() {
    for (const Variable& v : program_.variables) {
      const auto given = sizes_.find(v.name);
      if (v.kind == Variable::Kind::Size && given == sizes_.end())
        return Diag{fmt::format("{} is not known, so nothing can be counted", v.name), "a number for each size"};
      // Loops are counted at their first step, blocks and threads at 0.
      values_.push_back(v.kind == Variable::Kind::Size ? given->second : 0);
    }
    const auto isStated = [](const Spec* s) { return s->kind != SpecKind::Generic && s->kind != SpecKind::Allocate; };
    for (const Spec* spec : outermostOf(program_)) TESSERA_CHECKED(moved(*spec));
    for (Walk walk(program_.specs); const Statement* s = walk.next();) {
      const auto* spec = std::get_if<Spec>(&s->what);
      const std::vector<const Spec*> around = walk.around<Spec>();
      if (spec == nullptr || !isStated(spec) || std::ranges::any_of(around, isStated)) continue;
      TESSERA_TRY(const double often, timesOf(*spec, walk));
      TESSERA_CHECKED(stated(*spec, often, !walk.around<Branch>().empty()));
    }
    work_.halfSums = std::ranges::any_of(leavesOf(program_), sumsInHalf);
    return work_;
  }

 private:
  Result<i64> numberOf(const Expr& e) const {
    if (const auto n = Formula(e).at(values_)) return *n;
    return Diag{"a size is not a number", "a number for each size"};
  }

  Result<double> elementsOf(const Tensor& t) const {
    double out = 1;
    for (const Level& level : t.levels) {
      TESSERA_TRY(const i64 n, numberOf(sizeOf(level)));
      out *= static_cast<double>(n);
    }
    return out;
  }

  // The tensors of the caller that a kernel moves.
  Result<void> moved(const Spec& spec) {
    std::set<std::string> readBytes;
    const auto moves = [&](const Tensor& t, double& into) -> Result<void> {
      if (t.threads || t.memory != Memory::Global) return {};
      TESSERA_TRY(const NumberFormat type, numberFormat(t.element));
      TESSERA_TRY(const double elements, elementsOf(t));
      into += elements * type.bits / 8;
      return {};
    };
    for (const Tensor& t : spec.inputs)
      if (readBytes.insert(t.name).second) TESSERA_CHECKED(moves(t, work_.bytesRead));
    for (const Tensor& t : spec.outputs) {
      TESSERA_CHECKED(moves(t, work_.bytesWritten));
      if (spec.kind == SpecKind::MatMul && readBytes.insert(t.name).second) TESSERA_CHECKED(moves(t, work_.bytesRead));
    }
    return {};
  }

  Result<double> groupOf(const std::vector<Tensor>& group) const {
    if (group.empty()) return 1.0;
    return elementsOf(group.front());
  }

  // Executions of a statement: the steps of the enclosing loops, times the number of groups into which each enclosing
  // specification divides the blocks and threads of the one around it.
  Result<double> timesOf(const Spec& spec, const Walk& walk) {
    double often = 1, workers = 0;  // 0: outside of every specification
    for (const Loop* loop : walk.around<Loop>()) {
      const Variable& v = program_.variables[loop->variable];
      TESSERA_TRY(const i64 lo, numberOf(v.lo));
      TESSERA_TRY(const i64 hi, numberOf(v.hi));
      values_[loop->variable] = lo;
      often *= static_cast<double>(hi <= lo ? 0 : (hi - lo + v.step - 1) / v.step);
    }
    std::vector<const Spec*> around = walk.around<Spec>();
    around.push_back(&spec);
    for (const Spec* one : around) {
      TESSERA_TRY(const double blocks, groupOf(one->blocks));
      TESSERA_TRY(const double threads, groupOf(one->threads));
      const double own = std::max(blocks * threads, 1.0);
      often *= std::max(workers / own, 1.0);
      workers = own;
    }
    return often;
  }

  // Elements of an operand over all threads that execute the specification together; a register tensor is declared per
  // thread.
  Result<double> together(const Spec& spec, const Tensor& t) const {
    TESSERA_TRY(const double own, elementsOf(t));
    if (t.memory != Memory::Register) return own;
    if (t.holds) {
      double tile = 1;
      for (const i64 extent : t.holds->extents) tile *= static_cast<double>(extent);
      return tile;
    }
    TESSERA_TRY(const double threads, groupOf(spec.threads));
    return own * threads;
  }

  Result<void> stated(const Spec& spec, double often, bool conditional) {
    if (spec.kind == SpecKind::Move || spec.kind == SpecKind::Init || spec.kind == SpecKind::Shfl) return {};
    if (spec.outputs.empty() || spec.inputs.empty()) return {};
    TESSERA_TRY(const double out, together(spec, spec.outputs.front()));
    TESSERA_TRY(const double in, together(spec, spec.inputs.front()));
    if (spec.kind == SpecKind::MatMul) {
      if (spec.inputs.size() < 2) return {};
      TESSERA_TRY(const double other, together(spec, spec.inputs[1]));
      TESSERA_TRY(const NumberFormat type, numberFormat(spec.inputs.front().element));
      // m k, k n and m n elements: the product of all three is (m n k)^2.
      const double operations = often * 2 * std::sqrt(in * other * out);
      (onMatrixUnits(type) ? work_.products : work_.others) += operations;
      if (onMatrixUnits(type)) work_.products16 = spec.inputs.front().element;
    } else {
      work_.others += often * (spec.kind == SpecKind::Reduction ? in : out);
    }
    work_.conditional = work_.conditional || conditional;
    return {};
  }

  const Program& program_;
  const std::map<std::string, i64>& sizes_;
  std::vector<i64> values_;
  Work work_;
};

}  // namespace

Result<Work> workOf(const Program& program, const std::map<std::string, i64>& sizes) {
  return Counter(program, sizes).count();
}

Roofline rooflineOf(const Work& work, const DeviceInfo& device) {
  Roofline out;
  // Twice the clock: memory transfers data on both edges, GDDR and HBM alike.
  const double bytesPerSecond = 2e3 * device.memoryClockKilohertz * device.busBits / 8;
  if (bytesPerSecond > 0) out.memoryMicroseconds = 1e6 * (work.bytesRead + work.bytesWritten) / bytesPerSecond;
  const auto peak = peakOf(device);
  out.peak = peak ? peak->source : peak.error().message;
  const double clocks = 1e3 * device.clockKilohertz * device.multiprocessors;
  if (!peak || clocks <= 0) return out;
  const double matrix = peak->matrixOf(work.products16, work.halfSums);
  // Both kinds of units work concurrently.
  out.computeMicroseconds = 1e6 * std::max(work.products / matrix, work.others / peak->ordinary) / clocks;
  return out;
}

std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers, i64 sharedBytes) {
  const auto m = codegen::multiprocessorOf(architecture);
  if (!m || threads < 1) return std::nullopt;
  const int asked = static_cast<int>(std::clamp<i64>(registers, 0, std::numeric_limits<int>::max()));
  const int blocks = codegen::blocksThatFit(*m, threads, asked, sharedBytes);
  return Occupancy{blocks, blocks * ((threads + 31) / 32), m->threads / 32};
}

}  // namespace tessera::measure
