// tests/cases/graphene.jsonl: every row whose kind concerns tensors.
#include "support/cases.h"

#include <set>

#include "core/notation/graphene/operations.h"

using namespace tessera;
using namespace tessera::graphene;
using Json = nlohmann::json;

namespace {

// "%1.tile([8,8])" of a base "%G:[16,16:16,1].fp16.SH": the base with the operations after it.
std::string applied(const std::string& base, const std::string& expression) {
  const std::size_t name = expression.find_first_of(".[");
  std::string rest = name == std::string::npos ? "" : expression.substr(name);
  const std::size_t indices = rest.find(".indices()");
  return base + rest.substr(0, indices);
}

Tensor tensor(const std::string& text) {
  auto read = parseTensor(text);
  INFO(text << (read ? "" : ": " + read.error().message));
  REQUIRE(read.ok());
  return *read;
}

Coordinate coordinate(const Json& given) {
  Coordinate out;
  if (given.is_array()) {
    for (const Json& n : given) out.push_back(Expr::constant(n.get<i64>()));
  } else {
    out.push_back(Expr::constant(given.get<i64>()));
  }
  return out;
}

std::vector<std::vector<Coordinate>> coordinates(const Json& levels) {
  std::vector<std::vector<Coordinate>> out;
  for (const Json& level : levels) {
    auto& one = out.emplace_back();
    for (const Json& c : level) one.push_back(coordinate(c));
  }
  return out;
}

void address(const Json& row) {
  const Tensor t = tensor(applied(row["base"], row["expr"]));
  CHECK(print(t) == row["result"]["text"]);
  CHECK(t.offset.isConstant(row["result"]["offset"].get<i64>()));
  for (const Json& c : row["cases"]) {
    const auto at = addressOf(t, coordinates(c["coords"]));
    REQUIRE(at.ok());
    CHECK(at->isConstant(c["address"].get<i64>()));
  }
}

// "(threadIdx.x / 8) % 4", as an Expr over param 0 prints: compared by value.
void threadIndices(const Json& row) {
  const Tensor t = tensor(applied(row["base"], row["expr"]));
  CHECK(print(t) == row["result"]["text"]);
  const auto digits = indices(t, Expr::param(0));
  REQUIRE(digits.ok());
  for (const Json& v : row["values"]) {
    const std::vector<i64> tid = {v["tid"].get<i64>()};
    REQUIRE(digits->size() == v["indices"].size());
    for (std::size_t l = 0; l < digits->size(); ++l)
      for (std::size_t d = 0; d < (*digits)[l].size(); ++d)
        for (std::size_t k = 0; k < (*digits)[l][d].size(); ++k)
          CHECK(evaluate((*digits)[l][d][k], {}, tid) == v["indices"][l][d][k].get<i64>());
  }
}

bool holdsAt(const Tensor& t, const std::vector<std::vector<Coordinate>>& at) {
  Tensor element = t;
  for (const auto& level : at) {
    const auto next = index(element, level);
    REQUIRE(next.ok());
    element = *next;
  }
  for (std::size_t d = 0; d < element.extents.size(); ++d)
    if (element.origin[d].value() >= element.extents[d].value()) return false;
  return true;
}

void partial(const Json& row) {
  const Tensor t = tensor(applied(row["base"], row["expr"]));
  CHECK(print(t) == row["result"]["text"]);
  CHECK_FALSE(predicates(t).empty());
  for (const Json& c : row["in_bounds"]) CHECK(holdsAt(t, coordinates(c["coords"])) == c["ok"].get<bool>());
  // Every point of every level, by counting.
  std::vector<i64> sizes;
  for (const Level& level : t.levels)
    for (const Dim& dim : level.dims)
      for (const Mode& m : dim) sizes.push_back(m.size.value());
  std::vector<i64> digits(sizes.size(), 0);
  i64 outside = 0;
  for (;;) {
    bool inside = true;
    for (const Predicate& p : predicates(t)) inside = inside && evaluate(p.coordinate, digits) < p.extent.value();
    outside += !inside;
    std::size_t k = 0;
    while (k < digits.size() && ++digits[k] == sizes[k]) digits[k++] = 0;
    if (k == digits.size()) break;
  }
  CHECK(outside == row["out_of_bounds_count"].get<i64>());
}

void parametric(const Json& row) {
  const Tensor t = tensor(applied(row["base"], row["expr"]));
  CHECK(Json(t.symbols) == row["kernel_params"]);
  const auto same = [&](const Expr& value, const Json& wanted) {
    const Tensor read = tensor("%x:[" + (wanted.is_string() ? wanted.get<std::string>() : wanted.dump()) + ":1]");
    for (const i64 m : {1, 127, 128, 129, 1000})
      for (const i64 n : {1, 64, 256, 300}) {
        std::vector<i64> theirs;  // in the order in which the text names them
        for (const std::string& s : read.symbols) theirs.push_back(s == "M" ? m : n);
        CHECK(evaluate(value, {}, std::vector<i64>{m, n}) == evaluate(read.levels[0].dims[0][0].size, {}, theirs));
      }
  };
  for (const auto& [level, name] : {std::pair(0, "expect_outer"), std::pair(1, "expect_inner")})
    for (std::size_t d = 0; d < 2; ++d) {
      const Mode& m = t.levels[static_cast<std::size_t>(level)].dims[d][0];
      same(m.size, row[name]["dims"][d]);
      same(m.stride, row[name]["strides"][d]);
    }
  CHECK(predicates(t).size() == 2);
}

// Each named index of the expression gets its value from the row.
i64 valueOf(const Tensor& t, const Expr& e, const Json& values) {
  std::vector<i64> params;
  for (const std::string& s : t.symbols) {
    const std::string plain = s.substr(s[0] == '@' ? 1 : 0);
    params.push_back(values[plain].get<i64>());
  }
  return evaluate(e, {}, params);
}

void gemm(const Json& row) {
  for (const std::string operand : {"A", "B", "C"}) {
    const Tensor t = tensor(applied("%X:[1024,1024:1,1024].fp16.GL", row[operand].get<std::string>()));
    for (const Json& point : row["expect"]) CHECK(valueOf(t, t.offset, point) == point[operand].get<i64>());
  }
}

void ldmatrixAddresses(const Json& row) {
  const Tensor t = tensor(applied(row["base"], row["expr"]));
  const auto digits = indices(tensor("#w:[32:1].thread.tile(8).reshape(0,[2,2:2,1])"), Expr::param(0));
  REQUIRE(digits.ok());
  for (i64 lane = 0; lane < 32; ++lane) {
    const auto digit = [&](std::size_t level, std::size_t dim) {
      return evaluate((*digits)[level][dim][0], {}, std::vector<i64>{lane});
    };
    const Json values = {{"thr_grp_m", digit(0, 0)}, {"thr_grp_n", digit(0, 1)}, {"grp_local_idx", digit(1, 0)}};
    CHECK(valueOf(t, t.offset, values) == row["expect"][static_cast<std::size_t>(lane)].get<i64>());
  }
}

}  // namespace

