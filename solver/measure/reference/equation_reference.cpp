#include "solver/measure/reference/equation_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/graphene/walk.h"
#include "solver/emulate/meaning_value.h"

namespace tessera::measure {
namespace {

using namespace graphene;
using graphene::Program;  // not the compiled expression

// Rounds every operation to fp32.
class Singles : public Numbers {
 public:
  [[nodiscard]] static double constant(double value) { return static_cast<double>(static_cast<float>(value)); }
  [[nodiscard]] static double unary(int operation, double a) { return constant(Numbers::unary(operation, a)); }
  [[nodiscard]] static double binary(int operation, double a, double b) {
    return constant(Numbers::binary(operation, a, b));
  }
};

template <class Domain>
Result<std::vector<double>> elementsOf(const Program& program, const Spec& spec, const ReferenceOptions& options,
                                       const Inputs& in, const std::string& output, const std::vector<i64>& elements) {
  const auto wanted =
      std::find_if(spec.outputs.begin(), spec.outputs.end(), [&](const Tensor& t) { return t.name == output; });
  if (wanted == spec.outputs.end()) return Diag{fmt::format("%{} is no output", output)};
  std::vector<int> operands;  // indices into the inputs of the run
  for (const auto* tensors : {&spec.outputs, &spec.inputs})
    for (const Tensor& t : *tensors) operands.push_back(in.find(t.name));
  const MeaningIndices::Params params = [&](int index) -> std::optional<i64> {
    const Variable& v = program.variables[static_cast<std::size_t>(index)];
    const auto size = options.sizes.find(v.name);
    if (v.kind != Variable::Kind::Size || size == options.sizes.end()) return std::nullopt;
    return size->second;
  };
  Domain numbers;
  std::vector<int> ports;
  MeaningValue<Domain> values(spec, numbers, params, [&](int port, i64 element) {
    return in.at(operands[static_cast<std::size_t>(ports[static_cast<std::size_t>(port)])], element);
  });
  for (const MeaningPort& port : values.ports()) ports.push_back(port.operand);
  std::vector<double> out;
  try {
    const WorkBudget limit({.cancel = options.cancel});
    for (const i64 e : elements) {
      if (!values.fault().empty()) return Diag{values.fault()};
      out.push_back(values.value(static_cast<int>(wanted - spec.outputs.begin()), e));
    }
  } catch (const OutOfBudget& end) {
    return Diag{end.what()};
  }
  if (!values.fault().empty()) return Diag{values.fault()};
  return out;
}

}  // namespace

std::optional<Reference> equationReference(std::shared_ptr<const Program> program, const ReferenceOptions& options) {
  const Spec* const spec = onlySpec(*program);
  if (spec == nullptr || !spec->meaning) return std::nullopt;
  for (const auto* tensors : {&spec->outputs, &spec->inputs})
    if (!std::all_of(tensors->begin(), tensors->end(), [&](const Tensor& t) { return isWhole(*program, t); }))
      return std::nullopt;
  return Reference(
      [program, spec, options](const Inputs& in, const std::string& output, const std::vector<i64>& elements) {
        return options.single ? elementsOf<Singles>(*program, *spec, options, in, output, elements)
                              : elementsOf<Numbers>(*program, *spec, options, in, output, elements);
      });
}

}  // namespace tessera::measure
