#include "core/codegen/kernel/leaf.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::codegen {

using namespace graphene;

namespace {

// The type for a move of so many bytes.
std::string_view vectorType(i64 bytes) {
  return bytes == 2 ? "unsigned short" : bytes == 4 ? "unsigned" : bytes == 8 ? "uint2" : bytes == 16 ? "uint4" : "";
}

class Leaf {
 public:
  Leaf(const Spec& spec, const Atom& atom, std::vector<Place> places, Addresses& addresses, Writer& out)
      : spec_(spec), atom_(atom), places_(std::move(places)), addresses_(addresses), out_(out) {}

  Result<void> write() {
    TESSERA_TRY(const bool called, call());
    if (called) return {};
    if (spec_.kind == SpecKind::Shfl) {
      shuffle();
      return {};
    }
    if (atom_.function == AtomFunction::Copy) return copy();
    if (atom_.function != AtomFunction::Constant) return compute();
    constant();
    return {};
  }

 private:
  Result<bool> call() {
    TESSERA_TRY(const std::string text, deviceFunction(atom_, spec_));
    if (text.empty()) return false;
    const std::string function = functionName(atom_.name);
    out_.calls(function, text);
    if (text.find("shared_address(") != std::string::npos) out_.calls("shared_address");
    callWith(function);
    return true;
  }

  // Registers in another order than the instruction's go through a copy, which the compiler removes.
  void callWith(const std::string& function) {
    const std::vector<int>& slots = atom_.slots;
    std::string arguments;
    std::vector<std::string> after;
    bool scope = false;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Place& p = places_[k];
      std::string argument;
      if (!p.isRegister() || p.dense || slots[k] == 1) {
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
        const bool given = k != 0 || atom_.function == AtomFunction::MultiplyAdd;
        out_.line(fmt::format("__align__(16) {} {}[{}]{};", p.root->type.text, argument, slots[k],
                              given ? " = {" + values + "}" : ""));
      }
      arguments += (k == 0 ? "" : ", ") + argument;
    }
    for (const Place& p : places_) (void)out_.use(p.root->name);
    out_.line(fmt::format("tessera::{}({});", function, arguments));
    for (const std::string& line : after) {
      (void)out_.use(places_[0].root->name);
      out_.line(line);
    }
    if (scope) out_.close();
  }

  void shuffle() {
    const std::string& how = spec_.attribute;
    const std::size_t digit = std::min(how.find_first_of("0123456789"), how.size());
    const std::string_view function = how.starts_with("bfly")   ? "__shfl_xor_sync"
                                      : how.starts_with("up")   ? "__shfl_up_sync"
                                      : how.starts_with("down") ? "__shfl_down_sync"
                                                                : "__shfl_sync";
    const bool two = count_ == 2;
    const std::string to = two ? pairOf(places_[0], 0, true) : value(places_[0], 0);
    const std::string from = two ? pairOf(places_[1], 0, false) : value(places_[1], 0);
    out_.line(fmt::format("{} = {}(0xffffffffu, {}, {});", to, function, from, how.substr(digit)));
  }

  // Two adjacent 16-bit values as one register.
  std::string pairOf(const Place& p, std::size_t slot, bool write) {
    return fmt::format("*reinterpret_cast<{}{}*>({})", write ? "" : "const ", p.root->type.pair, pointer(p, slot));
  }

  // Slots 0 to count - 1 in a loop, if they are contiguous and more than a few. {} of `format`: the places.
  bool counted(const std::vector<const Place*>& places, const std::string& format) {
    if (count_ <= 4 || !std::ranges::all_of(places, [](const Place* p) { return p->dense; })) return false;
    const Writer::Name index = out_.name("i", out_.depth());
    const std::string word = out_.use(index);
    std::vector<std::string> texts;
    for (const Place* p : places) texts.push_back(addresses_.counted(*p, word));
    const std::vector<Writer::Name> uses = out_.takeUses();
    out_.line("#pragma unroll");
    out_.open(fmt::format("for (int {} = 0; {} < {}; ++{}) {{", word, word, count_, word));
    out_.use(uses);
    out_.line(filled(format, texts));
    out_.close();
    out_.release(index);
    return true;
  }

