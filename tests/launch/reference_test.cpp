// References in the manner of NumPy. The values were compared with NumPy 2 (2026-11-27); here they are derived by hand or
// by plain loops.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/evaluate.h"

using namespace tessera;
using namespace tessera::kernel;
using reference::Array;
using Names = std::map<std::string, Array, std::less<>>;

namespace {

Array counted(const std::vector<i64>& shape, Array::Kind kind = Array::Kind::Float) {
  Array out{shape, {}, kind};
  const i64 count = *reference::countOf(shape);
  for (i64 k = 0; k < count; ++k) out.data.push_back(static_cast<double>(k));
  return out;
}
const Names kNames = {{"A", counted({2, 3})},
                      {"B", counted({3, 2})},
                      {"v", counted({4}, Array::Kind::Integer)},
                      {"Q", counted({2, 3, 4})}};

Array valueOfText(const std::string& text) {
  const auto out = reference::evaluate("R = " + text, kNames);
  INFO(text);
  INFO((out ? "" : out.error().message));
  REQUIRE(out.ok());
  return out->back().value;
}
std::string textOfValue(const std::string& text) {
  const Array a = valueOfText(text);
  std::string out = reference::shapeText(a.shape);
  for (const double x : a.data) out += " " + std::to_string(x).substr(0, std::to_string(x).find('.') + 2);
  return out;
}

}  // namespace

TEST_CASE("expressions of a reference have Python's precedence and NumPy's shapes") {
  // A = [[0, 1, 2], [3, 4, 5]], B = [[0, 1], [2, 3], [4, 5]], v = [0, 1, 2, 3]
  CHECK(textOfValue("A @ B") == "(2, 2) 10.0 13.0 28.0 40.0");
  CHECK(textOfValue("2 ** 3 ** 2 - -2 ** 2") == "() 516.0");
  CHECK(textOfValue("7 // 2 + -7 // 2 + -7 % 3") == "() 1.0");
  CHECK(textOfValue("1 + 2 << 1 | 8 & 12 ^ 1") == "() 15.0");  // (3 << 1) | ((8 & 12) ^ 1) = 6 | 9
  CHECK(textOfValue("A.T") == "(3, 2) 0.0 3.0 1.0 4.0 2.0 5.0");
  CHECK(textOfValue("A[1, ::2]") == "(2,) 3.0 5.0");
  CHECK(textOfValue("v[::-2]") == "(2,) 3.0 1.0");
  CHECK(textOfValue("v[-3:] * v[:3]") == "(3,) 0.0 2.0 6.0");
  CHECK(textOfValue("v[v % 2 == 1]") == "(2,) 1.0 3.0");
  CHECK(textOfValue("v[[3, 0]]") == "(2,) 3.0 0.0");
  CHECK(textOfValue("v[:, None] + v[:2]") == "(4, 2) 0.0 1.0 1.0 2.0 2.0 3.0 3.0 4.0");
  CHECK(textOfValue("A.sum(1, keepdims=True)") == "(2, 1) 3.0 12.0");
  CHECK(textOfValue("np.sum(A, axis=(0, 1))") == "() 15.0");
  CHECK(textOfValue("A.mean(-1)") == "(2,) 1.0 4.0");
  CHECK(textOfValue("v.var()") == "() 1.2");  // 5/4, shown with one digit
  CHECK(textOfValue("Q.max((0, 2))") == "(3,) 15.0 19.0 23.0");
  CHECK(textOfValue("Q.reshape(2, -1)[:, 0]") == "(2,) 0.0 12.0");
  CHECK(textOfValue("np.swapaxes(Q, -1, -2)[1, 3]") == "(3,) 15.0 19.0 23.0");
  CHECK(textOfValue("np.where(v > 1, v, -v)") == "(4,) 0.0 -1.0 2.0 3.0");
  CHECK(textOfValue("np.stack([v[k] * 10 for k in range(4) if k != 2])") == "(3,) 0.0 10.0 30.0");
  CHECK(textOfValue("np.pad(v, (1, 2))") == "(7,) 0.0 0.0 1.0 2.0 3.0 0.0 0.0");
  CHECK(textOfValue("np.bincount(np.array([1, 1, 3]), minlength=5)") == "(5,) 0.0 2.0 0.0 1.0 0.0");
  CHECK(textOfValue("v[::-1].argsort()") == "(4,) 3.0 2.0 1.0 0.0");
  CHECK(textOfValue("np.array(2049).astype(np.float16)") == "() 2048.0");  // ties to even
  CHECK(textOfValue("np.int8(300)") == "() 44.0");
  CHECK(textOfValue("1 if 2 > 3 else 0") == "() 0.0");
  CHECK(textOfValue("(1,\n 2)[1]") == "() 2.0");
  CHECK(std::abs(valueOfText("softmax(A).sum(1)").data[1] - 1) < 1e-15);
}

