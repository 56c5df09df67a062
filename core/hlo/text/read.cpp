// Reading a module in one pass. Operand names are resolved at the end of their computation, computation names on use.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/mapped.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/hlo/ops/result_shape.h"
#include "core/hlo/text/module.h"
#include "core/hlo/text/scan.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kMostText = std::size_t{1} << 30;
constexpr int kMostNested = 64;  // nested bodies or operands; XLA prints only a few levels
constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

bool isDigits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A short excerpt of the text for a message.
std::string quoted(std::string_view s) {
  s = s.substr(0, std::min(s.find('\n'), s.size()));
  return "`" + std::string(s.substr(0, 60)) + (s.size() > 60 ? "..." : "") + "`";
}

// An operand's text before its name is resolved.
struct NamedOperand {
  int instruction = 0;  // the user
  std::size_t slot = 0;
  std::string_view name;
};

std::string instructions(int count, std::string_view more) {
  return std::to_string(count) + std::string(more) + (count == 1 ? " instruction" : " instructions");
}

class ModuleReader {
 public:
  explicit ModuleReader(std::string text) {
    module_.text = std::make_shared<const std::string>(std::move(text));
    in_ = Scan(*module_.text, module_.text->starts_with("\xEF\xBB\xBF") ? 3 : 0);
  }

  Module run() {
    if (module_.text->size() > kMostText) {
      problem("", {"the text has " + std::to_string(module_.text->size()) + " bytes", "at most 1 GB", "", {0, 1}});
      return std::move(module_);
    }
    for (in_.blanks(); !in_.done(); in_.blanks()) topLevel();
    if (module_.entry < 0 && !module_.computations.empty())
      module_.entry = static_cast<int>(module_.computations.size()) - 1;
    if (module_.computations.empty() && module_.problems.empty())
      problem("", {"there is no computation here",
                   "a module: `HloModule NAME`, computations with their instructions",
                   "",
                   {0, std::min<std::size_t>(1, module_.text->size())}});
    sortProblems();
    return std::move(module_);
  }

 private:
  // State for the computation being read: its names, and unresolved operands.
  struct Body {
    std::unordered_map<std::string_view, int> names;
    std::vector<NamedOperand> operands;
    // Names of lost instructions, with the number of the Problem that caused the loss, directly or indirectly.
    std::unordered_map<std::string_view, std::size_t> lost;
    struct Needed {
      int by = 0, last = -1;  // instruction counts and the last one
      bool named = true;      // the Problem is about the missing instruction, not about its first user
    };
    std::unordered_map<std::size_t, Needed> needed;  // by Problem
    bool rootLost = false;
  };

  void topLevel() {
    const std::size_t begin = in_.at();
    if (in_.accept("HloModule")) {
      readHead();
      return;
    }
    for (const std::string_view table : kTables)
      if (in_.accept(table)) return readTable(table);
    if (loneInstruction()) return readLoose();
    if (!readComputation()) {
      in_.seek(begin);
      problem("", {quoted(in_.text().substr(begin)) + " begins no computation",
                   "`%NAME (parameters) -> shape {`, `ENTRY ...`, or `NAME {`",
                   "",
                   {begin, lineEnd(begin)}});
      in_.line();
    }
  }

  // HloModule NAME, attributes; skips the rest of the line, unless a computation begins there.
  void readHead() {
    in_.blanksOfLine();
    if (in_.peek() == '%' || (in_.peek() != ',' && in_.peek() != '\n')) module_.name = in_.name();
    if (const auto wrong = readAttributes(module_.attributes)) problem("", *wrong);
    in_.blanksOfLine();
    Scan look = in_;
    if (look.peek() == '%' || look.accept("ENTRY")) return;
    if (!look.name().empty()) look.blanks();
    if (look.at() > in_.at() && (look.peek() == '{' || look.peek() == '(')) return;
    in_.line();
  }

  std::size_t lineEnd(std::size_t at) const { return std::min(in_.text().find('\n', at), in_.text().size()); }

  void readTable(std::string_view table) {
    auto& rows = module_.tables[table];
    for (in_.line(); !in_.done(); in_.line()) {
      in_.blanksOfLine();
      const std::size_t begin = in_.at();
      const std::string_view number = in_.peek() >= '0' && in_.peek() <= '9' ? in_.name() : std::string_view{};
      if (!isDigits(number) || number.size() > 18) {
        in_.seek(begin);
        return;
      }
      in_.blanksOfLine();
      rows[std::stoll(std::string(number))] = in_.text().substr(in_.at(), lineEnd(in_.at()) - in_.at());
    }
  }

