// The reader of programs: the names of a thread's coordinates.
#include <fmt/format.h>

#include "core/graphene/reader/constructs.h"
#include "core/graphene/reader/read_parts.h"
#include "core/notation/graphene/operations.h"

namespace tessera::graphene {

namespace {

Result<std::string> indexName(Cursor& in) {
  if (!in.accept('@')) return in.fail("the name of an index is missing here", "@NAME");
  TESSERA_TRY(const std::string name, in.identifier("the name of an index"));
  return "@" + name;
}

// @i; (@a, @b): two dimensions, or the two modes of one; ((@a, @b), @c)
Result<std::vector<std::vector<std::string>>> levelNames(Cursor& in) {
  std::vector<std::vector<std::string>> out;
  if (!in.accept('(')) {
    TESSERA_TRY(std::string one, indexName(in));
    out.push_back({std::move(one)});
    return out;
  }
  do {
    std::vector<std::string> dim;
    if (in.accept('(')) {
      do {
        TESSERA_TRY(std::string one, indexName(in));
        dim.push_back(std::move(one));
      } while (in.accept(','));
      TESSERA_CHECKED(in.expect(")", "after the names of the modes"));
    } else {
      TESSERA_TRY(std::string one, indexName(in));
      dim.push_back(std::move(one));
    }
    out.push_back(std::move(dim));
  } while (in.accept(','));
  TESSERA_CHECKED(in.expect(")", "after the names of a level"));
  return out;
}

}  // namespace

// (@m, @n), @i = #6.indices(), and "@i = ..." of one level
Result<Statement> readIndices(ProgramText& text) {
  const std::size_t begin = text.in.position();
  std::vector<std::vector<std::vector<std::string>>> names;
  do {
    TESSERA_TRY(auto level, levelNames(text.in));
    names.push_back(std::move(level));
  } while (text.in.accept(','));
  TESSERA_CHECKED(text.in.expect("=", "after the names of the indices"));
  TESSERA_TRY(const Tensor source, text.known());
  if (!text.in.accept('.') || !text.in.acceptWord("indices") || !text.in.accept('(') || !text.in.accept(')'))
    return text.in.fail("only indices() gives index variables", "#NAME.indices()");
  const Expr id = Expr::param(source.element == "block" ? 0 : 1);
  auto values = indices(source, id);
  if (!values) {
    values.error().span = text.in.spanFrom(begin);
    return values.error();
  }
  Indices out;
  out.source = nameOf(source);
  if (names.size() != values->size())
    return text.in.failFrom(begin, fmt::format("{} names for {} levels", names.size(), values->size()),
                            "a name for each level, (a, b) for one of two dimensions");
  for (std::size_t l = 0; l < names.size(); ++l) {
    if ((*values)[l].size() == 1 && names[l].size() == (*values)[l][0].size()) {  // (@quad, @hi) of one dimension
      std::vector<std::string> modes;
      for (const auto& dim : names[l]) modes.insert(modes.end(), dim.begin(), dim.end());
      names[l] = {std::move(modes)};
    }
    if (names[l].size() != (*values)[l].size())
      return text.in.failFrom(
          begin, fmt::format("{} names for the {} dimensions of level {}", names[l].size(), (*values)[l].size(), l),
          "a name for each dimension");
    auto& level = out.variables.emplace_back();
    for (std::size_t d = 0; d < names[l].size(); ++d) {
      const Coordinate& modes = (*values)[l][d];
      auto& dim = level.emplace_back();
      if (names[l][d].size() != modes.size() && names[l][d].size() != 1)
        return text.in.failFrom(
            begin, fmt::format("{} names for the {} modes of dimension {}", names[l][d].size(), modes.size(), d),
            "one name, or one for each mode");
      for (std::size_t k = 0; k < names[l][d].size(); ++k) {
        const Expr value = names[l][d].size() == modes.size() ? modes[k] : joined(source.levels[l].dims[d], modes);
        const std::string& name = names[l][d][k];
        const int index = text.names.variable({text.names.fresh(name), Variable::Kind::Index, {}, {}, 1, value});
        TESSERA_CHECKED(text.define(name, index, begin));
        dim.push_back(index);
      }
    }
  }
  return Statement{{}, std::move(out)};
}

}  // namespace tessera::graphene
