// Texts generated from the grammar. One module in many spellings has one meaning. Instructions with random attributes,
// drawn from the grammar and with numbers at the limits of their ranges, are reported or refused.
#include <catch2/catch.hpp>
#include <random>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/ops/op_maps.h"
#include "hlo/outline.h"
#include "hlo/random_module.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

class Dice {
 public:
  explicit Dice(u64 seed) : rng_(seed) {}
  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  bool one(i64 of) { return draw(of) == 0; }
  template <class T>
  const T& any(const std::vector<T>& v) {
    return v[static_cast<std::size_t>(draw(static_cast<i64>(v.size())))];
  }

 private:
  std::mt19937_64 rng_;
};

// The module once more: other blanks and comments, operands with shapes or without, attributes in another order, shapes
// left out where they follow, instructions of one use written where they are used.
class Respelled {
 public:
  Respelled(const hlo::Module& module, u64 seed) : m_(module), dice_(seed) {}

  std::string text() {
    std::string out = "HloModule m\n";
    for (const hlo::Computation& c : m_.computations) {
      out += c.entry ? "ENTRY " : "";
      out += (dice_.one(2) ? "%" : "") + std::string(c.name) + gap() + "{\n";
      const std::vector<bool> inlined = inlinedIn(c);
      for (std::size_t k = 0; k < c.instructions.size(); ++k)
        if (!inlined[k]) out += "  " + line(c, c.instructions[k], inlined) + (dice_.one(9) ? "  " : "\n");
      out += "}\n";
    }
    return out;
  }

 private:
  const hlo::Module& m_;
  Dice dice_;

  std::string gap() {
    return dice_.any(std::vector<std::string>{" ", " ", " ", "\n   ", " /* a, b) */ ", " // c {\n "});
  }
  std::string maybe() { return dice_.one(4) ? gap() : ""; }

  // Those with one use and no attributes, some of them.
  std::vector<bool> inlinedIn(const hlo::Computation& c) {
    std::vector<int> uses(c.instructions.size());
    for (const hlo::Instruction& i : c.instructions)
      for (const int o : i.operands) ++uses[static_cast<std::size_t>(o)];
    std::vector<bool> inlined(uses.size());
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const hlo::Instruction& i = c.instructions[k];
      inlined[k] = uses[k] == 1 && i.attributes.empty() && i.opcode != "parameter" && static_cast<int>(k) != c.root &&
                   dice_.one(2);
    }
    return inlined;
  }

  bool follows(const hlo::Computation& c, const hlo::Instruction& i) {
    if (i.opcode == "parameter" || i.opcode == "constant" || i.opcode == "iota") return false;
    std::vector<const xla::Shape*> in;
    for (const int o : i.operands) in.push_back(&m_.shapeOf(c.instructions[static_cast<std::size_t>(o)]));
    const auto shape = hlo::resultShape(i, in, nullptr);
    return shape && *shape == m_.shapeOf(i);
  }

  std::string line(const hlo::Computation& c, const hlo::Instruction& i, const std::vector<bool>& inlined) {
    std::string out = i.root ? "ROOT" + gap() : "";
    out += (dice_.one(2) ? "%" : "") + std::string(i.name) + gap() + "=" + gap() + right(c, i, inlined);
    std::vector<hlo::Attribute> attributes = i.attributes;
    for (std::size_t k = attributes.size(); k > 1; --k)
      std::swap(attributes[k - 1], attributes[static_cast<std::size_t>(dice_.draw(static_cast<i64>(k)))]);
    if (dice_.one(3)) attributes.insert(attributes.begin(), {"metadata", "{op_name=\"a, b={(\" source_line=3}"});
    for (const hlo::Attribute& a : attributes)
      out += maybe() + "," + gap() + std::string(a.name) + "=" + maybe() + std::string(a.value);
    return out;
  }
  std::string right(const hlo::Computation& c, const hlo::Instruction& i, const std::vector<bool>& inlined) {
    std::string out = dice_.one(2) && follows(c, i) ? "" : xla::print(m_.shapeOf(i)) + gap();
    out += std::string(i.opcode) + maybe() + "(" + std::string(i.literal);
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const auto o = static_cast<std::size_t>(i.operands[k]);
      const hlo::Instruction& operand = c.instructions[o];
      out += (k > 0 ? "," : "") + maybe();
      if (inlined[o])
        out += right(c, operand, inlined);
      else
        out += (dice_.one(2) ? xla::print(m_.shapeOf(operand)) + " " : "") + (dice_.one(2) ? "%" : "") +
               std::string(operand.name);
    }
    return out + maybe() + ")";
  }
};

