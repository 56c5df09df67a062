#include "core/worksheet/programs/equal_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/cursor.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/input_ranges.h"
#include "core/graphene/reader/parameters.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/programs/clauses.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

class EqualParser {
 public:
  EqualParser(std::string_view text, std::size_t from, Evaluator& evaluator)
      : in_(text, {.nameAlso = "."}, from), evaluator_(evaluator) {}

  Result<std::optional<EqualRequest>> parse() {
    out_.negated = in_.acceptWord("not");
    const std::size_t begin = in_.start();
    if (!in_.acceptWord("equal") || !in_.accept('(')) return std::optional<EqualRequest>();
    if (!aboutPrograms()) return std::optional<EqualRequest>();
    TESSERA_CHECKED(side());
    TESSERA_CHECKED(in_.expect(",", "after the first program, equal(fused, unfused)"));
    TESSERA_CHECKED(side());
    TESSERA_CHECKED(in_.expect(")", "after the second program"));
    out_.text = std::string(in_.text().substr(begin, in_.position() - begin));
    while (!in_.atEnd()) TESSERA_CHECKED(clause());
    if (!out_.ranges.empty() && !out_.within)
      return Diag{"ranges of inputs are for a bound on the error", "within 1e-3 for |X| <= 4", "", rangesAt_};
    out_.first = std::move(programs_.front());
    if (programs_.size() == 2) out_.second = std::move(programs_.back());
    TESSERA_CHECKED(apply());
    if (out_.negated) out_.text = "not " + out_.text;
    return std::optional(std::move(out_));
  }

 private:
  const graphene::Listing* programOf(const std::string& name) {
    const Value* bound = evaluator_.find(name);
    return bound == nullptr ? nullptr : std::get_if<graphene::Listing>(bound);
  }

  // Whether one of the two arguments is a program; the other one may be anything.
  bool aboutPrograms() {
    Cursor ahead = in_;
    for (int k = 0; k < 2; ++k) {
      ahead.skipBlanks();
      if (ahead.peek() == '"') {
        const std::size_t close = ahead.text().find('"', ahead.position() + 1);
        if (close == std::string_view::npos) return false;
        ahead.seek(close + 1);
      } else {
        const auto name = ahead.identifier("a program");
        if (!name) return false;
        if (programOf(*name) != nullptr) return true;
      }
      if (!ahead.accept(',')) return false;
    }
    return false;
  }

  Result<std::string> quoted(const char* what) {
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    if (in_.peek() != '"') return in_.fail(fmt::format("{} is missing", what), "a text in quotes");
    const std::size_t close = in_.text().find('"', begin + 1);
    if (close == std::string_view::npos) return in_.failFrom(begin, "the quote never closes");
    in_.seek(close + 1);
    return std::string(in_.text().substr(begin + 1, close - begin - 1));
  }

  Result<void> side() {
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    if (in_.peek() == '"') {
      if (!out_.reference.empty()) return in_.fail("one of the two must be a program", "equal(NAME, \"Y = ...\")");
      TESSERA_TRY(out_.reference, quoted("the reference"));
      if (out_.reference.empty()) return in_.failFrom(begin, "the reference is empty", "\"Y = relu(A @ B)\"");
      return {};
    }
    const auto name = in_.identifier("a program or a text in quotes");
    if (!name) return name.error();
    const graphene::Listing* listing = programOf(*name);
    const Value* bound = evaluator_.find(*name);
    if (listing == nullptr)
      return in_.failFrom(
          begin,
          bound == nullptr ? fmt::format("'{}' is not defined", *name)
                           : fmt::format("'{}' is {}, and the other one is a Graphene program", *name, nounOf(*bound)),
          "the name of a graphene block, or a text in quotes: \"Y = relu(A @ B)\"");
    programs_.push_back(*listing);
    return {};
  }

