#include "app/engine/paste/paste_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/engine/help/number_steps.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work_budget.h"
#include "core/paste/bindings.h"
#include "core/paste/blocks.h"
#include "core/paste/dialects.h"
#include "core/paste/meaning.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr double kPasteSeconds = 2;
constexpr int kMostRounds = 4;  // a default may raise further questions

// A constant that the text uses and does not define, with the value that stands for it.
struct Assumed {
  std::string asked;  // as in the text: "TileShape::kContiguous"
  std::string name;   // as a name of the worksheet: "TileShape_kContiguous"
  std::string value;
  bool named = false;  // the statements use the name
};

// --- questions ------------------------------------------------------------------------------------------------------

// "--let 'shape=(32,32)'" -> "shape=(32,32)"; of "--over row=64 or --let row=64" the first
std::string_view argumentOf(std::string_view suggestion, std::string_view option) {
  if (!suggestion.starts_with(option) || suggestion.size() <= option.size() + 1) return {};
  suggestion.remove_prefix(option.size() + 1);
  suggestion = suggestion.substr(0, suggestion.find(" or "));
  if (suggestion.size() > 2 && suggestion.front() == '\'' && suggestion.back() == '\'')
    return suggestion.substr(1, suggestion.size() - 2);
  return suggestion;
}

// Adds the answer that the question suggests; false if it suggests none.
bool answer(const paste::Question& question, paste::Given& given, std::vector<Assumed>& assumed) {
  if (const std::string_view let = argumentOf(question.suggests, "--let"); !let.empty()) {
    const auto pair = readLet(let);
    if (!pair || given.let(pair->first) != nullptr) return false;
    given.lets.push_back(*pair);
    assumed.push_back({pair->first, paste::worksheetName(pair->first), pair->second});
    return true;
  }
  const auto over = readOver(argumentOf(question.suggests, "--over"));
  if (!over) return false;
  given.over.push_back(*over);
  assumed.push_back({over->first, "", std::to_string(over->second)});
  return true;
}

// --- names in place of values ---------------------------------------------------------------------------------------

struct Piece {
  std::string text;
  std::optional<i64> number;  // 64 and _64
};

std::vector<Piece> piecesOf(std::string_view text) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (isNamePart(text[i]))
      while (end < text.size() && isNamePart(text[end])) ++end;
    Piece piece{std::string(text.substr(i, end - i)), std::nullopt};
    const std::string_view digits = std::string_view(piece.text).substr(piece.text.front() == '_' ? 1 : 0);
    i64 number = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && last == digits.data() + digits.size()) piece.number = number;
    out.push_back(std::move(piece));
    i = end;
  }
  return out;
}

std::vector<std::vector<Piece>> piecesOf(const paste::Reading& reading) {
  std::vector<std::vector<Piece>> out;
  for (const paste::Statement& s : reading.statements) out.push_back(piecesOf(s.text));
  return out;
}

std::string textOf(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& p : pieces) out += p.text;
  return out;
}

// Replaces each number that doubles with the constant by a multiple of its name. False, with `into` unchanged, if the
// statements depend on it in another way.
bool nameMultiples(const std::string& name, i64 value, const std::vector<std::vector<Piece>>& at,
                   const std::vector<std::vector<Piece>>& doubled, std::vector<std::vector<Piece>>& into) {
  if (at.size() != doubled.size() || value <= 0) return false;
  std::vector<std::vector<Piece>> out = into;
  bool any = false;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k].size() != doubled[k].size()) return false;
    for (std::size_t p = 0; p < at[k].size(); ++p) {
      const Piece &one = at[k][p], &two = doubled[k][p];
      if (one.text == two.text) continue;
      const bool multiple = one.number && two.number && *two.number == 2 * *one.number && *one.number % value == 0;
      if (!multiple || out[k][p].text != one.text) return false;
      const i64 factor = *one.number / value;
      out[k][p].text = factor == 1 ? name : fmt::format("{} * {}", factor, name);
      any = true;
    }
  }
  if (any) into = std::move(out);
  return any;
}

bool mentions(std::string_view text, std::string_view word) {
  const std::vector<std::string_view> names = namePartsIn(text);
  return std::ranges::find(names, word) != names.end();
}

std::string line(const Assumed& one) { return fmt::format("{} = {}", one.name, one.value); }

std::vector<std::string> textsOf(const paste::Reading& reading) {
  std::vector<std::string> out;
  for (const paste::Statement& s : reading.statements) out.push_back(s.text);
  return out;
}

