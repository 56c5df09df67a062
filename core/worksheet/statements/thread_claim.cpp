// conflict_free(S, f32), conflict_free(S, f32, 4), coalesced(S, float4), race_free(STORE, LOAD): claims about accesses
// that code writes (core/analysis/access/thread_access.h).
#include "core/worksheet/statements/thread_claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/language/words.h"

namespace tessera {
namespace {

using Question = claims::ThreadQuestion;

std::optional<ElementsOfLane> elementsOfLane(const Node& node) {
  const auto word = wordOf(node, "an element type");
  return word ? elementsIn(*word) : std::nullopt;
}

std::string nameOf(const Node& node, std::string_view text) {
  return std::string(text.substr(node.span.begin, std::min<std::size_t>(node.span.end - node.span.begin, 60)));
}

// "C" of C and of C.As.
std::string boundName(const Node& node, std::string_view text) {
  const std::string name = nameOf(node, text);
  return name.substr(0, name.find('.'));
}

// What a corrected line must serve as well.
void addOthers(Question& question, const code::IndexCode& code) {
  const auto all = accessesIn(code, std::nullopt);
  if (!all) return;
  for (const CodeAccess& one : *all)
    if (one.array == code.value().name && one.isShared && !one.fault && one.access.map != question.accesses[0].map)
      question.others.push_back(one.access);
}

// f(S), f(S, TYPE) or f(S, TYPE, COUNT).
Result<void> addAccess(Question& question, const Node& call, std::string_view text, Evaluator& evaluator) {
  std::optional<ElementsOfLane> elements;
  if (call.children.size() > 1) elements = elementsOfLane(*call.children[1]);
  if (call.children.size() == 3) {
    TESSERA_TRY(const Value count, evaluator.evaluate(*call.children[2]));
    const auto* n = std::get_if<i64>(&count);
    if (n == nullptr || *n < 1 || *n > 256)
      return Diag{fmt::format("a lane moves a number of elements in one instruction, not {}", print(count)),
                  "1, 2, 4, 8 or 16", "", call.children[2]->span};
    elements->count = *n;
  }
  const Node& first = *call.children[0];
  TESSERA_TRY(const Value value, evaluator.evaluate(first));
  TESSERA_TRY(ThreadAccess access, placedAt(first, threadAccessIn(value, nameOf(first, text), elements)));
  question.accesses.push_back(std::move(access));
  question.source = evaluator.textOf(boundName(first, text));
  if (const auto* code = as<code::IndexCode>(value)) {
    question.code = std::get<Layout>(value);
    addOthers(question, *code);
  }
  return {};
}

// race_free(C): the accesses to one array between two barriers are one question; the first that can race is asked.
Result<void> addPhases(Question& question, const code::IndexCode& code) {
  if (code.run != nullptr) {  // its run has decided this
    question.ran = code.run->verdict;
    question.ranHolds = code.run->raceFree;
    return {};
  }
  TESSERA_TRY(std::vector<CodeAccess> all, accessesIn(code, std::nullopt));
  for (CodeAccess& one : all) {
    if (one.fault && one.isShared) return *one.fault;
    if (one.fault) continue;  // an array of the caller, of unknown type
    question.groups.push_back(fmt::format("{} {}", one.array, one.phase));
    question.stores.push_back(one.store);
    question.accesses.push_back(std::move(one.access));
  }
  return {};
}

// computes(K): the run of a kernel, whose statement has a reference, has decided it.
Result<void> addReference(Question& question, const Node& call, Evaluator& evaluator) {
  question.what = Question::What::Computes;
  if (call.children.size() != 1) return Diag{"computes takes one kernel", "computes(K)", "", call.span};
  TESSERA_TRY(const Value value, evaluator.evaluate(*call.children[0]));
  const auto* code = as<code::IndexCode>(value);
  if (code == nullptr || code->run == nullptr)
    return Diag{"computes takes a kernel", "K = kernel \"a.ptx\" ... reference \"C = A @ B\"", "", call.span};
  if (!code->run->computes)
    return Diag{"the statement of this kernel has no reference", "reference \"C = A @ B\" after its other options", "",
                call.span};
  const code::RunFacts::Computes answer = code->run->computes();
  question.ran = answer.why;
  question.ranHolds = answer.holds;
  question.code = std::get<Layout>(value);
  if (auto map = code::toMap(*code)) question.maps.push_back(*std::move(map));
  return {};
}

Result<void> addRaces(Question& question, const Node& call, std::string_view text, Evaluator& evaluator) {
  question.what = Question::What::RaceFree;
  if (call.children.empty())
    return Diag{"race_free takes the store and the loads of one phase", "race_free(STORE, LOAD)", "", call.span};
  for (const NodePtr& child : call.children) {
    TESSERA_TRY(const Value value, evaluator.evaluate(*child));
    const auto* code = as<code::IndexCode>(value);
    const bool isAccess = code != nullptr && code->value().kind == code::IndexValue::Kind::Access;
    if (isAccess && call.children.size() == 1 && child->kind == Node::Kind::Name)
      return placedAt(*child, addPhases(question, *code));
    const ElementsOfLane one{isAccess && code->value().elementBits > 0 ? code->value().elementBits : 32, 1};
    TESSERA_TRY(ThreadAccess access, placedAt(*child, threadAccessIn(value, nameOf(*child, text), one)));
    const bool load = isAccess ? code->value().direction == code::Direction::Load : !question.stores.empty();
    question.accesses.push_back(std::move(access));
    question.stores.push_back(!load);
  }
  return {};
}

}  // namespace

bool isThreadClaim(const Node& node, Evaluator& evaluator) {
  if (node.text == "race_free" || node.text == "computes") return true;
  if (node.text != "conflict_free" && node.text != "coalesced") return false;
  const std::size_t count = node.children.size();
  if (count == 1) {
    const auto value = evaluator.evaluate(*node.children[0]);
    return value && is<code::IndexCode>(*value);
  }
  return (count == 2 || count == 3) && elementsOfLane(*node.children[1]).has_value();
}

void addPartial(Claim& claim, const Node& node, std::string_view text, Evaluator& evaluator) {
  for (const NodePtr& child : node.children) {
    addPartial(claim, *child, text, evaluator);
    if (child->kind != Node::Kind::Name && child->kind != Node::Kind::Literal) continue;
    const auto value = evaluator.evaluate(*child);
    const auto* access = value ? as<code::IndexCode>(*value) : nullptr;
    if (access == nullptr || access->value().kernel.partial.empty() || !claim.partial.empty()) continue;
    claim.partial = fmt::format("{}: {}", text.substr(child->span.begin, child->span.end - child->span.begin),
                                access->value().kernel.partial);
  }
}

Result<ClaimRequest> threadClaim(const Node& node, std::string_view text, Evaluator& evaluator) {
  Question question;
  if (node.text == "race_free") {
    TESSERA_CHECKED(addRaces(question, node, text, evaluator));
  } else if (node.text == "computes") {
    TESSERA_CHECKED(addReference(question, node, evaluator));
  } else {
    question.what = node.text == "coalesced" ? Question::What::Coalesced : Question::What::ConflictFree;
    TESSERA_CHECKED(addAccess(question, node, text, evaluator));
  }
  ClaimRequest request;
  request.claim.text = text.substr(node.span.begin, node.span.end - node.span.begin);
  for (const ThreadAccess& access : question.accesses) {
    question.maps.push_back(access.map);
    if (!access.asked.empty() && request.claim.reading.empty()) request.claim.reading = access.asked;
  }
  request.claim.says = claims::Threads{std::make_shared<const Question>(std::move(question))};
  return request;
}

}  // namespace tessera
