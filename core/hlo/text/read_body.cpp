// The instructions of one computation: names, operands, inline bodies, shapes that the text leaves out; and what was
// lost, directly or because of another loss.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/hlo/ops/op_maps.h"
#include "core/hlo/text/reader.h"

namespace tessera::hlo {
namespace {

constexpr int kMostNested = 64;  // nested bodies or operands; XLA prints only a few levels

// An operand's text before its name is resolved.
struct NamedOperand {
  int instruction = 0;  // the user
  std::size_t slot = 0;
  std::string_view name;
};

// An instruction that is being read, and its operands by name.
struct Draft : Instruction {
  std::vector<NamedOperand> named;
};

// Opcodes whose brackets hold a literal instead of operands.
bool hasLiteral(std::string_view opcode) {
  return opcode == "constant" || opcode == "parameter" || opcode == "iota" || opcode == "partition-id" ||
         opcode == "replica-id";
}

class Body {
 public:
  Body(ModuleReader& reader, Computation& c) : reader_(reader), module_(reader.module), in_(reader.in), c_(c) {}

  void read(bool loose) {
    for (;;) {
      in_.blanks();
      const std::size_t begin = in_.at();
      if (!loose && in_.accept('}')) break;
      const bool instruction = !in_.done() && reader_.loneInstruction();
      if (loose && !instruction) break;
      if (in_.done() || (!instruction && reader_.headFollows())) {
        problem("", {fmt::format("the computation {} does not end", c_.name),
                     "`}` after its last instruction",
                     in_.done() ? "the text may have been cut off here" : "",
                     {begin == 0 ? 0 : begin - 1, begin}});
        break;
      }
      readInstruction(begin);
    }
    resolve();
    // Attributes after the brace, such as execution_thread="main".
    std::vector<Attribute> attributes;
    if (!loose && in_.peek() == ',') (void)reader_.readAttributes(attributes);
  }

 private:
  void problem(std::string_view instruction, Diag diag) { reader_.problem(std::move(diag), c_.name, instruction); }

  void readInstruction(std::size_t begin) {
    Draft i;
    i.root = in_.accept("ROOT");
    i.name = in_.name();
    inner_ = 0;
    if (const auto wrong = readRest(i)) {
      loseBy(i, *wrong);
      const std::size_t at = std::max(in_.at(), begin);
      const bool closes = at < in_.text().size() && in_.text()[at] == '}' && at > begin && at > reader_.lineEnd(begin);
      in_.seek(closes ? at : reader_.lineEnd(at));
      spend(static_cast<i64>((in_.at() - begin) / 64));
      return;
    }
    i.span = {begin, in_.at()};
    if (complete(i)) add(std::move(i));
  }

  void add(Draft i) {
    const int number = static_cast<int>(c_.instructions.size());
    if (!names_.emplace(i.name, number).second)
      problem(i.name, {fmt::format("there are two instructions {} in {}", i.name, c_.name), "a name for each",
                       "its uses refer to the first one", reader_.spanOf(i.name)});
    for (NamedOperand& o : i.named) {
      o.instruction = number;
      operands_.push_back(o);
    }
    if (i.root) c_.root = number;
    c_.instructions.push_back(std::move(i));
  }

  // Drops an instruction because of the Problem of that number.
  void lose(const Instruction& i, std::size_t cause) {
    rootLost_ = rootLost_ || i.root;
    lost_.emplace(i.name, cause);
    ++c_.lost;
  }
  void loseBy(const Instruction& i, Diag why) {
    lose(i, module_.problems.size());
    problem(i.name, std::move(why));
  }

  // Reads inline bodies, and infers a missing shape. false: the instruction is lost.
  bool complete(Draft& i) {
    const std::vector<std::string_view> written = writtenBodies(i);
    if (!written.empty() && reader_.nested == kMostNested) {
      loseBy(i, {fmt::format("more than {} bodies are nested", kMostNested),
                 "named computations: calls=%NAME",
                 "",
                 {i.span.begin, i.span.begin + 1}});
      return false;
    }
    const std::size_t end = in_.at();
    for (const std::string_view text : written) readWrittenBody(i, text);
    in_.seek(end);
    return i.shape >= 0 || inferShape(i);
  }