// An instruction of any opcode with attributes of the right form and numbers of any size.
class RandomInstruction {
 public:
  explicit RandomInstruction(u64 seed) : dice_(seed) {}

  std::string text() {
    std::string parameters, names;
    // Mostly one or two operands, and often one shape for all, so that more operations fit.
    const i64 count = dice_.one(2) ? 1 + dice_.draw(2) : dice_.draw(5);
    const std::string common = dice_.one(2) ? shape() : "";
    const auto any = [&] { return common.empty() ? shape() : common; };
    for (i64 k = 0; k < count; ++k) {
      parameters += " p" + std::to_string(k) + " = " + any() + " parameter(" + std::to_string(k) + ")\n";
      names += (k > 0 ? ", p" : "p") + std::to_string(k);
    }
    const std::vector<std::string> opcodes = {"add",
                                              "select",
                                              "clamp",
                                              "compare",
                                              "broadcast",
                                              "transpose",
                                              "reverse",
                                              "reshape",
                                              "bitcast",
                                              "bitcast-convert",
                                              "tuple",
                                              "get-tuple-element",
                                              "slice",
                                              "concatenate",
                                              "pad",
                                              "dynamic-slice",
                                              "dynamic-update-slice",
                                              "gather",
                                              "scatter",
                                              "select-and-scatter",
                                              "all-gather",
                                              "all-reduce",
                                              "reduce-scatter",
                                              "all-to-all",
                                              "collective-permute",
                                              "reduce",
                                              "reduce-window",
                                              "dot",
                                              "scaled-dot",
                                              "convolution",
                                              "scan",
                                              "sort",
                                              "topk",
                                              "fft",
                                              "cholesky",
                                              "triangular-solve",
                                              "rng",
                                              "rng-bit-generator",
                                              "batch-norm-inference",
                                              "batch-norm-training",
                                              "batch-norm-grad",
                                              "copy-start",
                                              "opt-barrier",
                                              "all-gather-start",
                                              "fusion",
                                              "call",
                                              "while",
                                              "set-dimension-size"};
    std::string attributes;
    for (i64 k = dice_.draw(6); k > 0; --k) attributes += ", " + attribute();
    const std::string result = dice_.one(3) ? "" : (dice_.one(5) ? "(" + shape() + ", " + shape() + ")" : any()) + " ";
    return "HloModule m\nf {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n}\nENTRY e "
           "{\n" +
           parameters + " ROOT r = " + result + dice_.any(opcodes) + "(" + names + ")" + attributes + "\n}\n";
  }

 private:
  Dice dice_;

