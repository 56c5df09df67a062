// Tensors: text, tile, reshape, index and indices, against plain enumeration of every coordinate.
#include "core/notation/graphene/tensor.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/notation/graphene/operations.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

Tensor tensor(const std::string& text) {
  auto read = parseTensor(text);
  INFO(text << (read ? "" : ": " + read.error().message));
  REQUIRE(read.ok());
  return *read;
}

std::string after(const std::string& text) { return print(tensor(text)); }

std::string refusal(const std::string& text) {
  const auto read = parseTensor(text);
  INFO(text);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().span.end <= text.size());
  return read.error().message;
}

struct Place {
  i64 address = 0;
  std::vector<i64> coordinate;
  auto operator<=>(const Place&) const = default;
};

// Every element of a tensor of known sizes, by plain loops over all modes.
std::vector<Place> placesOf(const Tensor& t) {
  std::vector<Mode> modes;
  for (const Level& level : t.levels)
    for (const Dim& dim : level.dims) modes.insert(modes.end(), dim.begin(), dim.end());
  Place first{t.offset.value(), {}};
  for (const Expr& e : t.origin) first.coordinate.push_back(e.value());
  std::vector<Place> places = {first};
  for (const Mode& m : modes) {
    std::vector<Place> next;
    for (const Place& p : places) {
      for (i64 k = 0; k < m.size.value(); ++k) {
        Place q = p;
        q.address += k * m.stride.value();
        q.coordinate[static_cast<std::size_t>(m.dim)] += k * m.step.value();
        next.push_back(q);
      }
    }
    places = std::move(next);
  }
  return places;
}

bool inside(const Tensor& t, const Place& p) {
  for (std::size_t d = 0; d < p.coordinate.size(); ++d)
    if (p.coordinate[d] < 0 || p.coordinate[d] >= t.extents[d].value()) return false;
  return true;
}

}  // namespace

TEST_CASE("tensors are read, and printed with their strides") {
  CHECK(after("%A:[16,16].fp16.SH") == "%A:[16,16:16,1].fp16.SH");
  CHECK(print(*parseTensor("%A:[1024,1024].fp16.GL", Order::Column)) == "%A:[1024,1024:1,1024].fp16.GL");
  CHECK(after("%E:[(2,2),8].fp32.GL") == "%E:[(2,2),8:(8,16),1].fp32.GL");
  CHECK(after("%18:[].fp16.GL") == "%18:[].fp16.GL");
  CHECK(after("#22:[].thread") == "#22:[].thread");
  CHECK(after(" %A : [ 8 , 1 : 16 , _ ] . [ 1 , 8 : _ , 1 ] . fp16 . SH ") == "%A:[8,1:16,0].[1,8:0,1].fp16.SH");
  CHECK(after("%A:[M,N].fp32.GL") == "%A:[M,N:N,1].fp32.GL");
  CHECK(after("%A:[(M + 1)*2,N:1,2*(M+1)].fp32.GL") == "%A:[(M+1)*2,N:1,(M+1)*2].fp32.GL");
  CHECK(after("%x:[8:1]") == "%x:[8:1]");
  for (const std::string text : {"%A:[4,(2,4):2,(1,8)].fp32.GL", "%D:[(2,2),(2,4):(1,4),(2,8)].fp32.GL",
                                 "#warp:[4:8].[8:1].thread", "%A:[ceildiv(M,128):128*N].fp32.GL", "%x:[M-1:1].i32.RF"})
    CHECK(after(after(text)) == after(text));
}

TEST_CASE("the paper's figures 4, 5 and 6") {
  CHECK(after("%A:[4,8:1,4].fp32.GL.tile([2:1],[4:1])") == "%A:[2,2:2,16].[2,4:1,4].fp32.GL");
  CHECK(after("%A:[4,8:1,4].fp32.GL.tile([2:2],[4:1])") == "%A:[2,2:1,16].[2,4:2,4].fp32.GL");
  CHECK(after("%A:[4,8:1,4].fp32.GL.tile([2:2],[(2,2):(1,4)])") == "%A:[2,2:1,8].[2,(2,2):2,(4,16)].fp32.GL");
  CHECK(after("#w:[32:1].thread.tile([8:1])") == "#w:[4:8].[8:1].thread");
  CHECK(after("#w:[32:1].thread.tile(8).reshape(0,[2,2:2,1])") == "#w:[2,2:16,8].[8:1].thread");
  CHECK(after("#w:[32:1].thread.tile(8).reshape(depth=0,[2,2])") == "#w:[2,2:16,8].[8:1].thread");
  CHECK(after("#w:[32:1].thread.tile([(4,2):(1,16)])") == "#w:[4:4].[(4,2):(1,16)].thread");
  CHECK(after("%A:[16,16].fp16.SH.tile(8,8)[1,0].tile([1,8])[3,0]") == "%A:[1,8:0,1].fp16.SH");
  CHECK(tensor("%A:[16,16].fp16.SH.tile(8,8)[1,0].tile([1,8])[3,0]").offset == Expr::constant(176));
  CHECK(after("%A:[8,8].fp16.SH.tile(_,[4])") == "%A:[1,2:0,4].[8,4:8,1].fp16.SH");
  CHECK(after("%A:[8,8].fp16.SH.scalar()") == "%A:[].fp16.SH");
}