  Result<void> copy() {
    const Place &to = places_[0], &from = places_[1];
    if (to.root->type.element != from.root->type.element) return convert();
    if (count_ == 1 || (to.isRegister() && from.isRegister())) {
      if (counted({&to, &from}, "{} = {};")) return {};
      for (std::size_t s = 0; s < count_; ++s) {
        const std::string target = value(to, s);
        out_.line(fmt::format("{} = {};", target, value(from, s)));
      }
      return {};
    }
    vectorMove();
    return {};
  }

  // One instruction moves all slots. Registers that are not known to be aligned for it go through a copy.
  void vectorMove() {
    const Place &to = places_[0], &from = places_[1];
    const i64 bytes = static_cast<i64>(count_) * to.root->type.bits / 8, step = std::min<i64>(bytes, 16);
    const std::string_view type = vectorType(step);
    const auto n = static_cast<i64>(count_);
    const auto direct = [&](const Place& p) {
      return !p.isRegister() || (p.dense && addresses_.aligned(p, std::min<i64>(n, 128 / p.root->type.bits)));
    };
    const bool plainTo = direct(to), plainFrom = direct(from);
    if (!plainTo || !plainFrom) out_.open("{");
    const auto array = [&](const Place& p, bool given) {
      std::string values;
      for (std::size_t s = 0; given && s < count_; ++s) values += (s == 0 ? "" : ", ") + value(p, s);
      out_.line(
          fmt::format("__align__(16) {} v[{}]{};", p.root->type.text, count_, given ? " = {" + values + "}" : ""));
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
      for (std::size_t s = 0; s < count_; ++s) out_.line(fmt::format("{} = v[{}];", value(to, s), s));
    if (!plainTo || !plainFrom) out_.close();
  }

  Result<void> convert() {
    const Place &to = places_[0], &from = places_[1];
    const ScalarType &target = to.root->type, &source = from.root->type;
    const std::string text = conversionText(source, target);
    if (text.empty())
      return Diag{fmt::format("a conversion from {} to {} is not generated", source.element, target.element),
                  "fp32 fp16 bf16 fp64 and integers", "by way of fp32"};
    if (text.starts_with("tessera::to_")) out_.calls(text.substr(9, text.find('(') - 9));
    if (count_ == 2 && source.element == "f32" && !target.pair.empty() && to.dense && addresses_.aligned(to, 2)) {
      const std::string a = value(from, 0), b = value(from, 1);
      out_.line(fmt::format("{} = {}({}, {});", pairOf(to, 0, true),
                            target.element == "f16" ? "__floats2half2_rn" : "__floats2bfloat162_rn", a, b));
      return {};
    }
    for (std::size_t s = 0; s < count_; ++s) {
      const std::string left = value(to, s);
      out_.line(fmt::format("{} = {};", left, filled(text, {value(from, s)})));
    }
    return {};
  }

  void constant() {
    const Place& to = places_[0];
    const std::string number = constantText(atom_.operation, to.root->type);
    if (number.find("infinity") != std::string::npos) out_.calls("infinity");
    if (number.find("to_tf32") != std::string::npos) out_.calls("to_tf32");
    if (!to.isRegister() && count_ > 1) return vectorConstant(number);
    if (counted({&to}, "{} = " + number + ";")) return;
    for (std::size_t s = 0; s < count_; ++s) out_.line(fmt::format("{} = {};", value(to, s), number));
  }

  // One store of all slots to memory, as the atom says.
  void vectorConstant(const std::string& number) {
    const Place& to = places_[0];
    const std::string_view type = vectorType(static_cast<i64>(count_) * to.root->type.bits / 8);
    std::string values;
    for (std::size_t s = 0; s < count_; ++s) values += (s == 0 ? "" : ", ") + number;
    out_.open("{");
    out_.line(fmt::format("__align__(16) const {} v[{}] = {{{}}};", to.root->type.text, count_, values));
    const std::string target = pointer(to, 0);
    out_.line(fmt::format("*reinterpret_cast<{}*>({}) = *reinterpret_cast<const {}*>(v);", type, target, type));
    out_.close();
  }

  Result<void> compute() {
    const ScalarType& type = places_[0].root->type;
    const auto format = [&](bool pair) {
      if (atom_.function == AtomFunction::MultiplyAdd) return multiplyAddText(type, pair);
      return operationText(atom_.operation, type, pair);
    };
    const bool pair = count_ == 2 && !type.pair.empty() && !format(true).empty();
    const std::string text = format(pair);
    if (text.empty())
      return Diag{fmt::format("{} of {} is not generated", atom_.operation, type.element), "fp32, or fp16"};
    constexpr std::string_view kOwn = "tessera::";  // functions of the prelude
    for (std::size_t at = text.find(kOwn); at != std::string::npos; at = text.find(kOwn, at)) {
      at += kOwn.size();
      const std::string function = text.substr(at, text.find('(', at) - at), wide = function + "_double";
      out_.calls(type.element == "f64" && !fixedFunction(wide).empty() ? wide : function);
    }
    for (std::size_t s = 0; s < count_; s += pair ? 2 : 1) {
      const auto operand = [&](const Place& p, bool write) { return pair ? pairOf(p, s, write) : value(p, s); };
      const std::string target = operand(places_[0], true);
      std::vector<std::string> inputs;
      for (std::size_t k = 1; k < places_.size(); ++k) inputs.push_back(operand(places_[k], false));
      if (atom_.function == AtomFunction::MultiplyAdd) inputs.push_back(operand(places_[0], false));
      out_.line(fmt::format("{} = {};", target, filled(text, inputs)));
    }
    return {};
  }

  std::string value(const Place& p, std::size_t slot) { return addresses_.value(p, slot); }
  std::string pointer(const Place& p, std::size_t slot) { return addresses_.pointer(p, slot); }

  const Spec& spec_;
  const Atom& atom_;
  std::vector<Place> places_;  // outputs, then inputs
  Addresses& addresses_;
  Writer& out_;
  std::size_t count_ = places_[0].slots.size();
};

// The sums arrive later: after the wait, `settled` (prelude.h) keeps the compiler from reading them too early.
Result<void> writeProduct(const Atom& atom, const Spec& spec, const std::vector<Place>& places, Addresses& addresses,
                          Writer& out) {
  TESSERA_TRY(const std::string text, deviceFunction(atom, spec));
  const std::string function = functionName(atom.name);
  out.calls(function, text);
  out.calls("shared_address");
  out.calls("matrix_descriptor");
  const bool registers = matrixOf(atom, 1) == nullptr;
  if (!places[0].dense || (registers && !places[1].dense))
    return Diag{fmt::format("the {} of {} are not in the order that the instruction needs",
                            places[0].dense ? "factors" : "sums", atom.name),
                "contiguous registers"};
  std::string arguments = addresses.pointer(places[0], 0), majors;
  if (registers) arguments += ", " + addresses.pointer(places[1], 0);
  for (const AtomMatrix& m : atom.matrices) {
    Place start = places[static_cast<std::size_t>(m.operand)];
    start.swizzle = {};  // a matrix begins where its swizzle is the identity; the instruction applies the swizzle
    arguments += fmt::format(", tessera::matrix_descriptor<{}, {}, {}>({})", m.descriptor.sm90LayoutType(),
                             m.descriptor.leading, m.descriptor.stride, addresses.pointer(start, 0));
    majors += fmt::format("{}{}", majors.empty() ? "" : ", ", m.major == Major::K ? 0 : 1);
  }
  for (const Place& p : places) (void)out.use(p.root->name);
  out.line(fmt::format("tessera::{}<{}>({});", function, majors, arguments));
  return {};
}

}  // namespace

Result<void> writeLeaf(const Spec& spec, const std::string& architecture, Addresses& addresses, Bulk& bulk,
                       Writer& out) {
  if (spec.kind == SpecKind::Allocate) return {};
  TESSERA_TRY(const Atom atom, matchAtom(spec, architecture));
  if (atom.box) return bulk.copy(atom, spec);
  std::vector<Place> places;
  for (const auto* tensors : {&spec.outputs, &spec.inputs})
    for (const Tensor& t : *tensors) {
      TESSERA_TRY(Place p, addresses.place(t));
      out.includes(p.root->type.header);
      places.push_back(std::move(p));
    }
  places[0].root->written = true;
  if (atom.deferred) return writeProduct(atom, spec, places, addresses, out);
  return Leaf(spec, atom, std::move(places), addresses, out).write();
}

}  // namespace tessera::codegen