  Result<void> clause() {
    in_.skipBlanks();
    const std::size_t begin = in_.position();
    TESSERA_TRY(const std::string word, clauses_.next(in_));
    if (word == "with" || word == "against") return values(word == "with" ? both_ : second_, word == "with");
    if (word == "where") {
      TESSERA_TRY(out_.where, quoted("what `where` states"));
      return {};
    }
    if (word == "within") {
      TESSERA_TRY(out_.within, graphene::realNumber(in_, "the error"));
      if (*out_.within >= 0) return {};
      return in_.failFrom(begin, "the error is negative", "within 1e-3");
    }
    if (word == "for") {
      rangesAt_ = in_.spanFrom(begin);
      TESSERA_TRY(const graphene::InputRanges ranges, graphene::inputRanges(in_));
      out_.ranges = graphene::print(ranges);
      return {};
    }
    TESSERA_TRY(out_.architecture, in_.identifier("an architecture"));
    if (out_.architecture.starts_with("sm_")) return {};
    return in_.failFrom(begin, fmt::format("'{}' is not an architecture", out_.architecture), "sm_80, sm_90a ...");
  }

  using Given = GivenValue;
  // M=1, stages=3, small: commas are optional.
  Result<void> values(std::vector<Given>& to, bool mayBeSmall) {
    do {
      if (mayBeSmall && in_.acceptWord("small")) {
        out_.small = true;
        continue;
      }
      TESSERA_TRY(Given given, givenValue(in_));
      if (std::ranges::find(to, given.name, &Given::name) != to.end())
        return in_.failFrom(given.place.begin, fmt::format("'{}' is given twice", given.name));
      to.push_back(std::move(given));
    } while (in_.accept(',') || givenValueFollows(in_));
    return {};
  }

  static bool hasSize(const graphene::Listing& listing, const std::string& name) {
    return std::ranges::any_of(listing.program->variables, [&](const graphene::Variable& v) {
      return v.kind == graphene::Variable::Kind::Size && v.name == name;
    });
  }
  static bool hasParameter(const graphene::Listing& listing, const std::string& name) {
    const Span inside = graphene::programIn(listing.text);
    const auto head =
        graphene::parametersOf(std::string_view(listing.text).substr(inside.begin, inside.end - inside.begin));
    return head && head->find(name) != nullptr;
  }

  // Gives the values to the programs. Parameters first: they may decide which sizes there are.
  Result<void> apply() {
    std::vector<graphene::Listing*> programs{&out_.first};
    if (out_.second) programs.push_back(&*out_.second);
    std::set<std::string> used;
    for (graphene::Listing* program : programs) {
      graphene::Settings settings;
      Span place;
      const auto take = [&](const std::vector<Given>& from) {
        for (const Given& given : from) {
          if (!hasParameter(*program, given.name)) continue;
          settings[given.name] = given.text;
          used.insert(given.name);
          place = given.place;
        }
      };
      take(both_);
      if (program != programs.front()) take(second_);
      if (settings.empty()) continue;
      auto set = graphene::with(*program, settings);
      if (!set) {
        Diag diag = set.error();
        diag.span = place;
        return diag;
      }
      *program = *std::move(set);
    }
    for (const bool ofSecond : {false, true})
      for (const Given& given : ofSecond ? second_ : both_) {
        const bool size = std::ranges::any_of(programs, [&](const graphene::Listing* program) {
          return (!ofSecond || program != programs.front()) && hasSize(*program, given.name);
        });
        if (!size) {
          if (used.count(given.name) != 0) continue;
          return Diag{fmt::format("{} is neither a size nor a parameter of {}", given.name,
                                  ofSecond               ? "the second program"
                                  : programs.size() == 1 ? programs[0]->name
                                                         : programs[0]->name + " or " + programs[1]->name),
                      "", "", given.place};
        }
        Cursor number(given.text);
        const auto value = number.integer();
        if (!value || *value < 1)
          return Diag{fmt::format("the size {} must be a number of at least 1", given.name), given.name + "=128", "",
                      given.place};
        (ofSecond ? out_.secondSizes : out_.sizes)[given.name] = *value;
      }
    return {};
  }

  Cursor in_;
  Evaluator& evaluator_;
  EqualRequest out_;
  std::vector<graphene::Listing> programs_;
  std::vector<Given> both_, second_;
  Span rangesAt_;
  Clauses clauses_{"equal",
                   {"with", "against", "where", "on", "within", "for"},
                   "with M=1, against M=2, where \"W = V.T\", on sm_90, within 1e-3 for |X| <= 4"};
};

}  // namespace

Result<std::optional<EqualRequest>> parseEqual(std::string_view text, std::size_t from, std::size_t to,
                                               Evaluator& evaluator) {
  return EqualParser(text.substr(0, to), from, evaluator).parse();
}

}  // namespace tessera
