// An instruction of a kernel: what matchAtom says it is, written as C++ or as a call of the prelude.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

bool isRegister(const Place& p) { return p.root->tensor.memory == Memory::Register; }

// The type of a move of so many bytes; empty: it takes several.
std::string_view vectorType(i64 bytes) {
  switch (bytes) {
    case 2:
      return "unsigned short";
    case 4:
      return "unsigned";
    case 8:
      return "uint2";
    case 16:
      return "uint4";
    default:
      return "";
  }
}

}  // namespace

Result<void> KernelWriter::leaf(const Spec& spec, Span) {
  if (spec.kind == SpecKind::Allocate) return {};
  TESSERA_TRY(const Atom atom, matchAtom(spec, options_.architecture));
  if (atom.box) return bulk(atom, spec);
  std::vector<Place> places;
  for (const auto* tensors : {&spec.outputs, &spec.inputs})
    for (const Tensor& t : *tensors) {
      TESSERA_TRY(Place p, place(t));
      header(p.root->type);
      places.push_back(std::move(p));
    }
  places[0].root->written = true;
  if (atom.deferred) return product(atom, spec, places);
  TESSERA_TRY(const bool called, call(atom, spec, places));
  if (called) return {};
  if (spec.kind == SpecKind::Shfl) return shuffle(spec, places);
  if (atom.function == AtomFunction::Copy) return copy(atom, places);
  if (atom.function == AtomFunction::Constant) {
    constant(atom, places[0], places[0].slots.size());
    return {};
  }
  return compute(atom, places);
}

// ---- calls of the prelude

Result<bool> KernelWriter::call(const Atom& atom, const Spec& spec, const std::vector<Place>& places) {
  TESSERA_TRY(const std::string text, deviceFunction(atom, spec));
  if (text.empty()) return false;
  const std::string function = functionName(atom.name);
  head_.functions.try_emplace(function, text);
  if (text.find("shared_address(") != std::string::npos) fixed("shared_address");
  callWith(function, places, atom.slots, atom.function == AtomFunction::MultiplyAdd);
  return true;
}

// Registers that do not lie in the order of the instruction go through a copy that does; the compiler makes nothing of
// it.
void KernelWriter::callWith(const std::string& function, const std::vector<Place>& places,
                            const std::vector<int>& slots, bool readsOutput) {
  std::string arguments;
  std::vector<std::string> after;
  bool scope = false;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place& p = places[k];
    std::string argument;
    if (!isRegister(p) || p.dense || slots[k] == 1) {
      argument = pointer(p, 0);
    } else {
      if (!scope) out_.open("{");
      scope = true;
      argument = k == 0 ? "out" : fmt::format("in{}", k);
      std::string values;
      for (int s = 0; s < slots[k]; ++s) {
        const std::string text = value(p, static_cast<std::size_t>(s));
        values += (s == 0 ? "" : ", ") + text;
        if (k == 0) after.push_back(fmt::format("{} = {}[{}];", text, argument, s));
      }
      const bool given = k != 0 || readsOutput;
      out_.line(fmt::format("__align__(16) {} {}[{}]{};", p.root->type.text, argument, slots[k],
                            given ? " = {" + values + "}" : ""));
    }
    arguments += (k == 0 ? "" : ", ") + argument;
  }
  for (const Place& p : places) (void)out_.use(p.root->name);
  out_.line(fmt::format("tessera::{}({});", function, arguments));
  for (const std::string& line : after) {
    (void)out_.use(places[0].root->name);
    out_.line(line);
  }
  if (scope) out_.close();
}

Result<void> KernelWriter::shuffle(const Spec& spec, const std::vector<Place>& places) {
  const std::string& how = spec.attribute;
  const std::size_t digit = std::min(how.find_first_of("0123456789"), how.size());
  const std::string_view function = how.starts_with("bfly")   ? "__shfl_xor_sync"
                                    : how.starts_with("up")   ? "__shfl_up_sync"
                                    : how.starts_with("down") ? "__shfl_down_sync"
                                                              : "__shfl_sync";
  const bool two = places[0].slots.size() == 2;
  const std::string to = two ? pairOf(places[0], 0, true) : value(places[0], 0);
  const std::string from = two ? pairOf(places[1], 0, false) : value(places[1], 0);
  out_.line(fmt::format("{} = {}(0xffffffffu, {}, {});", to, function, from, how.substr(digit)));
  return {};
}

// ---- moves

// Two neighbours of 16 bits as one register.
std::string KernelWriter::pairOf(const Place& p, std::size_t slot, bool write) {
  return fmt::format("*reinterpret_cast<{}{}*>({})", write ? "" : "const ", p.root->type.pair, pointer(p, slot));
}

// Slots 0 to count - 1 by a loop: where all of them lie side by side and are more than a few. {} of `format`: the
// places.
bool KernelWriter::counted(const std::vector<const Place*>& places, std::size_t count, const std::string& format) {
  if (count <= 4 || !std::all_of(places.begin(), places.end(), [](const Place* p) { return p->dense; })) return false;
  const Writer::Name index = out_.name("i", out_.depth());
  const std::string word = out_.use(index);
  std::vector<std::string> texts;
  for (const Place* p : places) {
    const Expr base = address(*p, 0);
    const std::string first = base.isConstant(0) ? word : fmt::format("{} + {}", text(base), word);
    if (isRegister(*p))
      for (const int v : paramsOf(base)) out_.keep(v);
    texts.push_back(fmt::format("{}[{}]", out_.use(p->root->name), first));
  }
  const std::vector<Writer::Name> uses = out_.takeUses();
  out_.line("#pragma unroll");
  out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, count, word));
  for (const Writer::Name n : uses) (void)out_.use(n);
  out_.line(filled(format, texts));
  out_.close();
  out_.release(index);
  return true;
}