  // Instructions outside a computation: a fragment of a dump.
  bool loneInstruction() {
    Scan look = in_;
    (void)look.accept("ROOT");
    return !look.name().empty() && look.accept('=');
  }
  // Looks ahead through in_ itself, so that its limit on wasted work applies.
  template <class Look>
  bool follows(Look look) {
    const std::size_t begin = in_.at();
    const bool is = look();
    in_.seek(begin);
    return is;
  }
  // NAME = shape
  bool instructionFollows() {
    return follows([&] {
      (void)in_.accept("ROOT");
      return !in_.name().empty() && in_.accept('=') && (!in_.shapeText().empty() || opcodeFollows());
    });
  }
  // NAME (parameters) -> shape {: the previous computation lacks its closing brace.
  bool headFollows() {
    return follows([&] {
      const bool entry = in_.accept("ENTRY");
      if (in_.name().empty() && !entry) return false;
      return signaturePassed() && in_.accept('{');
    });
  }
  // "(x: f32[2]) -> f32[2]", or nothing; false: unterminated.
  bool signaturePassed() {
    in_.blanks();
    if (in_.peek() == '(' && in_.balanced().empty()) return false;
    in_.blanks();
    if (in_.peek() != '-' || in_.peek(1) != '>') return true;
    in_.seek(in_.at() + 2);
    return !in_.shapeText().empty();
  }
  void readLoose() {
    Computation c;
    c.name = "lines";
    c.span = {in_.at(), in_.at() + 1};
    readBody(c, true);
    finish(std::move(c));
  }

  bool readComputation() {
    Computation c;
    const std::size_t begin = in_.at();
    c.entry = in_.accept("ENTRY");
    c.name = in_.name();
    c.span = {begin, std::max(in_.at(), begin + 1)};
    in_.blanks();
    if (c.name.empty() && in_.peek() == '%') {  // fingerprints omit the names
      in_.seek(in_.at() + 1);
      in_.blanks();
    }
    const bool head = !c.name.empty() || c.entry || in_.peek() == '{' || in_.peek() == '(';
    if (!signaturePassed()) return false;
    std::vector<Attribute> attributes;
    (void)readAttributes(attributes);
    if (!head || !in_.accept('{')) return false;
    readBody(c, false);
    finish(std::move(c));
    return true;
  }

  // Instructions up to the closing brace; `loose`: up to the first text that is not one.
  void readBody(Computation& c, bool loose) {
    Body body;
    for (;;) {
      in_.blanks();
      const std::size_t begin = in_.at();
      if (!loose && in_.accept('}')) break;
      const bool instruction = !in_.done() && loneInstruction();
      if (loose && !instruction) break;
      if (in_.done() || (!instruction && headFollows())) {
        problem(c, "",
                {"the computation " + std::string(c.name) + " does not end",
                 "`}` after its last instruction",
                 in_.done() ? "the text may have been cut off here" : "",
                 {begin == 0 ? 0 : begin - 1, begin}});
        break;
      }
      readInstruction(c, body, begin);
    }
    resolve(c, body);
    // Attributes after the brace, such as execution_thread="main".
    if (!loose && in_.peek() == ',') {
      std::vector<Attribute> attributes;
      (void)readAttributes(attributes);
    }
  }

  void readInstruction(Computation& c, Body& body, std::size_t begin) {
    Instruction i;
    i.root = in_.accept("ROOT");
    i.name = in_.name();
    std::vector<NamedOperand> operands;
    inner_ = 0;
    if (const auto wrong = readRest(c, body, i, operands)) {
      loseBy(c, body, i, *wrong);
      const std::size_t at = std::max(in_.at(), begin);
      in_.seek(at < in_.text().size() && in_.text()[at] == '}' && at > begin && !sameLine(begin, at) ? at
                                                                                                     : lineEnd(at));
      spend(static_cast<i64>((in_.at() - begin) / 64));
      return;
    }
    i.span = {begin, in_.at()};
    if (complete(c, body, i, operands)) add(c, body, std::move(i), operands);
  }

  void add(Computation& c, Body& body, Instruction i, std::vector<NamedOperand>& operands) {
    const int number = static_cast<int>(c.instructions.size());
    if (!body.names.emplace(i.name, number).second)
      problem(c, i.name,
              {"there are two instructions " + std::string(i.name) + " in " + std::string(c.name), "a name for each",
               "the first one is meant where it is named", spanOf(i.name)});
    for (NamedOperand& o : operands) {
      o.instruction = number;
      body.operands.push_back(o);
    }
    if (i.root) c.root = number;
    c.instructions.push_back(std::move(i));
  }