  bool inferShape(Draft& i) {
    auto shapes = mapped<int>(i.operands, [&](int o) { return o < 0 ? -1 : c_.at(o).shape; });
    for (const NamedOperand& o : i.named) {
      if (const auto known = names_.find(o.name); known != names_.end()) {
        shapes[o.slot] = c_.at(known->second).shape;
      } else if (const auto gone = lost_.find(o.name); gone != lost_.end()) {
        ++needed_[gone->second].by;
        lose(i, gone->second);
        return false;
      } else {
        loseBy(i, {fmt::format("the shape of {} is left out, and {} does not come before it", i.name, o.name),
                   fmt::format("a shape: `NAME = shape {}(...)`, or operands above it", i.opcode), "",
                   reader_.spanOf(o.name)});
        return false;
      }
    }
    auto in = mapped<const xla::Shape*>(shapes, [&](int s) { return &module_.shapes[static_cast<std::size_t>(s)]; });
    const std::vector<int> called = calledBy(module_, i);
    const Computation* const callee = called.size() == 1 ? &module_.computation(called[0]) : nullptr;
    const bool returns = callee != nullptr && callee->root >= 0;
    Result<xla::Shape> shape = resultShape(i, in, returns ? &module_.shapeOf(callee->at(callee->root)) : nullptr);
    if (!shape) {
      shape.error().span = reader_.spanOf(i.opcode);
      loseBy(i, shape.error());
      return false;
    }
    for (std::size_t k = 0; k < in.size() && i.shape < 0; ++k)
      if (*in[k] == *shape) i.shape = shapes[k];
    if (i.shape >= 0) return true;
    i.shape = static_cast<int>(module_.shapes.size());
    module_.shapes.push_back(*std::move(shape));
    return true;
  }

  // calls={ ... } with inline instructions: called by its text. branch_computations={ { ... }, { ... } }.
  std::vector<std::string_view> writtenBodies(const Instruction& i) const {
    std::vector<std::string_view> bodies;
    const auto addBody = [&](std::string_view text) {
      Scan look(in_.text(), reader_.spanOf(text).begin + 1);
      (void)look.accept("ROOT");
      if (!look.name().empty() && look.accept('=')) bodies.push_back(text);  // else a list of names
    };
    for (const Attribute& a : i.attributes) {
      if (!namesComputations(a.name) || a.value.size() < 2 || a.value[0] != '{') continue;
      Scan list(in_.text(), reader_.spanOf(a.value).begin + 1);
      list.blanks();
      if (list.peek() != '{') {
        addBody(a.value);
        continue;
      }
      do {
        list.blanks();
        const std::string_view one = list.balanced();
        if (one.empty()) break;
        addBody(one);
      } while (list.accept(','));
    }
    return bodies;
  }
  void readWrittenBody(const Instruction& i, std::string_view text) {
    in_.seek(reader_.spanOf(text).begin + 1);
    Computation c;
    c.name = i.name;
    c.written = true;
    c.span = reader_.spanOf(text.substr(0, 1));
    ++reader_.nested;
    Body(reader_, c).read(false);
    --reader_.nested;
    module_.byName.emplace(text, static_cast<int>(module_.computations.size()));
    module_.computations.push_back(std::move(c));
  }