TEST_CASE("the rows of graphene.jsonl") {
  std::set<std::string> seen;
  for (const Json& row : rowsOf("graphene.jsonl")) {
    const std::string kind = row["kind"];
    INFO(row["id"].get<std::string>());
    seen.insert(kind);
    if (kind == "address") address(row);
    if (kind == "indices") threadIndices(row);
    if (kind == "partial") partial(row);
    if (kind == "gemm_addresses") gemm(row);
    if (kind == "ldmatrix_addresses") ldmatrixAddresses(row);
    if (kind == "parametric" && row.contains("expect_outer")) parametric(row);
    if (kind == "default_strides") {
      const auto read = parseTensor(row["text"].get<std::string>(), row["order"] == "col" ? Order::Column : Order::Row);
      REQUIRE(read.ok());
      CHECK(print(*read) == row["expect"]);
    }
    if (kind == "error") {
      const auto read = parseTensor(applied(row["base"], row["expr"]));
      REQUIRE_FALSE(read.ok());
      // The words of the case, in any order: "1 tile sizes for 2 dimensions; one tile size per dimension".
      const std::string said = read.error().message + " " + read.error().expected;
      INFO(said);
      CHECK(said.find(row["expect_error"].get<std::string>()) != std::string::npos);
    }
  }
  for (const char* kind : {"address", "indices", "partial", "gemm_addresses", "parametric", "error", "default_strides"})
    CHECK(seen.count(kind) == 1);
}
