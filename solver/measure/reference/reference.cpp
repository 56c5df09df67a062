#include "solver/measure/reference/reference.h"

#include <cstdlib>
#include <unordered_map>

#include "core/base/mapped.h"
#include "core/graphene/walk.h"
#include "solver/emulate/machine.h"
#include "solver/emulate/meaning_value.h"

namespace tessera::measure {

namespace {

using namespace graphene;
using graphene::Program;  // not the compiled expression

constexpr i64 kMostDecoded = i64{1} << 22;  // elements of one operand of a product

struct ReferenceSpec {
  SpecKind kind = SpecKind::Move;
  std::string operation;
  std::vector<std::string> inputs;
  std::string output;
};

Result<std::vector<double>> products(const Inputs& in, const ReferenceSpec& s, const std::vector<i64>& elements) {
  const int a = in.find(s.inputs[0]), b = in.find(s.inputs[1]), c = in.find(s.output);
  const auto& extents = [&](int o) { return in.operands()[o].extents(); };
  const std::vector<i64> ea = extents(a), eb = extents(b), ec = extents(c);
  if (ea.size() != 2 || eb.size() != 2 || ec.size() != 2 || ea[1] != eb[0] || ea[0] != ec[0] || eb[1] != ec[1])
    return Diag{"the shapes of the product do not match", "[M,K], [K,N] and [M,N]"};
  const i64 n = ec[1], k = ea[1];
  std::vector<double> row, out;
  std::unordered_map<i64, std::vector<double>> columns;  // decoded once, too, while they are few
  const auto columnOf = [&](i64 j) -> const std::vector<double>& {
    if (static_cast<i64>(columns.size() + 1) * k > kMostDecoded) columns.clear();
    std::vector<double>& column = columns[j];
    for (i64 x = 0; x < k && std::ssize(column) < k; ++x) column.push_back(in.at(b, x * n + j));
    return column;
  };
  i64 rowNow = -1;
  for (const i64 e : elements) {
    const i64 i = e / n, j = e % n;
    if (i != rowNow) {  // elements are ascending, so each row is decoded once
      row.assign(static_cast<std::size_t>(k), 0);
      for (i64 x = 0; x < k; ++x) row[x] = in.at(a, i * k + x);
      rowNow = i;
    }
    double sum = in.at(c, e);
    const std::vector<double>& column = columnOf(j);
    for (i64 x = 0; x < k; ++x) sum += row[x] * column[x];
    out.push_back(sum);
  }
  return out;
}

Result<std::vector<double>> elementwise(const Inputs& in, const ReferenceSpec& s, const std::vector<i64>& elements) {
  const auto inputs = mapped<int>(s.inputs, [&](const std::string& name) { return in.find(name); });
  const int operation = s.kind == SpecKind::Move ? 0 : Numbers::operation(s.operation);
  return mapped<double>(elements, [&](i64 e) {
    const double x = in.at(inputs[0], e);
    if (s.kind == SpecKind::Move) return x;
    if (s.kind == SpecKind::UnaryPointwise) return Numbers::unary(operation, x);
    return Numbers::binary(operation, x, in.at(inputs[1], e));
  });
}

// Reduces all input elements that differ from the output element in reduced dimensions only.
Result<std::vector<double>> reductions(const Inputs& in, const ReferenceSpec& s, const std::vector<i64>& elements) {
  const auto comma = s.operation.find(',');
  const std::string name = s.operation.substr(0, comma);
  const int operation = Numbers::operation(name), from = in.find(s.inputs[0]);
  const std::vector<i64> extents = in.operands()[from].extents();
  std::vector<char> reduced(extents.size(), comma == std::string::npos ? 1 : 0);
  for (std::size_t at = comma; at != std::string::npos; at = s.operation.find(',', at + 1)) {
    const auto d = static_cast<std::size_t>(std::atoll(s.operation.c_str() + at + 1));
    if (d >= reduced.size()) return Diag{"the reduction names a dimension that the input does not have"};
    reduced[d] = 1;
  }
  i64 all = 1, kept = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) (reduced[d] != 0 ? all : kept) *= extents[d];
  if (kept != in.operands()[in.find(s.output)].elements) return Diag{"the shapes of the reduction do not match"};
  std::vector<double> out;
  for (const i64 e : elements) {
    double value = name == "+" ? 0.0 : name == "max" ? -HUGE_VAL : HUGE_VAL;
    for (i64 r = 0; r < all; ++r) {
      i64 here = e, within = r, element = 0, step = 1;
      for (std::size_t d = extents.size(); d-- > 0; step *= extents[d]) {
        i64& left = reduced[d] != 0 ? within : here;
        element += left % extents[d] * step;
        left /= extents[d];
      }
      value = Numbers::binary(operation, value, in.at(from, element));
    }
    out.push_back(value);
  }
  return out;
}

// One run of the emulator for all outputs.
struct Emulation {
  std::shared_ptr<const Program> program;
  ReferenceOptions options;
  std::map<std::string, std::vector<double>> outputs;
  std::optional<Result<void>> result;  // none: it has not run