  std::optional<Diag> readRest(Draft& i) {
    const auto here = [&](std::string message, std::string expected) {
      return reader_.here(std::move(message), std::move(expected));
    };
    if (i.name.empty()) return here("an instruction has no name", "`NAME = shape opcode(operands)`");
    if (!in_.accept('='))
      return here(fmt::format("`=` is missing after {}", i.name), "`NAME = shape opcode(operands)`");
    const std::string_view shape = in_.shapeText();
    if (shape.empty() && !reader_.opcodeFollows())
      return here("there is no shape after the `=`", "a shape: f32[8,4]{1,0}, (f32[], s32[])");
    if (!shape.empty()) {
      Result<int> known = reader_.shapeNumber(shape);
      if (!known) return known.error();
      i.shape = *known;
    }
    i.opcode = in_.name();
    if (i.opcode.empty()) return here("there is no operation after the shape", "an opcode: add, fusion ...");
    if (!reader_.bracketFollows())
      return here(fmt::format("`(` is missing after {}", i.opcode), "operands in brackets");
    if (auto wrong = readOperands(i)) return wrong;
    if (auto wrong = reader_.readAttributes(i.attributes)) return wrong;
    in_.blanksOfLine();
    const bool ends = in_.done() || std::string_view("\n\r};").find(in_.peek()) != std::string_view::npos;
    if (!ends && !reader_.instructionFollows())
      return here("extra text after the instruction", "a comma and attributes, or the end of the line");
    if (in_.peek() == ';') in_.seek(in_.at() + 1);
    return std::nullopt;
  }

  // add(negate(a), f32[] constant(1)): a nested operand becomes a separate instruction, before its user.
  std::optional<Diag> readInner(Draft& outer, std::string_view opcode, int shape) {
    Draft i;
    if (module_.made == nullptr) module_.made = std::make_shared<std::deque<std::string>>();
    const std::string name = fmt::format("{}.of.{}", opcode, outer.name.substr(0, 100));
    std::string& made = module_.made->emplace_back(name);
    for (int k = 1; names_.contains(made); ++k) made = fmt::format("{}.{}", name, k);
    i.name = made;
    i.opcode = opcode;
    i.shape = shape;
    if (++inner_ > kMostNested)
      return reader_.here(fmt::format("more than {} operands are nested", kMostNested), "named instructions");
    if (auto wrong = readOperands(i)) return wrong;
    --inner_;
    i.span = {reader_.spanOf(opcode).begin, in_.at()};
    if (complete(i)) {
      outer.operands.back() = static_cast<int>(c_.instructions.size());
      add(std::move(i));
    } else {
      outer.named.push_back({0, outer.operands.size() - 1, i.name});  // lost
    }
    return std::nullopt;
  }

  std::optional<Diag> readOperands(Draft& i) {
    if (hasLiteral(i.opcode)) {
      const std::string_view all = in_.balanced();
      if (all.empty())
        return reader_.here(fmt::format("the bracket of {} is not closed", i.opcode), "`)` after the value");
      Scan inside(all.substr(0, all.size() - 1), 1);
      inside.blanks();
      i.literal = i.opcode == "parameter" ? inside.name() : stripped(inside.text().substr(inside.at()));
      return std::nullopt;
    }
    in_.seek(in_.at() + 1);
    if (in_.accept(')')) return std::nullopt;
    for (;;) {
      const std::string_view shape = in_.shapeText();
      in_.blanks();
      const bool leftOut = in_.text().compare(in_.at(), 3, "...") == 0;  // ...(+5)
      const std::string_view name = in_.name();
      if (leftOut)
        return reader_.here(fmt::format("operands of {} are left out", i.opcode),
                            "all of them: a dump that is printed without compact_operands");
      if (name.empty())
        return reader_.here(fmt::format("an operand of {} has no name", i.opcode),
                            "`%NAME`, with or without a shape before it");
      i.operands.push_back(-1);
      const std::size_t end = in_.at();
      in_.blanks();
      if (in_.peek() == '(') {
        Result<int> known = shape.empty() ? Result<int>(-1) : reader_.shapeNumber(shape);
        if (!known) return known.error();
        if (auto wrong = readInner(i, name, *known)) return wrong;
      } else {
        i.named.push_back({0, i.operands.size() - 1, name});
      }
      const bool comma = in_.accept(',');
      if (in_.accept(')')) return std::nullopt;  // XLA accepts a trailing comma
      if (comma) continue;
      in_.seek(end);
      return reader_.here(fmt::format("the bracket of {} is not closed", i.opcode), "`,` and another operand, or `)`");
    }
  }