// Whether the statements, after these bindings, have the values of the reading.
bool keepValues(const std::vector<Assumed>& assumed, const std::vector<std::string>& texts,
                const paste::Reading& reading) {
  Scope named, plain;
  for (const Assumed& one : assumed) {
    if (!one.named) continue;
    for (const Statement& s : splitStatements(line(one)))
      if (evaluate(s, named).diag) return false;
  }
  if (texts.size() != reading.statements.size()) return false;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::vector<Statement> with = splitStatements(texts[k]),
                                 without = splitStatements(reading.statements[k].text);
    if (with.size() != without.size()) return false;
    for (std::size_t s = 0; s < with.size(); ++s) {
      const Evaluated a = evaluate(with[s], named), b = evaluate(without[s], plain);
      if (a.diag || b.diag || a.value.has_value() != b.value.has_value()) return false;
      // 64 and _64 differ in text only.
      const auto flat = [](const Value& v) {
        std::string text = print(v);
        std::erase(text, '_');
        return text;
      };
      if (a.value && flat(*a.value) != flat(*b.value)) return false;
    }
  }
  return true;
}

std::optional<i64> integerOf(const Assumed& one) {
  return one.name.empty() ? std::nullopt : paste::integerText(one.value);
}

paste::Given withValue(paste::Given given, const std::string& name, i64 value) {
  for (auto& [key, let] : given.lets)
    if (key == name) let = std::to_string(value);
  return given;
}

// Whether the text says that it does not work with these constants.
bool isRefused(const paste::Reading& reading, const paste::Reading& base) {
  return !reading.questions.empty() || std::ranges::any_of(reading.notes, [&](const std::string& note) {
    const bool refuses = note.find(" is left out: ") != std::string::npos || note.starts_with("the text forbids");
    return refuses && std::ranges::find(base.notes, note) == base.notes.end();
  });
}

// Whether the statements also hold for the sizes next to the assumed one: each time the text is read again. Sizes that
// the text refuses do not count.
bool holdsNearby(std::string_view text, const paste::Given& given, const paste::Reading& base,
                 const std::vector<Assumed>& assumed, std::size_t which, const std::vector<std::string>& texts) {
  constexpr int kSteps = 3;
  for (const int direction : {-1, 1}) {
    i64 value = *integerOf(assumed[which]);
    for (int step = 0; step < kSteps; ++step) {
      value = nextSize(value, direction);
      const auto reading = paste::read(text, withValue(given, assumed[which].asked, value));
      if (!reading || isRefused(*reading, base)) continue;
      std::vector<Assumed> at = assumed;
      at[which].value = std::to_string(value);
      if (!keepValues(at, texts, *reading)) return false;
    }
  }
  return true;
}

// Lets the dialect itself write what follows from the constants, as far as that holds for other values of them.
std::vector<std::string> dialectNames(std::string_view text, const paste::Given& given, const paste::Reading& reading,
                                      std::vector<Assumed>& assumed) {
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < assumed.size(); ++k)
    if (integerOf(assumed[k])) wanted.push_back(k);
  while (!wanted.empty()) {
    paste::Given bound = given;
    for (const std::size_t k : wanted) bound.bound.push_back(assumed[k].asked);
    const auto named = paste::read(text, bound);
    if (!named || !named->questions.empty()) break;
    const std::vector<std::string> texts = textsOf(*named);
    for (const std::size_t k : wanted)
      assumed[k].named = std::ranges::any_of(texts, [&](const std::string& t) { return mentions(t, assumed[k].name); });
    std::erase_if(wanted, [&](std::size_t k) { return !assumed[k].named; });
    if (!wanted.empty() && keepValues(assumed, texts, reading)) {
      const auto wrong = std::ranges::find_if(
          wanted, [&](std::size_t k) { return !holdsNearby(text, given, reading, assumed, k, texts); });
      if (wrong == wanted.end()) return texts;
      assumed[*wrong].named = false;
      wanted.erase(wrong);
      continue;
    }
    break;
  }
  for (Assumed& one : assumed) one.named = false;
  return textsOf(reading);
}

// The statements, with the names of constants where that keeps their values.
std::vector<std::string> statementsOf(std::string_view text, const paste::Given& given, const paste::Reading& reading,
                                      std::vector<Assumed>& assumed) {
  std::vector<std::string> texts = dialectNames(text, given, reading, assumed);
  if (std::ranges::any_of(assumed, &Assumed::named)) return texts;
  const std::vector<std::vector<Piece>> plain = piecesOf(reading);
  std::vector<std::vector<Piece>> pieces = plain;
  for (Assumed& one : assumed) {
    const auto value = integerOf(one);
    if (!value) continue;
    const auto other = paste::read(text, withValue(given, one.asked, 2 * *value));
    const std::vector<std::vector<Piece>> before = pieces;
    one.named = other && nameMultiples(one.name, *value, plain, piecesOf(*other), pieces);
    std::vector<std::string> with;
    for (const auto& statement : pieces) with.push_back(textOf(statement));
    const auto which = static_cast<std::size_t>(&one - assumed.data());
    if (one.named && keepValues(assumed, with, reading) && holdsNearby(text, given, reading, assumed, which, with)) {
      texts = std::move(with);
    } else if (one.named) {
      pieces = before;
      one.named = false;
    }
  }
  return texts;
}