  std::string number() {
    if (!dice_.one(12)) return std::to_string(dice_.draw(4));
    return dice_.any(std::vector<std::string>{"-1", "-9223372036854775808", "9223372036854775807",
                                              "4611686018427387904", "2147483648", "1000000007", "64",
                                              "100000000000000000000"});
  }
  std::string shape() {
    std::string sizes;
    for (i64 k = dice_.draw(4); k > 0; --k) {
      const std::string n = dice_.one(30) ? "1000000007" : std::to_string(dice_.draw(5));
      sizes += (sizes.empty() ? "" : ",") + n;
    }
    return dice_.any(std::vector<std::string>{"f32", "f32", "f32", "s32", "c64", "pred", "u8"}) + "[" + sizes + "]";
  }
  std::string list() {
    std::string out;
    for (i64 k = dice_.draw(4); k > 0; --k) out += (out.empty() ? "" : ",") + number();
    return "{" + out + "}";
  }
  std::string byX(const std::string& between) {
    std::string out;
    for (i64 k = 1 + dice_.draw(3); k > 0; --k)
      out += (out.empty() ? "" : "x") + number() + (between.empty() ? "" : between + number());
    return out;
  }
  std::string attribute() {
    const std::vector<std::string> lists = {"dimensions",
                                            "dynamic_slice_sizes",
                                            "slice_sizes",
                                            "offset_dims",
                                            "collapsed_slice_dims",
                                            "start_index_map",
                                            "operand_batching_dims",
                                            "start_indices_batching_dims",
                                            "update_window_dims",
                                            "inserted_window_dims",
                                            "scatter_dims_to_operand_dims",
                                            "lhs_batch_dims",
                                            "rhs_batch_dims",
                                            "lhs_contracting_dims",
                                            "rhs_contracting_dims",
                                            "fft_length"};
    const std::vector<std::string> numbers = {
        "index", "index_vector_dim", "feature_group_count", "batch_group_count", "num_carries", "feature_index", "k"};
    switch (dice_.draw(8)) {
      case 0:
        return "window={size=" + byX("") + (dice_.one(2) ? " stride=" + byX("") : "") +
               (dice_.one(2) ? " pad=" + byX("_") : "") + (dice_.one(3) ? " lhs_dilate=" + byX("") : "") +
               (dice_.one(3) ? " rhs_dilate=" + byX("") : "") + "}";
      case 1:
        return "padding=" + byX("_");
      case 2:
        return "slice={[" + number() + ":" + number() + (dice_.one(2) ? ":" + number() : "") + "]}";
      case 3:
        return dice_.any(std::vector<std::string>{"to_apply=f", "calls=f", "dim_labels=b01f_01io->b01f",
                                                  "dim_labels=b0f_0io->b0f", "fft_type=RFFT", "fft_type=IRFFT",
                                                  "left_side=true", "is_reverse=true", "replica_groups={{0,1}}",
                                                  "replica_groups=[2,3]<=[6]"});
      case 4:
        return dice_.any(numbers) + "=" + number();
      default:
        return dice_.any(lists) + "=" + list();
    }
  }
};

}  // namespace

TEST_CASE("a module means the same in every spelling") {
  const i64 count = test::volume(600, 100'000);
  int nested = 0;
  for (i64 seed = 1; seed <= count; ++seed) {
    const std::string plain =
        RandomComputation(static_cast<u64>(seed) + 40'000).text(1 + static_cast<int>(seed % 5), seed % 3 == 0);
    const hlo::Module m = hlo::readModule(plain);
    const std::string other = Respelled(m, static_cast<u64>(seed)).text();
    INFO(other << "\n\n" << plain);
    const hlo::Module again = hlo::readModule(other);
    for (const hlo::Problem& p : again.problems) FAIL(hlo::textOf(p));
    REQUIRE(outline(again) == outline(m));
    nested += again.made != nullptr ? 1 : 0;
  }
  CHECK(nested > count / 20);
}

TEST_CASE("instructions with attributes drawn at random are told or refused") {
  const i64 count = test::volume(4000, 1'000'000);
  int told = 0, refused = 0, late = 0;
  for (i64 seed = 1; seed <= count; ++seed) {
    const std::string text = RandomInstruction(static_cast<u64>(seed)).text();
    INFO(text);
    const WorkBudget limit({.steps = 300'000});
    try {
      const hlo::Module m = hlo::readModule(text);
      for (const hlo::Problem& p : m.problems) REQUIRE(!p.diag.expected.empty());
      const hlo::Computation& e = m.computations.at(static_cast<std::size_t>(m.entry));
      if (e.root < 0) {
        ++refused;
        continue;
      }
      const hlo::Instruction& root = e.instructions.at(static_cast<std::size_t>(e.root));
      const xla::Shape& shape = m.shapeOf(root);
      const int outputs = shape.kind() == xla::Shape::Kind::Tuple ? static_cast<int>(shape.elements().size()) : 1;
      for (int o = 0; o < outputs; ++o) {
        const auto reads = hlo::readsThrough(m, {m.entry, e.root}, o);
        ++(reads ? told : refused);
        if (!reads) REQUIRE(!reads.error().message.empty());
      }
      for (std::size_t k = 0; k < root.operands.size(); ++k)
        (void)hlo::usesThrough(m, {m.entry, e.root}, static_cast<int>(k));
      if (seed % 8 == 0) (void)hlo::rankingOf(m);
    } catch (const OutOfBudget&) {
      ++late;
    }
  }
  CHECK(told > count / 20);
  CHECK(refused > count / 4);
  CHECK(late < count / 100);
}
