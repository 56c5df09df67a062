#include "core/worksheet/programs/programs.h"

#include <fmt/format.h>

#include "core/graphene/obligation.h"
#include "core/graphene/program.h"
#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/notation/graphene/notation.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/programs/equal_statement.h"
#include "core/worksheet/programs/functions.h"
#include "core/worksheet/programs/part_claims.h"
#include "core/worksheet/programs/run_statement.h"

namespace tessera {
namespace {

// move.%q: a tensor of the program that an earlier line binds to move.
Result<std::optional<Value>> readProgramTensor(Cursor& in, const NameLookup& names) {
  const std::string_view word = in.peekWord();
  const char mark = in.raw(word.size() + 1);
  if (word.empty() || in.raw(word.size()) != '.' || (mark != '%' && mark != '#')) return std::optional<Value>();
  const Value* bound = names ? names(std::string(word)) : nullptr;
  const auto* listing = bound == nullptr ? nullptr : std::get_if<graphene::Listing>(bound);
  if (listing == nullptr) return std::optional<Value>();
  const std::size_t begin = in.position();
  std::size_t length = word.size() + 2;
  while (isNamePart(in.raw(length))) ++length;
  const std::string_view name = in.text().substr(begin + word.size() + 1, length - word.size() - 1);
  const auto tensor = graphene::findTensor(*listing->program, name);
  in.seek(begin + length);
  if (!tensor)
    return in.failFrom(begin, fmt::format("there is no tensor {} in {}", name, listing->name),
                       "a tensor of the program");
  return std::optional<Value>(Layout(*tensor));
}

// soft.%fusion.1, soft.fusion.1: a part of the module bound to soft; takes the longest name that the module has.
Result<std::optional<Value>> readModulePart(Cursor& in, const NameLookup& names) {
  const std::string_view word = in.peekWord();
  std::size_t from = word.size() + 1;
  if (word.empty() || in.raw(word.size()) != '.') return std::optional<Value>();
  const Value* bound = names ? names(std::string(word)) : nullptr;
  const auto* listing = bound == nullptr ? nullptr : as<hlo::Listing>(*bound);
  if (listing == nullptr) return std::optional<Value>();
  const std::size_t begin = in.position();
  const auto isPart = [](char c) { return isNamePart(c) || c == '.' || c == '-'; };
  std::size_t end = from;
  while (isPart(in.raw(end)) || (in.raw(end) == '%' && (end == from || in.raw(end - 1) == '.'))) ++end;
  const std::string_view all = in.text().substr(begin + from, end - from);
  for (std::size_t length = all.size(); length > 0; --length) {
    if (length < all.size() && isNamePart(all[length])) continue;
    if (all.substr(length).starts_with(".%")) break;  // a computation that the module does not have
    auto part = hlo::findPart(*listing, all.substr(0, length));
    if (!part) continue;
    in.seek(begin + from + length);
    return std::optional<Value>(Layout(*std::move(part)));
  }
  in.seek(begin + end);
  Diag diag = hlo::noSuchPart(*listing, all);
  diag.span = {begin, begin + end};
  return diag;
}

// Errors in a module are remarks; all other instructions are kept.
Result<std::optional<Value>> readBlock(std::string_view word, std::string_view text, std::vector<Diag>& notes) {
  const auto keep = [&](std::vector<Diag> more) {
    notes.insert(notes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (word == "hlo") {
    TESSERA_TRY(hlo::Listing listing, hlo::readBlock(text));
    keep(hlo::notesOf(*listing.module));
    return std::optional<Value>(Layout(std::move(listing)));
  }
  if (word != "graphene") return std::optional<Value>();
  TESSERA_TRY(graphene::Listing listing, graphene::readBlock(text));
  keep(graphene::notesOf(*listing.program));
  return std::optional<Value>(std::move(listing));
}

}  // namespace

void addPrograms() {
  static const bool kAdded = [] {
    Extension programs;
    programs.functions = {hloFunctions(), tileFunctions(), codeFunctions()};
    programs.families = {{"map", tileFunctions()}, {"hlo", hloFunctions()}, {"hlo", tileFunctions()}};
    programs.parts = {readProgramTensor, readModulePart};
    programs.block = readBlock;
    programs.run = parseRun;
    programs.equal = parseEqual;
    programs.reads = readsClaimed;
    programs.identity = identityClaimed;
    programs.print = [](const graphene::Listing& program) { return graphene::print(program); };
    extend(std::move(programs));
    return true;
  }();
  (void)kAdded;
}

}  // namespace tessera