  void resolve() {
    for (const NamedOperand& o : operands_) {
      Instruction& i = c_.instructions[static_cast<std::size_t>(o.instruction)];
      if (const auto found = names_.find(o.name); found != names_.end())
        i.operands[o.slot] = found->second;
      else
        needs(i, o);
    }
    for (const auto& [number, needed] : needed_) sayNeeded(number, needed);
    refuseCycle();
    if (c_.root < 0 && !rootLost_ && !c_.instructions.empty()) c_.root = static_cast<int>(c_.instructions.size()) - 1;
    numberParameters();
  }

  struct Needed {
    int by = 0, last = -1;  // instruction counts and the last one
    bool named = true;      // the Problem is about the missing instruction, not about its first user
  };

  // An instruction needs a missing one: reports the first such user, and counts the others.
  void needs(const Instruction& i, const NamedOperand& o) {
    const auto [lost, isNew] = lost_.emplace(o.name, module_.problems.size());
    Needed& needed = needed_[lost->second];
    if (isNew) {
      problem(i.name, noSuchOperand(o.name));
      needed.named = false;
    } else if (needed.last != o.instruction) {
      ++needed.by;
    }
    needed.last = o.instruction;
  }
  void sayNeeded(std::size_t number, const Needed& needed) {
    if (number >= module_.problems.size() || needed.by == 0) return;
    std::string& hint = module_.problems[number].diag.hint;
    const bool one = needed.by == 1;
    hint += fmt::format("{}{}{} instruction{} {}{} it", hint.empty() ? "" : "; ", needed.by,
                        needed.named ? "" : " more", one ? "" : "s", needed.named ? "need" : "name", one ? "s" : "");
  }

  // A name may be used before its definition, but not in a cycle.
  void refuseCycle() {
    const auto found = cycleIn(c_);
    if (!found) return;
    const Instruction& one = c_.at(found->instruction);
    problem(one.name, {fmt::format("{} depends on itself", one.name), "instructions that depend on earlier ones only",
                       fmt::format("it reads {}, which depends on it", c_.at(found->operand).name), one.span});
  }

  Diag noSuchOperand(std::string_view name) const {
    std::vector<std::string> near;
    if (c_.instructions.size() < 2000)
      for (const auto& [known, number] : names_) near.emplace_back(known);
    std::ranges::sort(near);
    const auto meant = nearest(name, near);
    return {fmt::format("there is no {} in {}", name, c_.name), "an instruction of the same computation",
            meant ? fmt::format("did you mean {}?", *meant) : "", reader_.spanOf(name)};
  }

  void numberParameters() {
    for (std::size_t k = 0; k < c_.instructions.size(); ++k) {
      const Instruction& i = c_.instructions[k];
      if (i.opcode != "parameter") continue;
      const bool ok = !i.literal.empty() && i.literal.size() < 7 && std::ranges::all_of(i.literal, isDigit);
      const std::size_t number = ok ? std::stoul(std::string(i.literal)) : 0;
      if (!ok || number >= c_.instructions.size()) {
        problem(i.name, {fmt::format("parameter({}) has no valid number", i.literal),
                         "a number from 0, below the number of parameters", "", i.span});
        continue;
      }
      if (c_.parameters.size() <= number) c_.parameters.resize(number + 1, -1);
      if (c_.parameters[number] >= 0)
        problem(i.name, {fmt::format("there are two parameters {}", i.literal), "each number once", "", i.span});
      c_.parameters[number] = static_cast<int>(k);
    }
  }

  ModuleReader& reader_;
  Module& module_;
  Scan& in_;
  Computation& c_;
  std::unordered_map<std::string_view, int> names_;
  std::vector<NamedOperand> operands_;
  // Names of lost instructions, with the number of the Problem that caused the loss, directly or indirectly.
  std::unordered_map<std::string_view, std::size_t> lost_;
  std::unordered_map<std::size_t, Needed> needed_;  // by Problem
  bool rootLost_ = false;
  int inner_ = 0;  // nesting depth of the operands being read
};

}  // namespace

void readBody(ModuleReader& reader, Computation& c, bool loose) { Body(reader, c).read(loose); }

}  // namespace tessera::hlo