  Result<void> run(const Inputs& in);
};

Result<void> Emulation::run(const Inputs& in) {
  i64 elements = 0;
  for (const Operand& o : in.operands()) elements += o.elements;
  if (elements > kMostEmulated)
    return Diag{fmt::format("the operands have {} elements, and the limit for a reference by the emulator is {}",
                            elements, kMostEmulated),
                "", "smaller sizes show that the kernel is right"};
  TESSERA_TRY(Plan plan, makePlan(*program, {options.sizes, options.architecture}));
  for (Root& root : plan.roots)
    if (root.type.precision > 0) root.type = NumberFormat{64, 53, -1022, 1023};  // no rounding
  Numbers numbers;
  Machine<Numbers> machine(plan, numbers, {.maxSteps = options.maxSteps, .count = false, .cancel = options.cancel});
  putInputs(machine, plan, in);
  machine.run();
  if (!machine.stopped().empty())
    return Diag{fmt::format("the emulator stopped: {}", machine.stopped()), "smaller sizes"};
  eachOperand(plan, in, [&](int root, int index) {
    const Operand& o = in.operands()[index];
    if (!o.output) return;
    std::vector<double>& values = outputs[o.name];
    for (i64 e = 0; e < o.elements; ++e)
      values.push_back(valueAt(machine, root, placeOf(plan, plan.roots[root], o, e)));
  });
  return {};
}

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
  const auto wanted = std::ranges::find(spec.outputs, output, &Tensor::name);
  if (wanted == spec.outputs.end()) return Diag{fmt::format("%{} is not an output", output)};
  const MeaningIndices::Params params = [&](int index) -> std::optional<i64> {
    const Variable& v = program.variables[index];
    const auto size = options.sizes.find(v.name);
    if (v.kind != Variable::Kind::Size || size == options.sizes.end()) return std::nullopt;
    return size->second;
  };
  Domain numbers;
  std::vector<int> ports;  // the operand of each, in the inputs of the run
  MeaningValue<Domain> values(spec, numbers, params,
                              [&](int port, i64 element) { return in.at(ports[port], element); });
  for (const MeaningPort& port : values.ports())
    ports.push_back(in.find(operandOf(spec, static_cast<std::size_t>(port.operand)).name));
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

const Spec* onlySpec(const Program& program) {
  const std::vector<const Spec*> all = outermostOf(program);
  return all.size() == 1 ? all.front() : nullptr;
}

bool isWhole(const Program& program, const Tensor& t) {
  if (t.threads || t.memory != Memory::Global || t.levels.size() != 1) return false;
  const auto operand =
      std::ranges::find_if(program.operands, [&](const Tensor& o) { return !o.threads && o.name == t.name; });
  return operand != program.operands.end() && operand->levels.size() == 1;
}

PlaceOfElement placeOf(const Plan& plan, const Root& root, const Operand& o, i64 copy, i64 address) {
  const bool registers = root.memory == Memory::Register;
  return {registers ? copy / plan.threads : copy, registers ? copy % plan.threads : 0,
          address - copy * (o.places / o.copies)};
}

PlaceOfElement placeOf(const Plan& plan, const Root& root, const Operand& o, i64 element) {
  return placeOf(plan, root, o, o.copyOf(element), o.address(element));
}

std::optional<Reference> statedReference(const Program& program) {
  const Spec* const spec = onlySpec(program);
  if (spec == nullptr || spec->outputs.size() != 1 || spec->inputs.empty()) return std::nullopt;
  const bool product = spec->kind == SpecKind::MatMul;
  const bool reduction = spec->kind == SpecKind::Reduction;
  const bool single = reduction || spec->kind == SpecKind::Move || spec->kind == SpecKind::UnaryPointwise;
  if (!product && !single && spec->kind != SpecKind::BinaryPointwise) return std::nullopt;
  if (spec->inputs.size() != (single ? 1u : 2u) || !isWhole(program, spec->outputs.front())) return std::nullopt;
  ReferenceSpec s{spec->kind, spec->attribute, {}, spec->outputs.front().name};
  for (const Tensor& t : spec->inputs) {
    if (!isWhole(program, t)) return std::nullopt;
    s.inputs.push_back(t.name);
  }
  const std::string name = s.operation.substr(0, s.operation.find(','));
  if (reduction && name != "+" && name != "max" && name != "min") return std::nullopt;
  if (!product && spec->kind != SpecKind::Move && Numbers::operation(name) < 0) return std::nullopt;
  return Reference([s, product, reduction](const Inputs& in, const std::string&, const std::vector<i64>& elements) {
    if (reduction) return reductions(in, s, elements);
    return product ? products(in, s, elements) : elementwise(in, s, elements);
  });
}

Reference emulatedReference(std::shared_ptr<const Program> program, const ReferenceOptions& options) {
  auto state = std::make_shared<Emulation>(Emulation{std::move(program), options, {}, {}});
  return [state](const Inputs& in, const std::string& output,
                 const std::vector<i64>& elements) -> Result<std::vector<double>> {
    if (!state->result) state->result = state->run(in);
    if (!*state->result) return state->result->error();
    const auto found = state->outputs.find(output);
    if (found == state->outputs.end()) return Diag{fmt::format("%{} is not an output", output)};
    return mapped<double>(elements, [&](i64 e) { return found->second[e]; });
  };
}

Reference referenceOf(const std::shared_ptr<const Program>& program, const ReferenceOptions& options) {
  if (auto stated = statedReference(*program)) return *std::move(stated);
  if (auto meant = equationReference(program, options)) return *std::move(meant);
  return emulatedReference(program, options);
}

std::optional<Reference> equationReference(std::shared_ptr<const Program> program, const ReferenceOptions& options) {
  const Spec* const spec = onlySpec(*program);
  if (spec == nullptr || !spec->meaning) return std::nullopt;
  for (const auto* tensors : {&spec->outputs, &spec->inputs})
    if (!std::ranges::all_of(*tensors, [&](const Tensor& t) { return isWhole(*program, t); })) return std::nullopt;
  return Reference(
      [program, spec, options](const Inputs& in, const std::string& output, const std::vector<i64>& elements) {
        return options.single ? elementsOf<Singles>(*program, *spec, options, in, output, elements)
                              : elementsOf<Numbers>(*program, *spec, options, in, output, elements);
      });
}

}  // namespace tessera::measure