TEST_CASE("an index may be an expression") {
  const Tensor t = tensor("%A:[1024,1024:1,1024].fp16.GL.tile([128:1],_)[@bm,0][@m,k]");
  CHECK(print(t.offset, t.symbols) == "@bm*128+@m+k*1024");
  CHECK(print(t.origin[0], t.symbols) == "@bm*128+@m");
  CHECK(print(t.origin[1], t.symbols) == "k");
  const Tensor h = tensor("%C:[4,(2,4):2,(1,8)].fp32.GL[0,@x]");
  CHECK(print(h.offset, h.symbols) == "@x%2+@x/2*8");
}

TEST_CASE("what cannot be is refused with its reason") {
  CHECK(refusal("%A:[4,8:1,4].fp32.GL.tile([2])").find("1 tile sizes for 2 dimensions") == 0);
  CHECK(refusal("%x:[8:1].tile([(2,2):(1,1)])").find("the tile tensor is not injective") == 0);
  CHECK(refusal("%A:[4,8:1,4].fp32.GL[4,0]").find("index out of range") == 0);
  CHECK(refusal("%A:[4,8:1,4].fp32.GL[0]") == "rank mismatch in indexing: 1 coordinate for 2 dimensions");
  CHECK(refusal("%A:[4:1].fp32.GL[0,0]") == "rank mismatch in indexing: 2 coordinates for 1 dimension");
  CHECK(addressOf(tensor("%A:[4:1].fp32.GL"), {}).error().message == "0 coordinates for 1 level");
  CHECK(addressOf(tensor("%A:[4:1].[8:4].fp32.GL"), {{}}).error().message == "1 coordinate for 2 levels");
  CHECK(refusal("#g:[4:8].[8:1].thread.reshape(0,[3,2])").find("reshape must preserve the size (4)") == 0);
  CHECK(refusal("#g:[4:8].thread.reshape(0,[2,2:1,1])") == "these strides do not visit every element exactly once");
  CHECK(refusal("#g:[4:8].thread.reshape(0,[2,2:2,4])") == "these strides do not visit every element exactly once");
  CHECK(refusal("%A:[4,8:1,4].fp32.GL[0,0][0]") == "cannot index a scalar");
  CHECK(refusal("%A:[4,8:1].fp32.GL") == "1 strides for 2 dimensions");
  CHECK(refusal("%A:[4,(2,4):1,4].fp32.GL").find("1 strides for the 2 modes of dimension 1") == 0);
  CHECK(refusal("%A:[4:1].thread").find("%A holds threads") == 0);
  CHECK(refusal("#A:[4:1].fp16").find("#A holds fp16") == 0);
  CHECK(refusal("#A:[4:1].thread.SH").find("threads have no memory") == 0);
  CHECK(refusal("%A:[4:1].fp16.XX").find("`XX` is not a memory") == 0);
  CHECK(refusal("%A:[0:1].fp16.SH") == "a size of 0");
  CHECK(refusal("%A:[4:1:1].fp16.SH") == "a second `:`");
  CHECK(refusal("%A:[4294967296,4294967296].fp16.SH").find("does not fit in 64 bits") != std::string::npos);
  CHECK(refusal("%x:[8:1].fp16.SH.tile([3:3].fp16)").find("is missing") != std::string::npos);
  CHECK(refusal("%C:[4,(2,4):2,(1,8)].fp32.GL.tile(_,[3])").find("hierarchical dimension") != std::string::npos);
  CHECK(refusal(std::string("%A:[") + std::string(5000, '(')).find("nests more than 200 levels deep") !=
        std::string::npos);
  const auto mixed = indices(tensor("#t:[4,4:1,3].thread"), Expr::param(0));
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().expected == "modes that are the digits of a mixed radix");
}