Result<void> KernelWriter::copy(const Atom&, const std::vector<Place>& places) {
  const Place &to = places[0], &from = places[1];
  const std::size_t count = to.slots.size();
  if (to.root->type.element != from.root->type.element) return convert(places, count);
  if (count == 1 || (isRegister(to) && isRegister(from))) {
    if (counted({&to, &from}, count, "{} = {};")) return {};
    for (std::size_t s = 0; s < count; ++s) {
      const std::string target = value(to, s);
      out_.line(fmt::format("{} = {};", target, value(from, s)));
    }
    return {};
  }
  vectorMove(to, from, count);
  return {};
}

// One instruction moves all of them. A side that is registers of which the vector's alignment is not known goes through
// a copy.
void KernelWriter::vectorMove(const Place& to, const Place& from, std::size_t count) {
  const i64 bytes = static_cast<i64>(count) * to.root->type.bits / 8, step = std::min<i64>(bytes, 16);
  const std::string_view type = vectorType(step);
  const auto n = static_cast<i64>(count);
  const auto direct = [&](const Place& p) {
    return !isRegister(p) || (p.dense && aligned(p, std::min<i64>(n, 128 / p.root->type.bits)));
  };
  const bool plainTo = direct(to), plainFrom = direct(from);
  if (!plainTo || !plainFrom) out_.open("{");
  const auto array = [&](const Place& p, bool given) {
    std::string values;
    for (std::size_t s = 0; given && s < count; ++s) values += (s == 0 ? "" : ", ") + value(p, s);
    out_.line(fmt::format("__align__(16) {} v[{}]{};", p.root->type.text, count, given ? " = {" + values + "}" : ""));
  };
  if (!plainTo) array(to, false);
  if (!plainFrom) array(from, true);
  for (i64 at = 0; at < bytes; at += step) {
    const auto slot = static_cast<std::size_t>(at * 8 / to.root->type.bits);
    const std::string v = slot == 0 ? "v" : fmt::format("&v[{}]", slot);
    const std::string target = plainTo ? pointer(to, slot) : v, source = plainFrom ? pointer(from, slot) : v;
    out_.line(
        fmt::format("*reinterpret_cast<{}*>({}) = *reinterpret_cast<const {}*>({});", type, target, type, source));
  }
  if (!plainTo)
    for (std::size_t s = 0; s < count; ++s) out_.line(fmt::format("{} = v[{}];", value(to, s), s));
  if (!plainTo || !plainFrom) out_.close();
}

Result<void> KernelWriter::convert(const std::vector<Place>& places, std::size_t count) {
  const Place &to = places[0], &from = places[1];
  const ScalarType &target = to.root->type, &source = from.root->type;
  const std::string text = conversionText(source, target);
  if (text.empty())
    return Diag{fmt::format("a conversion from {} to {} is not generated", source.element, target.element),
                "fp32 fp16 bf16 fp64 and integers",
                "by way of fp32",
                {}};
  if (text.starts_with("tessera::to_")) fixed(text.substr(9, text.find('(') - 9));
  if (count == 2 && source.element == "f32" && !target.pair.empty() && to.dense && aligned(to, 2)) {
    const std::string a = value(from, 0), b = value(from, 1);
    out_.line(fmt::format("{} = {}({}, {});", pairOf(to, 0, true),
                          target.element == "f16" ? "__floats2half2_rn" : "__floats2bfloat162_rn", a, b));
    return {};
  }
  for (std::size_t s = 0; s < count; ++s) {
    const std::string left = value(to, s);
    out_.line(fmt::format("{} = {};", left, filled(text, {value(from, s)})));
  }
  return {};
}

// ---- arithmetic

void KernelWriter::constant(const Atom& atom, const Place& to, std::size_t count) {
  const std::string number = constantText(atom.operation, to.root->type);
  if (number.find("infinity") != std::string::npos) fixed("infinity");
  if (number.find("to_tf32") != std::string::npos) fixed("to_tf32");
  if (counted({&to}, count, "{} = " + number + ";")) return;
  for (std::size_t s = 0; s < count; ++s) out_.line(fmt::format("{} = {};", value(to, s), number));
}

Result<void> KernelWriter::compute(const Atom& atom, const std::vector<Place>& places) {
  const ScalarType& type = places[0].root->type;
  const std::size_t count = places[0].slots.size();
  const auto format = [&](bool pair) {
    if (atom.function == AtomFunction::MultiplyAdd) return multiplyAddText(type, pair);
    return operationText(atom.operation, type, pair);
  };
  const bool pair = count == 2 && !type.pair.empty() && !format(true).empty();
  const std::string text = format(pair);
  if (text.empty())
    return Diag{fmt::format("{} of {} is not generated", atom.operation, type.element), "fp32, or fp16", "", {}};
  if (text.find("sigmoid") != std::string::npos) fixed(type.element == "f64" ? "sigmoid_double" : "sigmoid");
  if (text.find("tessera::exp2") != std::string::npos) fixed("exp2");
  for (std::size_t s = 0; s < count; s += pair ? 2 : 1) {
    const auto operand = [&](const Place& p, bool write) { return pair ? pairOf(p, s, write) : value(p, s); };
    const std::string target = operand(places[0], true);
    std::vector<std::string> inputs;
    for (std::size_t k = 1; k < places.size(); ++k) inputs.push_back(operand(places[k], false));
    if (atom.function == AtomFunction::MultiplyAdd) inputs.push_back(operand(places[0], false));
    out_.line(fmt::format("{} = {};", target, filled(text, inputs)));
  }
  return {};
}

}  // namespace tessera::codegen