TEST_CASE("statements of a reference use earlier results") {
  const auto out = reference::evaluate("S = A @ B\nO = S.T; P = O - S\n", kNames);
  REQUIRE(out.ok());
  REQUIRE(out->size() == 3);
  CHECK((*out)[2].value.data == std::vector<double>{0, 15, -15, 0});
}

TEST_CASE("products and broadcasts agree with plain loops") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const auto size = [&] { return static_cast<i64>(random() % 4 + 1); };
    const i64 batch = size(), m = size(), n = size(), k = size();
    Names names;
    names["X"] = counted({batch, m, k});
    names["Y"] = counted(random() % 2 == 0 ? std::vector<i64>{k, n} : std::vector<i64>{batch, k, n});
    const bool shared = names["Y"].rank() == 2;
    const auto z = reference::evaluate("Z = X @ Y", names);
    REQUIRE(z.ok());
    for (i64 b = 0; b < batch; ++b)
      for (i64 i = 0; i < m; ++i)
        for (i64 j = 0; j < n; ++j) {
          double sum = 0;
          for (i64 q = 0; q < k; ++q)
            sum += names["X"].data[static_cast<std::size_t>((b * m + i) * k + q)] *
                   names["Y"].data[static_cast<std::size_t>(((shared ? 0 : b) * k + q) * n + j)];
          CHECK((*z)[0].value.data[static_cast<std::size_t>((b * m + i) * n + j)] == sum);
        }
  }
}

TEST_CASE("a reference that cannot be evaluated says where and why") {
  const auto refusal = [](const std::string& text) {
    const auto out = reference::evaluate(text, kNames);
    REQUIRE(!out.ok());
    CHECK(out.error().span.begin <= text.size());
    return out.error().message;
  };
  CHECK(refusal("") == "the reference is empty");
  CHECK(refusal("A @ B") == "`=` is missing after the name of a result");
  CHECK(refusal("R = A + B") == "the shapes (2, 3) and (3, 2) do not fit each other");
  CHECK(refusal("R = A @ A") == "the shapes (2, 3) and (2, 3) do not fit for @");
  CHECK(refusal("R = sofmax(A)") == "there is no function sofmax in a reference");
  CHECK(refusal("R = A[2]") == "the index 2 is outside the extent 2");
  CHECK(refusal("R = C") == "C is neither an argument nor a result");
  CHECK(refusal("R = np.zeros((100000, 100000))").find("too large") != std::string::npos);
  CHECK(refusal("R = " + std::string(100000, '(')).find("levels deep") != std::string::npos);
  CHECK(refusal("R = " + std::string(100000, '-')).find("levels deep") != std::string::npos);
  CHECK(refusal("R = " + std::string(100000, '[')).find("levels deep") != std::string::npos);
}

TEST_CASE("damaged references are evaluated or refused") {
  const std::string whole =
      "S = softmax(0.25 * (Q @ np.swapaxes(Q, -1, -2))) @ Q; T = np.stack([A[:, k].sum() for k in range(3)]) + "
      "v[1:4:1]";
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (int k = 0; k < 2; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = "()[]@*/-+.,:;=0123AQvk \n"[random() % 24];
      else
        text.erase(at, 1 + random() % 4);
    }
    (void)reference::evaluate(text, kNames);
  }
}