TEST_CASE("tiles and reshapes keep the address and the coordinate of every element") {
  std::mt19937 random(11);
  const auto pick = [&](auto... options) {
    const std::vector<i64> all = {options...};
    return all[random() % all.size()];
  };
  int tiled = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Tensor t;
    t.name = "T";
    i64 stride = 1;
    const int dims = 1 + static_cast<int>(random() % 2);
    t.levels.emplace_back();
    for (int d = 0; d < dims; ++d) {
      Dim dim;
      i64 step = 1;
      for (std::size_t k = 0; k < 1 + random() % 3; ++k) {
        const i64 n = pick(2, 3, 4, 6);
        dim.push_back({Expr::constant(n), Expr::constant(stride), d, Expr::constant(step)});
        stride *= n;
        step *= n;
      }
      t.extents.push_back(Expr::constant(step));
      t.origin.push_back(Expr::constant(0));
      t.levels[0].dims.push_back(dim);
    }
    std::vector<TileSize> sizes;
    for (int d = 0; d < dims; ++d) {
      std::vector<TileMode> size = {{pick(1, 2, 3, 4, 8), pick(1, 1, 2, 3)}};
      if (random() % 3 == 0) size.push_back({pick(2, 3), size[0].size * size[0].stride * pick(1, 2)});
      sizes.push_back(random() % 5 == 0 ? TileSize() : TileSize(size));
    }
    const auto made = tile(t, sizes);
    refused += !made.ok();
    if (!made) continue;
    ++tiled;
    INFO(print(t) << " -> " << print(*made));
    // Each element of the tensor is in exactly one tile, and what lies beyond is what predicates mask.
    std::map<Place, int> seen;
    bool beyond = false;
    for (const Place& p : placesOf(*made)) {
      if (inside(t, p)) ++seen[p];
      beyond = beyond || !inside(t, p);
    }
    const std::vector<Place> all = placesOf(t);
    REQUIRE(seen.size() == all.size());
    for (const Place& p : all) REQUIRE(seen[p] == 1);
    REQUIRE(predicates(*made).empty() == !beyond);
    if (beyond) continue;
    // A reshape of the tile level to one dimension and back to digits keeps the set.
    const Expr whole = sizeOf(made->levels[0]);
    const auto flat = reshape(*made, 0, {{{whole.value()}, {}}});
    if (!flat) continue;  // not one strided run
    const auto a = placesOf(*made), b = placesOf(*flat);
    REQUIRE(std::multiset<Place>(a.begin(), a.end()) == std::multiset<Place>(b.begin(), b.end()));
  }
  CHECK(tiled > 1500);
  CHECK(refused > 300);
}

TEST_CASE("index and addressOf agree with the sum of digits and strides") {
  const Tensor t = tensor("%D:[(2,2),(2,4):(1,4),(2,8)].fp32.GL.tile([2:2],[(2,2):(1,4)])");
  std::set<i64> addresses;
  for (i64 a = 0; a < 2; ++a)
    for (i64 b = 0; b < 2; ++b)
      for (i64 c = 0; c < 2; ++c)
        for (i64 d = 0; d < 4; ++d) {
          const auto at = [](i64 x) { return Coordinate{Expr::constant(x)}; };
          const auto address = addressOf(t, {{at(a), at(b)}, {at(c), at(d)}});
          REQUIRE(address.ok());
          const auto inTwo = index(t, {at(a), at(b)});
          const auto split = index(*inTwo, {at(c), {Expr::constant(d % 2), Expr::constant(d / 2)}});
          CHECK(split->offset == *address);
          addresses.insert(address->value());
        }
  CHECK(addresses.size() == 32);
  CHECK(*addresses.rbegin() == 31);
}

TEST_CASE("indices are the digits of a thread") {
  for (const std::string text :
       {"#w:[32:1].thread", "#w:[32:1].thread.tile([8:1])", "#w:[32:1].thread.tile(8).reshape(0,[2,2])",
        "#w:[32:1].thread.tile([(4,2):(1,16)])", "#c:[256:1].thread.tile([32:1]).reshape(0,[2,4])"}) {
    const Tensor t = tensor(text);
    const auto digits = indices(t, Expr::param(0));
    REQUIRE(digits.ok());
    // Going forward with the digits of a thread comes back to it.
    Expr back = Expr::constant(0);
    std::size_t level = 0;
    i64 threads = 1;
    for (const auto& dims : *digits) {
      for (std::size_t d = 0; d < dims.size(); ++d)
        for (std::size_t k = 0; k < dims[d].size(); ++k) {
          const Mode& m = t.levels[level].dims[d][k];
          back = back + dims[d][k] * m.stride;
          threads *= m.size.value();
        }
      ++level;
    }
    for (i64 n = 0; n < threads; ++n) CHECK(evaluate(back, {}, std::vector<i64>{n}) == n);
  }
}