// --- the text -------------------------------------------------------------------------------------------------------

bool isDrawn(const Value& value) {
  return heldLayout(value) != nullptr || is<AtlasRow>(value) || is<TiledMma>(value) || is<TiledCopy>(value);
}

// X is the name of a value that the text does not name; another one if the worksheet has an X.
std::string freshName(const std::vector<std::string>& taken) {
  std::string name = "X";
  for (int n = 2; std::ranges::find(taken, name) != taken.end(); ++n) name = fmt::format("X{}", n);
  return name;
}

// The reading with the suggested answers; its questions are those without one.
Result<paste::Reading> readAssuming(std::string_view text, paste::Given& given, std::vector<Assumed>& assumed) {
  Result<paste::Reading> reading = paste::read(text, given);
  for (int round = 0; round < kMostRounds && reading && !reading->questions.empty(); ++round) {
    bool any = false;
    for (const paste::Question& question : reading->questions) any = answer(question, given, assumed) || any;
    if (!any) break;
    reading = paste::read(text, given);
  }
  return reading;
}

PasteText asStatements(std::string_view text, const paste::Given& given, const paste::Reading& reading,
                       std::vector<Assumed> assumed, const std::vector<std::string>& taken) {
  PasteText out;
  out.remark = "read as " + reading.dialect;
  std::vector<std::string> statements = statementsOf(text, given, reading, assumed);
  const bool block = reading.dialect == paste::kGraphene.name;
  if (!block) out.text = "// read as " + reading.dialect + "\n";
  for (const std::string& note : reading.notes) {
    out.text += "// " + note + "\n";
    out.remark += "; " + note;
  }
  for (const Assumed& one : assumed) {
    out.text += one.named ? fmt::format("{}   // assumed: edit\n", line(one))
                          : fmt::format("// {} = {} is assumed\n", one.asked, one.value);
    out.remark += fmt::format("; {} = {} is assumed", one.asked, one.value);
  }
  const std::string fresh = mentions(text, "X") ? "X" : freshName(taken);
  std::string last;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    std::string name = reading.statements[k].name;
    if (statements[k] == name + " = " + name) continue;  // the constant's own line binds it
    const bool ours = name == "X" && fresh != "X" && statements[k].starts_with("X") &&
                      !isNamePart(statements[k].size() > 1 ? statements[k][1] : ' ');
    if (ours) statements[k].replace(0, 1, name = fresh);
    if (!name.empty()) last = name;
    out.text += statements[k] + "\n";
  }
  const Result<Pasted> pasted = evaluatePaste(text, given);
  if (pasted && pasted->last && !last.empty() && isDrawn(*pasted->last)) out.text += "show " + last + "\n";
  if (block) out.text += "\ncheck " + last + "\n";
  return out;
}

// Text of the worksheet. Names without a binding, as in (M,N):(N,1), may be numbers if its value is a layout.
bool isSheet(std::string_view text) {
  const Result<paste::Reading> alone = paste::kWorksheet.read(text, {});
  if (!alone || alone->questions.empty()) return alone.ok();
  paste::Given numbers;
  for (const paste::Question& question : alone->questions) numbers.lets.emplace_back(question.name, "4");
  const Result<paste::Reading> bound = paste::kWorksheet.read(text, numbers);
  if (!bound || !bound->questions.empty()) return false;
  const auto value = paste::lastValue(*bound);
  return value && heldLayout(**value) != nullptr;
}

}  // namespace

PasteText pasteText(std::string_view text, const std::vector<std::string>& taken) {
  if (isModuleText(text)) return {asModuleBlock("module", text), "read as an HLO module", false};
  const WorkBudget limit({.seconds = kPasteSeconds});
  try {
    paste::Given given;
    std::vector<Assumed> assumed;
    if (isSheet(text)) return {};
    const Result<paste::Reading> reading = readAssuming(text, given, assumed);
    if (!reading) {
      const bool known = !paste::dialectOf(text).empty();
      return {"", known ? reading.error().message : "", known};
    }
    if (reading->dialect == "Tessera") return {};  // with names that nothing binds yet
    if (!reading->questions.empty()) {
      const paste::Question& first = reading->questions.front();
      return {"", fmt::format("read as {}: {} is not given ({})", reading->dialect, first.name, first.asks), true};
    }
    return asStatements(text, given, *reading, std::move(assumed), taken);
  } catch (const OutOfBudget&) {
    return {"", "this text takes too long to read", true};
  }
}

}  // namespace tessera