TEST_CASE("a buffer is compared with its reference") {
  Given c;
  c.name = "C";
  c.argument.kind = Argument::Kind::Buffer;
  c.argument.element = "float32";
  c.argument.shape = {2, 2};
  c.argument.bytes.resize(16);
  const auto reportOf = [](std::vector<float> values) {
    Report report;
    report.verdict = Verdict::Clean;
    report.buffers.emplace_back(16);
    std::memcpy(report.buffers[0].data(), values.data(), 16);
    return report;
  };
  Report right = reportOf({1, 2, 3, 4});
  const auto good = reference::check("C = np.arange(1, 5).reshape(2, 2) + C", {c}, 0, right);
  REQUIRE(good.ok());
  CHECK((*good)[0].error == 0);
  CHECK(right.verdict == Verdict::Clean);
  Report wrong = reportOf({1, 2, 3.5, 4});
  REQUIRE(reference::check("X = np.arange(1, 5); C = X", {c}, 0, wrong).ok());
  CHECK(wrong.verdict == Verdict::Wrong);
  REQUIRE(wrong.findings.size() == 1);
  CHECK(wrong.findings[0].element == "C[1,0]");
  CHECK(wrong.findings[0].address == 8);
  CHECK(wrong.findings[0].message.find("C[1,0] is 3.5, and the reference gives 3") == 0);
  // |3.5 - 3| / max(1, 4) = 0.125
  Report near = reportOf({1, 2, 3.5, 4});
  REQUIRE(reference::check("arg0 = np.arange(1, 5)", {c}, 0.125, near).ok());
  CHECK(near.verdict == Verdict::Clean);
  Report nan = reportOf({1, 2, NAN, 4});
  REQUIRE(reference::check("C = np.arange(1, 5)", {c}, 0.5, nan).ok());
  CHECK(nan.verdict == Verdict::Wrong);
  Report other = reportOf({1, 2, 3, 4});
  CHECK_FALSE(reference::check("D = 1", {c}, 0, other).ok());
  CHECK_FALSE(reference::check("C = np.arange(3)", {c}, 0, other).ok());
}

TEST_CASE("the last value of a name counts") {
  const auto out = reference::evaluate("R = v; R = R + 1; S = R", kNames);
  REQUIRE(out.ok());
  REQUIRE(out->size() == 2);
  CHECK(out->front().name == "R");
  CHECK(out->front().value.data == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("a reference may be equations") {
  const auto values = [](const std::string& text) {
    const auto out = reference::evaluate(text, kNames);
    INFO(text);
    INFO((out ? "" : out.error().message));
    REQUIRE(out.ok());
    return out->back().value.data;
  };
  // A = [[0, 1, 2], [3, 4, 5]], B = [[0, 1], [2, 3], [4, 5]], v = [0, 1, 2, 3]
  CHECK(values("v[i] = v[3 - i] * 2") == std::vector<double>{6, 4, 2, 0});
  CHECK(values("A[i,j] = %A[i,2 - j]") == std::vector<double>{2, 1, 0, 5, 4, 3});
  CHECK(values("t[i,j] = sum(k < 3) A[i,k] * B[k,j]\nB[i,j] = where(i < 2, t[i,j], 0)") ==
        std::vector<double>{10, 13, 28, 40, 0, 0});
  const auto refused = [](const std::string& text, const std::string& part, std::size_t at) {
    const auto out = reference::evaluate(text, kNames);
    INFO(text);
    REQUIRE(!out.ok());
    INFO(out.error().message);
    CHECK(out.error().message.find(part) != std::string::npos);
    CHECK(out.error().span.begin == at);
  };
  refused("v[i] = W[i]", "W", 7);
  refused("w[i] = v[i]", "define no argument", 0);
  refused("v[i] = sum(k < 4 v[k]", "", 17);
  refused("v[i] = ", "the equation ends too early", 6);
  refused("v[i] = max(v[i], 0", "`)` is missing", 17);
  const auto outside = reference::evaluate("v[i] = v[i + 1]", kNames);
  REQUIRE(!outside.ok());
  CHECK(outside.error().message == "%v[4] is outside of its extents [4]");
}
