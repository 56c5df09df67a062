// Reading a module: one pass over the text; names of operands are looked up when their computation is read, names of
// computations when they are asked for.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/nearest.h"
#include "core/hlo/module.h"
#include "core/hlo/scan.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kMostText = std::size_t{1} << 30;
constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

bool isDigits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A short piece of the text for a message.
std::string quoted(std::string_view s) {
  s = s.substr(0, std::min(s.find('\n'), s.size()));
  return "`" + std::string(s.substr(0, 60)) + (s.size() > 60 ? "..." : "") + "`";
}

// What a line can be: the text of an operand before its name is looked up.
struct NamedOperand {
  int instruction = 0;  // whose
  std::size_t slot = 0;
  std::string_view name;
};

class ModuleReader {
 public:
  explicit ModuleReader(std::string text) {
    module_.text = std::make_shared<const std::string>(std::move(text));
    in_ = Scan(*module_.text);
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
  using Index = std::unordered_map<std::string_view, int>;

  void topLevel() {
    const std::size_t begin = in_.at();
    if (in_.accept("HloModule")) {
      module_.name = in_.name();
      readAttributes(module_.attributes);
      in_.line();
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

  // Instructions without a computation around them: a piece of a dump.
  bool loneInstruction() {
    Scan look = in_;
    (void)look.accept("ROOT");
    return !look.name().empty() && look.accept('=');
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
    c.span = {begin, in_.at()};
    in_.blanks();
    if (in_.peek() == '(' && in_.balanced().empty()) return false;
    in_.blanks();
    if (in_.peek() == '-' && in_.peek(1) == '>') {
      in_.seek(in_.at() + 2);
      if (in_.shapeText().empty()) return false;
    }
    std::vector<Attribute> attributes;
    readAttributes(attributes);
    if ((c.name.empty() && !c.entry) || !in_.accept('{')) return false;
    readBody(c, false);
    finish(std::move(c));
    return true;
  }

  // Instructions up to the closing brace; `loose`: up to what is none.
  void readBody(Computation& c, bool loose) {
    Index names;
    std::vector<NamedOperand> operands;
    for (;;) {
      in_.blanks();
      const std::size_t begin = in_.at();
      if (in_.done()) {
        if (!loose)
          problem(c, "",
                  {"the computation " + std::string(c.name) + " does not end",
                   "`}` behind its last instruction",
                   "the text may have been cut off here",
                   {begin == 0 ? 0 : begin - 1, begin}});
        break;
      }
      if (!loose && in_.accept('}')) break;
      if (loose && !loneInstruction()) break;
      readInstruction(c, names, operands, begin);
    }
    resolve(c, names, operands);
    // What stands behind the brace, execution_thread="main" say.
    if (!loose && in_.peek() == ',') {
      std::vector<Attribute> attributes;
      readAttributes(attributes);
    }
  }

  void readInstruction(Computation& c, Index& names, std::vector<NamedOperand>& operands, std::size_t begin) {
    Instruction i;
    i.root = in_.accept("ROOT");
    i.name = in_.name();
    const int number = static_cast<int>(c.instructions.size());
    const std::size_t before = operands.size();
    if (const auto wrong = readRest(i, c, number, operands)) {
      operands.resize(before);
      problem(c, i.name, *wrong);
      const std::size_t at = std::max(in_.at(), begin);
      in_.seek(at < in_.text().size() && in_.text()[at] == '}' && at > begin && !sameLine(begin, at) ? at
                                                                                                     : lineEnd(at));
      return;
    }
    i.span = {begin, in_.at()};
    readWrittenBodies(i);
    if (!names.emplace(i.name, number).second)
      problem(c, i.name,
              {"there are two instructions " + std::string(i.name) + " in " + std::string(c.name), "a name for each",
               "the first one is meant where it is named", spanOf(i.name)});
    if (i.root) c.root = number;
    c.instructions.push_back(std::move(i));
  }

  // calls={ ... } with the computation's instructions in it: it is called by its text.
  void readWrittenBodies(const Instruction& i) {
    const std::size_t behind = in_.at();
    for (const Attribute& a : i.attributes) {
      if (!namesComputations(a.name) || a.value.size() < 2 || a.value[0] != '{') continue;
      Scan look(in_.text(), spanOf(a.value).begin + 1);
      (void)look.accept("ROOT");
      if (look.name().empty() || !look.accept('=')) continue;  // a list of names
      Computation c;
      c.name = i.name;
      c.span = spanOf(a.value.substr(0, 1));
      in_.seek(c.span.end);
      readBody(c, false);
      module_.byName.emplace(a.value, static_cast<int>(module_.computations.size()));
      module_.computations.push_back(std::move(c));
    }
    in_.seek(behind);
  }

  bool sameLine(std::size_t a, std::size_t b) const {
    return in_.text().substr(a, b - a).find('\n') == std::string_view::npos;
  }

  std::optional<Diag> readRest(Instruction& i, const Computation&, int number, std::vector<NamedOperand>& operands) {
    if (i.name.empty()) return here("an instruction has no name", "`NAME = shape opcode(operands)`");
    if (!in_.accept('='))
      return here("`=` is missing behind " + std::string(i.name), "`NAME = shape opcode(operands)`");
    const std::string_view shape = in_.shapeText();
    if (shape.empty()) return here("no shape stands behind the `=`", "a shape: f32[8,4]{1,0}, (f32[], s32[])");
    Result<int> known = shapeNumber(shape);
    if (!known) return known.error();
    i.shape = *known;
    i.opcode = in_.name();
    if (i.opcode.empty()) return here("no operation stands behind the shape", "an opcode: add, fusion ...");
    in_.blanksOfLine();
    if (in_.peek() != '(') return here("`(` is missing behind " + std::string(i.opcode), "operands in brackets");
    if (auto wrong = readOperands(i, number, operands)) return wrong;
    readAttributes(i.attributes);
    in_.blanksOfLine();
    if (!in_.done() && in_.peek() != '\n' && in_.peek() != '\r' && in_.peek() != '}' && in_.peek() != ';')
      return here("something is left behind the instruction", "a comma and attributes, or the end of the line");
    if (in_.peek() == ';') in_.seek(in_.at() + 1);
    return std::nullopt;
  }

  // Opcodes whose brackets hold no operands.
  static bool hasLiteral(std::string_view opcode) {
    return opcode == "constant" || opcode == "parameter" || opcode == "iota" || opcode == "partition-id" ||
           opcode == "replica-id";
  }

  std::optional<Diag> readOperands(Instruction& i, int number, std::vector<NamedOperand>& operands) {
    if (hasLiteral(i.opcode)) {
      const std::string_view all = in_.balanced();
      if (all.empty())
        return here("the bracket of " + std::string(i.opcode) + " is not closed", "`)` behind the value");
      i.literal = trimmed(all.substr(1, all.size() - 2));
      return std::nullopt;
    }
    in_.seek(in_.at() + 1);
    if (in_.accept(')')) return std::nullopt;
    for (;;) {
      (void)in_.shapeText();
      const std::string_view name = in_.name();
      if (name.empty())
        return here("an operand of " + std::string(i.opcode) + " has no name",
                    "`%NAME`, with or without a shape before it");
      operands.push_back({number, i.operands.size(), name});
      i.operands.push_back(-1);
      const std::size_t behind = in_.at();
      if (in_.accept(',')) continue;
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

  // ", name=value" as often as it stands here.
  void readAttributes(std::vector<Attribute>& attributes) {
    for (;;) {
      const std::size_t begin = in_.at();
      if (!in_.accept(',')) {
        in_.seek(begin);
        return;
      }
      Attribute a;
      a.name = in_.name();
      if (a.name.empty() || !in_.accept('=')) {
        in_.seek(begin);
        return;
      }
      a.value = in_.value();
      attributes.push_back(a);
    }
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

  void resolve(Computation& c, const Index& names, const std::vector<NamedOperand>& operands) {
    for (const NamedOperand& o : operands) {
      Instruction& i = c.instructions[static_cast<std::size_t>(o.instruction)];
      const auto found = names.find(o.name);
      if (found != names.end()) {
        i.operands[o.slot] = found->second;
        continue;
      }
      std::vector<std::string> near;
      if (c.instructions.size() < 2000)
        for (const auto& [name, number] : names) near.emplace_back(name);
      std::sort(near.begin(), near.end());
      const auto meant = nearest(o.name, near);
      problem(c, i.name,
              {"there is no " + std::string(o.name) + " in " + std::string(c.name),
               "an instruction of the same computation", meant ? "did you mean " + *meant + "?" : "", spanOf(o.name)});
    }
    if (c.root < 0 && !c.instructions.empty()) c.root = static_cast<int>(c.instructions.size()) - 1;
    numberParameters(c);
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
    if (!module_.byName.emplace(c.name, number).second)
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
  std::unordered_map<std::string_view, int> shapes_;
};

}  // namespace

Module readModule(std::string text) { return ModuleReader(std::move(text)).run(); }

}  // namespace tessera::hlo