  // Drops an instruction because of the Problem of that number.
  void lose(Computation& c, Body& body, const Instruction& i, std::size_t cause) {
    body.rootLost = body.rootLost || i.root;
    body.lost.emplace(i.name, cause);
    ++c.lost;
  }
  void loseBy(Computation& c, Body& body, const Instruction& i, Diag why) {
    lose(c, body, i, module_.problems.size());
    problem(c, i.name, std::move(why));
  }

  // Reads inline bodies, and infers a missing shape. false: the instruction is lost.
  bool complete(Computation& c, Body& body, Instruction& i, const std::vector<NamedOperand>& operands) {
    const std::vector<std::string_view> written = writtenBodies(i);
    if (!written.empty() && nested_ == kMostNested) {
      loseBy(c, body, i,
             {"more than " + std::to_string(kMostNested) + " bodies are written in one another",
              "computations with names of their own: calls=%NAME",
              "",
              {i.span.begin, i.span.begin + 1}});
      return false;
    }
    const std::size_t behind = in_.at();
    for (const std::string_view text : written) readWrittenBody(i, text);
    in_.seek(behind);
    return i.shape >= 0 || inferShape(c, body, i, operands);
  }

  bool inferShape(Computation& c, Body& body, Instruction& i, const std::vector<NamedOperand>& operands) {
    std::vector<int> shapes(i.operands.size(), -1);
    for (std::size_t k = 0; k < shapes.size(); ++k)
      if (i.operands[k] >= 0) shapes[k] = c.instructions[static_cast<std::size_t>(i.operands[k])].shape;
    for (const NamedOperand& o : operands) {
      if (const auto known = body.names.find(o.name); known != body.names.end()) {
        shapes[o.slot] = c.instructions[static_cast<std::size_t>(known->second)].shape;
      } else if (const auto gone = body.lost.find(o.name); gone != body.lost.end()) {
        ++body.needed[gone->second].by;
        lose(c, body, i, gone->second);
        return false;
      } else {
        loseBy(
            c, body, i,
            {"the shape of " + std::string(i.name) + " is left out, and " + std::string(o.name) +
                 " does not come before it",
             "a shape: `NAME = shape " + std::string(i.opcode) + "(...)`, or operands above it", "", spanOf(o.name)});
        return false;
      }
    }
    auto in = mapped<const xla::Shape*>(shapes, [&](int s) { return &module_.shapes[static_cast<std::size_t>(s)]; });
    const std::vector<int> called = calledBy(module_, i);
    const Computation* const callee =
        called.size() == 1 ? &module_.computations[static_cast<std::size_t>(called[0])] : nullptr;
    const xla::Shape* const result =
        callee == nullptr || callee->root < 0
            ? nullptr
            : &module_.shapeOf(callee->instructions[static_cast<std::size_t>(callee->root)]);
    Result<xla::Shape> shape = resultShape(i, in, result);
    if (!shape) {
      Diag diag = shape.error();
      diag.span = spanOf(i.opcode);
      loseBy(c, body, i, std::move(diag));
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
  std::vector<std::string_view> writtenBodies(const Instruction& i) {
    std::vector<std::string_view> bodies;
    const auto addBody = [&](std::string_view text) {
      Scan look(in_.text(), spanOf(text).begin + 1);
      (void)look.accept("ROOT");
      if (!look.name().empty() && look.accept('=')) bodies.push_back(text);  // else a list of names
    };
    for (const Attribute& a : i.attributes) {
      if (!namesComputations(a.name) || a.value.size() < 2 || a.value[0] != '{') continue;
      Scan list(in_.text(), spanOf(a.value).begin + 1);
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
    in_.seek(spanOf(text).begin + 1);
    Computation c;
    c.name = i.name;
    c.written = true;
    c.span = spanOf(text.substr(0, 1));
    ++nested_;
    readBody(c, false);
    --nested_;
    module_.byName.emplace(text, static_cast<int>(module_.computations.size()));
    module_.computations.push_back(std::move(c));
  }

  bool sameLine(std::size_t a, std::size_t b) const {
    return in_.text().substr(a, b - a).find('\n') == std::string_view::npos;
  }

  std::optional<Diag> readRest(Computation& c, Body& body, Instruction& i, std::vector<NamedOperand>& operands) {
    if (i.name.empty()) return here("an instruction has no name", "`NAME = shape opcode(operands)`");
    if (!in_.accept('=')) return here("`=` is missing after " + std::string(i.name), "`NAME = shape opcode(operands)`");
    const std::string_view shape = in_.shapeText();
    if (shape.empty() && !opcodeFollows())
      return here("there is no shape after the `=`", "a shape: f32[8,4]{1,0}, (f32[], s32[])");
    if (!shape.empty()) {
      Result<int> known = shapeNumber(shape);
      if (!known) return known.error();
      i.shape = *known;
    }
    i.opcode = in_.name();
    if (i.opcode.empty()) return here("there is no operation after the shape", "an opcode: add, fusion ...");
    if (!bracketFollows()) return here("`(` is missing after " + std::string(i.opcode), "operands in brackets");
    if (auto wrong = readOperands(c, body, i, operands)) return wrong;
    if (auto wrong = readAttributes(i.attributes)) return wrong;
    in_.blanksOfLine();
    if (!in_.done() && in_.peek() != '\n' && in_.peek() != '\r' && in_.peek() != '}' && in_.peek() != ';' &&
        !instructionFollows())
      return here("extra text after the instruction", "a comma and attributes, or the end of the line");
    if (in_.peek() == ';') in_.seek(in_.at() + 1);
    return std::nullopt;
  }

  // Opcodes whose brackets hold a literal instead of operands.
  static bool hasLiteral(std::string_view opcode) {
    return opcode == "constant" || opcode == "parameter" || opcode == "iota" || opcode == "partition-id" ||
           opcode == "replica-id";
  }

  // Whether `(` follows, possibly on the next line; moves the cursor there.
  bool bracketFollows() {
    const std::size_t begin = in_.at();
    in_.blanks();
    if (in_.peek() == '(') return true;
    in_.seek(begin);
    in_.blanksOfLine();
    return false;
  }
  // NAME (
  bool opcodeFollows() {
    return follows([&] { return !in_.name().empty() && bracketFollows(); });
  }

  // add(negate(a), f32[] constant(1)): a nested operand becomes a separate instruction, before its user.
  std::optional<Diag> readInner(Computation& c, Body& body, Instruction& outer,
                                std::vector<NamedOperand>& outerOperands, std::string_view opcode, int shape) {
    Instruction i;
    if (module_.made == nullptr) module_.made = std::make_shared<std::deque<std::string>>();
    const std::string name = std::string(opcode) + ".of." + std::string(outer.name.substr(0, 100));
    module_.made->push_back(name);
    for (int k = 1; body.names.contains(module_.made->back()); ++k)
      module_.made->back() = name + "." + std::to_string(k);
    i.name = module_.made->back();
    i.opcode = opcode;
    i.shape = shape;
    if (++inner_ > kMostNested)
      return here("more than " + std::to_string(kMostNested) + " operands are written in one another",
                  "instructions with names of their own");
    std::vector<NamedOperand> operands;
    if (auto wrong = readOperands(c, body, i, operands)) return wrong;
    --inner_;
    i.span = {spanOf(opcode).begin, in_.at()};
    if (complete(c, body, i, operands)) {
      outer.operands.back() = static_cast<int>(c.instructions.size());
      add(c, body, std::move(i), operands);
    } else {
      outerOperands.push_back({0, outer.operands.size() - 1, i.name});  // lost
    }
    return std::nullopt;
  }

  std::optional<Diag> readOperands(Computation& c, Body& body, Instruction& i, std::vector<NamedOperand>& operands) {
    if (hasLiteral(i.opcode)) {
      const std::string_view all = in_.balanced();
      if (all.empty()) return here("the bracket of " + std::string(i.opcode) + " is not closed", "`)` after the value");
      Scan inside(all.substr(0, all.size() - 1), 1);
      inside.blanks();
      i.literal = i.opcode == "parameter" ? inside.name() : trimmed(inside.text().substr(inside.at()));
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
        return here("operands of " + std::string(i.opcode) + " are left out",
                    "all of them: a dump that is printed without compact_operands");
      if (name.empty())
        return here("an operand of " + std::string(i.opcode) + " has no name",
                    "`%NAME`, with or without a shape before it");
      i.operands.push_back(-1);
      const std::size_t behind = in_.at();
      in_.blanks();
      if (in_.peek() == '(') {
        Result<int> known = shape.empty() ? Result<int>(-1) : shapeNumber(shape);
        if (!known) return known.error();
        if (auto wrong = readInner(c, body, i, operands, name, *known)) return wrong;
      } else {
        operands.push_back({0, i.operands.size() - 1, name});
      }
      if (in_.accept(',')) {
        if (in_.accept(')')) return std::nullopt;  // XLA accepts a trailing comma
        continue;
      }
      if (in_.accept(')')) return std::nullopt;
      in_.seek(behind);
      return here("the bracket of " + std::string(i.opcode) + " is not closed", "`,` and another operand, or `)`");
    }
  }

  static std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\n')) s.remove_suffix(1);
    return s;
  }

  // A sequence of ", name=value". A Diag: a value is missing. Stops at any other line or an inline body.
  std::optional<Diag> readAttributes(std::vector<Attribute>& attributes) {
    std::optional<Diag> wrong;
    for (;;) {
      const std::size_t begin = in_.at();
      Attribute a;
      if (in_.accept(',')) a.name = in_.name();
      if (a.name.empty() || !in_.accept('=')) {
        in_.seek(begin);
        return wrong;
      }
      in_.blanksOfLine();
      const std::size_t at = in_.at();
      if (in_.peek() == '\n' || in_.peek() == '\r') in_.blanks();
      if (in_.at() == at || in_.peek() == '{' || !loneInstruction()) a.value = valueOfAttribute(a.name);
      if (!a.value.empty()) {
        attributes.push_back(a);
        continue;
      }
      in_.seek(at);  // read the rest, so that a body among them is not parsed as the next lines
      if (!wrong) wrong = here("there is no value after " + std::string(a.name) + "=", "a value: {1,0}, 2, %NAME ...");
    }
  }

  // A mesh is followed by an optional device order and its axes: mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y'}
  // A literal is preceded by its shape: s32[2]{0} {1, 2}, f32[] -inf.
  std::string_view valueOfAttribute(std::string_view name) {
    if (name == "literal") {
      const std::size_t begin = in_.at();
      for (std::size_t behind = begin; !in_.value().empty();) {
        behind = in_.at();
        in_.blanksOfLine();
        if (std::string_view(",\n\r})").find(in_.peek()) == std::string_view::npos && !in_.done()) continue;
        in_.seek(behind);
        break;
      }
      return in_.from(begin);
    }
    const std::string_view value = in_.value();
    if (!value.starts_with("mesh[")) return value;
    const std::size_t begin = in_.at() - value.size();
    std::size_t behind = in_.at();
    if (in_.accept(',') && in_.accept("device_ids") && in_.accept('=') && !in_.value().empty()) behind = in_.at();
    in_.seek(behind);
    in_.blanksOfLine();
    if (in_.peek() == '{' && !in_.balanced().empty()) behind = in_.at();
    in_.seek(behind);
    return in_.from(begin);
  }

  Result<int> shapeNumber(std::string_view text) {
    const auto [at, isNew] = shapes_.try_emplace(text, static_cast<int>(module_.shapes.size()));
    if (!isNew) return at->second;
    Result<xla::Shape> shape = xla::parseShape(text);
    if (!shape) {
      shapes_.erase(at);
      Diag diag = shape.error();
      diag.span = diag.span.shifted(static_cast<std::size_t>(text.data() - module_.text->data()));
      return diag;
    }
    module_.shapes.push_back(std::move(*shape));
    return at->second;
  }

  void resolve(Computation& c, Body& body) {
    for (const NamedOperand& o : body.operands) {
      Instruction& i = c.instructions[static_cast<std::size_t>(o.instruction)];
      const auto found = body.names.find(o.name);
      if (found != body.names.end())
        i.operands[o.slot] = found->second;
      else
        needs(c, body, i, o);
    }
    for (const auto& [number, needed] : body.needed) sayNeeded(number, needed);
    refuseCycle(c);
    if (c.root < 0 && !body.rootLost && !c.instructions.empty()) c.root = static_cast<int>(c.instructions.size()) - 1;
    numberParameters(c);
  }

  // An instruction needs a missing one: reports the first such user, and counts the others.
  void needs(const Computation& c, Body& body, const Instruction& i, const NamedOperand& o) {
    const auto [lost, isNew] = body.lost.emplace(o.name, module_.problems.size());
    Body::Needed& needed = body.needed[lost->second];
    if (isNew) {
      problem(c, i.name, noSuchOperand(c, body, o.name));
      needed.named = false;
    } else if (needed.last != o.instruction) {
      ++needed.by;
    }
    needed.last = o.instruction;
  }
  void sayNeeded(std::size_t number, const Body::Needed& needed) {
    if (number >= module_.problems.size() || needed.by == 0) return;
    std::string& hint = module_.problems[number].diag.hint;
    hint += hint.empty() ? "" : "; ";
    hint += instructions(needed.by, needed.named ? "" : " more") + (needed.named ? " need" : " name") +
            (needed.by == 1 ? "s it" : " it");
  }

  // A name may be used before its definition, but not in a cycle.
  void refuseCycle(const Computation& c) {
    const auto found = cycleIn(c);
    if (!found) return;
    const Instruction& one = c.instructions[static_cast<std::size_t>(found->instruction)];
    const Instruction& by = c.instructions[static_cast<std::size_t>(found->operand)];
    problem(c, one.name,
            {std::string(one.name) + " needs itself", "instructions that depend on earlier ones only",
             "it reads " + std::string(by.name) + ", which needs it", one.span});
  }

  Diag noSuchOperand(const Computation& c, const Body& body, std::string_view name) const {
    std::vector<std::string> near;
    if (c.instructions.size() < 2000)
      for (const auto& [known, number] : body.names) near.emplace_back(known);
    std::sort(near.begin(), near.end());
    const auto meant = nearest(name, near);
    return {"there is no " + std::string(name) + " in " + std::string(c.name), "an instruction of the same computation",
            meant ? "did you mean " + *meant + "?" : "", spanOf(name)};
  }

  void numberParameters(Computation& c) {
    for (std::size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      if (i.opcode != "parameter") continue;
      const bool ok = isDigits(i.literal) && i.literal.size() < 7;
      const std::size_t number = ok ? std::stoul(std::string(i.literal)) : 0;
      if (!ok || number >= c.instructions.size()) {
        problem(c, i.name,
                {"parameter(" + std::string(i.literal) + ") has no number that can be",
                 "a number below that of the parameters, from 0", "", i.span});
        continue;
      }
      if (c.parameters.size() <= number) c.parameters.resize(number + 1, -1);
      if (c.parameters[number] >= 0)
        problem(c, i.name, {"there are two parameters " + std::string(i.literal), "each number once", "", i.span});
      c.parameters[number] = static_cast<int>(k);
    }
  }

  void finish(Computation c) {
    const int number = static_cast<int>(module_.computations.size());
    if (c.entry) module_.entry = number;
    if (!c.name.empty() && !module_.byName.emplace(c.name, number).second)
      problem(c, "",
              {"there are two computations " + std::string(c.name), "a name for each",
               "the first one is meant where it is called", c.span});
    module_.computations.push_back(std::move(c));
  }

  [[nodiscard]] Diag here(std::string message, std::string expected) const {
    const std::size_t at = std::min(in_.at(), in_.text().size());
    const std::size_t end = std::min(lineEnd(at), at + 40);
    return {std::move(message), std::move(expected), "", {at, std::max(end, std::min(at + 1, in_.text().size()))}};
  }
  [[nodiscard]] Span spanOf(std::string_view piece) const {
    const auto at = static_cast<std::size_t>(piece.data() - module_.text->data());
    return {at, at + piece.size()};
  }
  void problem(const Computation& c, std::string_view instruction, Diag diag) {
    if (module_.problems.size() >= kMostProblems) return;
    module_.problems.push_back({std::string(c.name), std::string(instruction), 0, std::move(diag)});
  }
  void problem(std::string_view instruction, Diag diag) { problem(Computation{}, instruction, std::move(diag)); }
  void sortProblems() {
    std::stable_sort(module_.problems.begin(), module_.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.diag.span.begin < b.diag.span.begin; });
    int line = 1;
    std::size_t at = 0;
    for (Problem& p : module_.problems) {
      const std::size_t to = std::min(p.diag.span.begin, module_.text->size());
      line += static_cast<int>(std::count(module_.text->begin() + static_cast<std::ptrdiff_t>(at),
                                          module_.text->begin() + static_cast<std::ptrdiff_t>(to), '\n'));
      at = to;
      p.line = line;
    }
  }

  Module module_;
  Scan in_{""};
  int nested_ = 0, inner_ = 0;
  std::unordered_map<std::string_view, int> shapes_;
};

}  // namespace

Module readModule(std::string text) { return ModuleReader(std::move(text)).run(); }

}  // namespace tessera::hlo
