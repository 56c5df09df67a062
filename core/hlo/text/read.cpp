#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/hlo/text/device_groups.h"
#include "core/hlo/text/kept.h"
#include "core/hlo/text/reader.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kMostText = std::size_t{1} << 30;
constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

// A short excerpt of the text for a message.
std::string quoted(std::string_view s) {
  s = s.substr(0, s.find('\n'));
  return fmt::format("`{}{}`", s.substr(0, 60), s.size() > 60 ? "..." : "");
}

}  // namespace

ModuleReader::ModuleReader(std::string text) {
  module.text = std::make_shared<const std::string>(std::move(text));
  module.kept = std::make_shared<Kept>();
  in = Scan(*module.text, module.text->starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

Module ModuleReader::run() {
  if (module.text->size() > kMostText) {
    problem({fmt::format("the text has {} bytes", module.text->size()), "at most 1 GB", "", {0, 1}});
    return std::move(module);
  }
  for (in.blanks(); !in.done(); in.blanks()) topLevel();
  if (module.entry < 0 && !module.computations.empty()) module.entry = static_cast<int>(module.computations.size()) - 1;
  if (module.computations.empty() && module.problems.empty())
    problem({"there is no computation here",
             "a module: `HloModule NAME`, computations with their instructions",
             "",
             {0, std::min<std::size_t>(1, module.text->size())}});
  sortProblems();
  countDevices(module);
  return std::move(module);
}

void ModuleReader::topLevel() {
  const std::size_t begin = in.at();
  if (in.accept("HloModule")) return readHead();
  for (const std::string_view table : kTables)
    if (in.accept(table)) return readTable(table);
  if (loneInstruction()) return readLoose();
  if (readComputation()) return;
  in.seek(begin);
  problem({quoted(in.text().substr(begin)) + " does not begin a computation",
           "`%NAME (parameters) -> shape {`, `ENTRY ...`, or `NAME {`",
           "",
           {begin, lineEnd(begin)}});
  in.line();
}

// HloModule NAME, attributes; skips the rest of the line, unless a computation begins there.
void ModuleReader::readHead() {
  in.blanksOfLine();
  if (in.peek() == '%' || (in.peek() != ',' && in.peek() != '\n')) module.name = in.name();
  if (const auto wrong = readAttributes(module.attributes)) problem(*wrong);
  in.blanksOfLine();
  Scan look = in;
  if (look.peek() == '%' || look.accept("ENTRY")) return;
  if (!look.name().empty()) look.blanks();
  if (look.at() > in.at() && (look.peek() == '{' || look.peek() == '(')) return;
  in.line();
}

void ModuleReader::readTable(std::string_view table) {
  auto& rows = module.tables[table];
  for (in.line(); !in.done(); in.line()) {
    in.blanksOfLine();
    const std::size_t begin = in.at();
    const std::string_view number = isDigit(in.peek()) ? in.name() : std::string_view{};
    if (number.empty() || !std::ranges::all_of(number, isDigit) || number.size() > 18) return in.seek(begin);
    in.blanksOfLine();
    rows[std::stoll(std::string(number))] = in.text().substr(in.at(), lineEnd(in.at()) - in.at());
  }
}

// Instructions outside a computation: a fragment of a dump.
void ModuleReader::readLoose() {
  Computation c;
  c.name = "lines";
  c.span = {in.at(), in.at() + 1};
  readBody(*this, c, true);
  finish(std::move(c));
}

bool ModuleReader::readComputation() {
  Computation c;
  const std::size_t begin = in.at();
  c.entry = in.accept("ENTRY");
  c.name = in.name();
  c.span = {begin, std::max(in.at(), begin + 1)};
  in.blanks();
  if (c.name.empty() && in.peek() == '%') {  // fingerprints omit the names
    in.seek(in.at() + 1);
    in.blanks();
  }
  const bool head = !c.name.empty() || c.entry || in.peek() == '{' || in.peek() == '(';
  if (!signaturePassed()) return false;
  std::vector<Attribute> attributes;
  (void)readAttributes(attributes);
  if (!head || !in.accept('{')) return false;
  readBody(*this, c, false);
  finish(std::move(c));
  return true;
}

void ModuleReader::finish(Computation c) {
  const int number = static_cast<int>(module.computations.size());
  if (c.entry) module.entry = number;
  if (!c.name.empty() && !module.byName.emplace(c.name, number).second)
    problem({fmt::format("there are two computations {}", c.name), "a name for each", "calls refer to the first one",
             c.span},
            c.name);
  module.computations.push_back(std::move(c));
}

void ModuleReader::sortProblems() {
  std::ranges::stable_sort(module.problems, {}, [](const Problem& p) { return p.diag.span.begin; });
  int line = 1;
  auto at = module.text->begin();
  for (Problem& p : module.problems) {
    const auto to =
        module.text->begin() + static_cast<std::ptrdiff_t>(std::min(p.diag.span.begin, module.text->size()));
    line += static_cast<int>(std::count(at, to, '\n'));
    at = to;
    p.line = line;
  }
}

bool ModuleReader::loneInstruction() const {
  Scan look = in;
  (void)look.accept("ROOT");
  return !look.name().empty() && look.accept('=');
}

bool ModuleReader::instructionFollows() {
  return follows([&] {
    (void)in.accept("ROOT");
    return !in.name().empty() && in.accept('=') && (!in.shapeText().empty() || opcodeFollows());
  });
}

bool ModuleReader::headFollows() {
  return follows([&] {
    const bool entry = in.accept("ENTRY");
    if (in.name().empty() && !entry) return false;
    return signaturePassed() && in.accept('{');
  });
}

bool ModuleReader::bracketFollows() {
  const std::size_t begin = in.at();
  in.blanks();
  if (in.peek() == '(') return true;
  in.seek(begin);
  in.blanksOfLine();
  return false;
}

bool ModuleReader::opcodeFollows() {
  return follows([&] { return !in.name().empty() && bracketFollows(); });
}

// "(x: f32[2]) -> f32[2]", or nothing; false: unterminated.
bool ModuleReader::signaturePassed() {
  in.blanks();
  if (in.peek() == '(' && in.balanced().empty()) return false;
  in.blanks();
  if (in.peek() != '-' || in.peek(1) != '>') return true;
  in.seek(in.at() + 2);
  return !in.shapeText().empty();
}

std::optional<Diag> ModuleReader::readAttributes(std::vector<Attribute>& attributes) {
  std::optional<Diag> wrong;
  for (;;) {
    const std::size_t begin = in.at();
    Attribute a;
    if (in.accept(',')) a.name = in.name();
    if (a.name.empty() || !in.accept('=')) {
      in.seek(begin);
      return wrong;
    }
    in.blanksOfLine();
    const std::size_t at = in.at();
    if (in.peek() == '\n' || in.peek() == '\r') in.blanks();
    if (in.at() == at || in.peek() == '{' || !loneInstruction()) a.value = valueOfAttribute(a.name);
    if (!a.value.empty()) {
      attributes.push_back(a);
      continue;
    }
    in.seek(at);  // read the rest, so that a body among them is not parsed as the next lines
    if (!wrong) wrong = here(fmt::format("there is no value after {}=", a.name), "a value: {1,0}, 2, %NAME ...");
  }
}

// A mesh is followed by an optional device order and its axes: mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y'}
// A literal is preceded by its shape: s32[2]{0} {1, 2}, f32[] -inf.
std::string_view ModuleReader::valueOfAttribute(std::string_view name) {
  if (name == "literal") {
    const std::size_t begin = in.at();
    for (std::size_t end = begin; !in.value().empty();) {
      end = in.at();
      in.blanksOfLine();
      if (std::string_view(",\n\r})").find(in.peek()) == std::string_view::npos && !in.done()) continue;
      in.seek(end);
      break;
    }
    return in.from(begin);
  }
  const std::string_view value = in.value();
  if (!value.starts_with("mesh[")) return value;
  const std::size_t begin = in.at() - value.size();
  std::size_t end = in.at();
  if (in.accept(',') && in.accept("device_ids") && in.accept('=') && !in.value().empty()) end = in.at();
  in.seek(end);
  in.blanksOfLine();
  if (in.peek() == '{' && !in.balanced().empty()) end = in.at();
  in.seek(end);
  return in.from(begin);
}

Result<int> ModuleReader::shapeNumber(std::string_view text) {
  const auto [at, isNew] = shapes_.try_emplace(text, static_cast<int>(module.shapes.size()));
  if (!isNew) return at->second;
  Result<xla::Shape> shape = xla::parseShape(text);
  if (!shape) {
    shapes_.erase(at);
    Diag diag = shape.error();
    diag.span = diag.span.shifted(spanOf(text).begin);
    return diag;
  }
  module.shapes.push_back(std::move(*shape));
  return at->second;
}

std::size_t ModuleReader::lineEnd(std::size_t at) const { return std::min(in.text().find('\n', at), in.text().size()); }

Diag ModuleReader::here(std::string message, std::string expected) const {
  const std::size_t at = std::min(in.at(), in.text().size());
  const std::size_t end = std::min(lineEnd(at), at + 40);
  return {std::move(message), std::move(expected), "", {at, std::max(end, std::min(at + 1, in.text().size()))}};
}

Span ModuleReader::spanOf(std::string_view piece) const {
  const auto at = static_cast<std::size_t>(piece.data() - module.text->data());
  return {at, at + piece.size()};
}

void ModuleReader::problem(Diag diag, std::string_view computation, std::string_view instruction) {
  if (module.problems.size() >= kMostProblems) return;
  module.problems.push_back({std::string(computation), std::string(instruction), 0, std::move(diag)});
}

Module readModule(std::string text) { return ModuleReader(std::move(text)).run(); }

}  // namespace tessera::hlo
