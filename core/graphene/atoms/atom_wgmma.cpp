// MatMul by a warpgroup: Hopper's wgmma. B is in shared memory, found by a matrix descriptor; A too, or in registers.
//
//     %acc <- MatMul<<<#3, #wg>>>(%sA, %sB)      #wg:[128].thread    %acc:[1,16].[2,1].[1,2].fp32.RF, 64 x 128
//         %sA:[64,16] of Sw<3,3,3> o [128,64:64,1].fp16.SH     rows of k, 128 bytes, xored: K-major, 128-byte swizzle
//         %sB:[16,128] of Sw<3,3,3> o [64,128:1,64].fp16.SH          columns of k: the same
//     %acc <- MatMul<<<#3, #wg>>>(%a, %sB)       %a:[2,2].[1,2].fp16.RF: each warp's 16 rows, as mma.m16n8k16 has them
//
// core/atlas/gmma.h decides which layouts a tile may have (matrixDescriptor), the atlas row which lane has which sum.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

constexpr i64 kThreads = 128, kRows = 64;

struct Type {
  std::string_view sum, factor;
};
constexpr Type kTypes[] = {{"f32", "f16"}, {"f32", "bf16"}, {"f16", "f16"}};

// The only level with several elements, if it has two dimensions; null: not a matrix.
const Level* matrixLevel(const Tensor& t) {
  const Level* found = nullptr;
  for (const Level& level : t.levels) {
    if (sizeOf(level).isConstant(1)) continue;
    if (found != nullptr || level.dims.size() != 2) return nullptr;
    found = &level;
  }
  return found;
}

bool isShape(const Tensor& t, i64 rows, i64 columns) {
  const Level* level = matrixLevel(t);
  return level != nullptr && sizeOf(level->dims[0]).isConstant(rows) && sizeOf(level->dims[1]).isConstant(columns);
}

// N, from B's columns if they are known, else from the sums of a lane.
i64 widthOf(const Spec& leaf) {
  const auto fits = [](i64 n) { return n >= 8 && n <= 256 && n % 8 == 0; };
  if (const Level* b = matrixLevel(leaf.inputs[1]); b != nullptr && sizeOf(b->dims[1]).isConstant())
    if (const i64 n = sizeOf(b->dims[1]).value(); fits(n)) return n;
  const i64 n = 2 * slotCount(leaf.outputs[0]).value_or(64);
  return fits(n) ? n : 128;
}

// Sizes and strides of a dimension as CuTe counts them, leftmost mode fastest.
std::optional<std::pair<cute::IntTuple, cute::IntTuple>> tupleOf(const Dim& dim) {
  std::vector<cute::IntTuple> sizes, strides;
  for (const Mode& m : dim) {
    if (!m.size.isConstant() || (!m.size.isConstant(1) && !m.stride.isConstant())) return std::nullopt;
    sizes.push_back(cute::IntTuple::staticLeaf(m.size.value()));
    strides.push_back(cute::IntTuple::staticLeaf(m.size.isConstant(1) ? 0 : m.stride.value()));
  }
  return std::pair(cute::IntTuple::tuple(sizes), cute::IntTuple::tuple(strides));
}

// The step to the next element of a dimension; 0: there is only one element, or the step is not a number.
i64 firstStep(const Dim& dim) {
  for (const Mode& m : dim)
    if (!m.size.isConstant(1)) return m.stride.isConstant() ? m.stride.value() : 0;
  return 0;
}

// The swizzle for lines of so many elements, as text; empty: there is none.
std::string swizzleFor(i64 line, i64 unit) {
  const i64 units = unit > 0 && line % unit == 0 ? line / unit : 0;
  if (units < 1 || units > 8 || !std::has_single_bit(static_cast<u64>(units))) return "";
  return units == 1 ? "no swizzle"
                    : fmt::format("Sw<{},{},3>", std::countr_zero(static_cast<u64>(units)),
                                  std::countr_zero(static_cast<u64>(unit)));
}

// Finds the descriptor of a tile, or refuses `out` with the reason.
class Matrix {
 public:
  Matrix(const Tensor& tensor, int operand, bool left, Pattern& out)
      : t_(tensor), left_(left), unit_(128 / std::max(bitsOf(tensor), 1)), out_(out) {
    matrix_.operand = operand;
  }

  void run(i64 rows, i64 columns) {
    const std::string shape = fmt::format("[{},{}]", rows, columns);
    if (!isShape(t_, rows, columns))
      return (void)out_.refuse(fmt::format("wants {} of %{}; it is {}", shape, t_.name, print(t_)),
                               fmt::format("%{} as {}", t_.name, shape));
    const Level& level = *matrixLevel(t_);
    const Dim &outer = level.dims[left_ ? 0 : 1], &inner = level.dims[left_ ? 1 : 0];  // M or N, and K
    if (firstStep(inner) != 1 && firstStep(outer) != 1)
      return (void)out_.refuse(fmt::format("wants %{} with contiguous rows or columns; it is {}", t_.name, print(t_)),
                               "a stride of 1");
    matrix_.major = firstStep(inner) == 1 ? Major::K : Major::MN;
    const auto mn = tupleOf(outer), k = tupleOf(inner);
    if (!mn || !k)
      return (void)out_.refuse(fmt::format("wants strides of %{} that are numbers", t_.name),
                               "strides that are numbers");
    describe(*mn, *k, matrix_.major == Major::K ? firstStep(outer) : firstStep(inner));
  }

 private:
  using Tuples = std::pair<cute::IntTuple, cute::IntTuple>;
  void describe(const Tuples& mn, const Tuples& k, i64 line) {
    const std::string right = swizzleFor(line, unit_);
    const std::string legal = right.empty() ? fmt::format("lines of {} to {} elements", unit_, 8 * unit_)
                                            : fmt::format("{} for lines of {} elements", right, line);
    const auto tile =
        cute::Layout::make(cute::IntTuple::tuple({mn.first, k.first}), cute::IntTuple::tuple({mn.second, k.second}));
    const int least = std::countr_zero(static_cast<u64>(unit_));
    const cute::Swizzle& sw = t_.swizzle;
    if (!sw.isIdentity() && (sw.bits() > 3 || sw.base() != least || sw.shift() != 3))
      return (void)out_.refuse(
          fmt::format("xors 16-byte units of lines of 32, 64 or 128 bytes; %{} has {}", t_.name, print(sw)),
          fmt::format("Sw<1,{0},3>, Sw<2,{0},3> or Sw<3,{0},3>", least));
    const auto onBytes = cute::Swizzle::make(sw.bits(), 4, 3);
    if (!tile || !onBytes) return (void)out_.refuse(fmt::format("has no descriptor for %{}", t_.name), legal);
    const auto descriptor = matrixDescriptor(*onBytes, matrix_.major, bitsOf(t_), *tile);
    if (!descriptor)
      return (void)out_.refuse(
          fmt::format("reads %{}, {} with {}, by a descriptor, but there is none: {}", t_.name,
                      matrix_.major == Major::K ? "K-major" : "MN-major",
                      t_.swizzle.isIdentity() ? "no swizzle" : print(t_.swizzle), descriptor.error().message),
          legal);
    matrix_.descriptor = *descriptor;
    matrix_.unit = unit_;
    const i64 width = unit_ << t_.swizzle.bits();
    matrix_.room = matrix_.major == Major::K ? width : unit_;
    matrix_.repeats = t_.swizzle.bits() == 0 ? unit_ : 8 * width;
    if (t_.offset.isConstant() &&
        (t_.offset.value() % unit_ != 0 || t_.offset.value() % matrix_.repeats >= matrix_.room))
      return (void)out_.refuse(
          fmt::format("wants %{} to begin at a line of its swizzle; it begins at {}", t_.name, t_.offset.value()),
          fmt::format("an offset that is a multiple of {}", matrix_.repeats));
    out_.atom.matrices.push_back(matrix_);
  }

  const Tensor& t_;
  bool left_;
  i64 unit_;
  Pattern& out_;
  AtomMatrix matrix_;
};

// A matrix in shared memory as a fragment: element (row, column) is slot row * columns + column, or that of the
// transpose.
RowFragment inRows(i64 rows, i64 columns, bool transposed) {
  RowFragment out{rows, columns, 1, rows * columns, {}, std::vector<int>(static_cast<std::size_t>(rows * columns))};
  for (i64 row = 0; row < rows; ++row)
    for (i64 column = 0; column < columns; ++column)
      out.slotOf[static_cast<std::size_t>(row + rows * column)] =
          static_cast<int>(transposed ? column * rows + row : row * columns + column);
  return out;
}

std::optional<Pattern> patternOf(const Spec& leaf, const Type& type) {
  const i64 n = widthOf(leaf), k = 16;
  const bool registers = leaf.inputs[0].memory == Memory::Register;
  const auto row = findInstruction(
      fmt::format("wgmma.m64n{}k{}.{}.{}.{}.{}", n, k, type.sum, type.factor, type.factor, registers ? "rs" : "ss"));
  if (!row) return std::nullopt;
  Pattern out = instruction(*row);
  out.atom.lanes = out.atom.together = static_cast<int>(kThreads);
  out.atom.collective = out.atom.deferred = true;
  out.atom.function = AtomFunction::MultiplyAdd;
  out.group = {{kThreads, 1}};
  // The sums must be in the order of the instruction: it writes them asynchronously, so no copy can reorder them.
  OperandPattern sum{kRegister, std::string(type.sum), {n / 8, 2, 2}, false, fmt::format("[1,{}].[2,1].[1,2]", n / 8),
                     n / 2};
  std::erase(sum.levels, 1);
  out.operands = {sum, flatOperand(kShared, std::string(type.factor), kRows * k, 1),
                  flatOperand(kShared, std::string(type.factor), k * n, 1)};
  out.operands[2].shape = fmt::format("[{},{}]", k, n);
  if (registers) {
    out.operands[1] = {kRegister, std::string(type.factor), {4, 2}, false, "[2,2].[1,2]", 2};
  } else {
    out.operands[1].shape = fmt::format("[{},{}]", kRows, k);
    Matrix(leaf.inputs[0], 1, /*left=*/true, out).run(kRows, k);
  }
  out.terms = [row = *row, registers, n] {
    const RowFragment a = registers ? rowFragment(row, "A").value() : inRows(kRows, 16, /*transposed=*/false);
    return productTerms(a, inRows(n, 16, /*transposed=*/true), rowFragment(row, "C").value());
  };
  Matrix(leaf.inputs[1], 2, /*left=*/false, out).run(k, n);
  return out;
}

}  // namespace

Patterns warpgroupPatterns(const Spec& leaf) {
  Patterns out;
  if (leaf.inputs.size() != 2 || leaf.threads.empty() || !elementCount(leaf.threads[0]).isConstant(kThreads) ||
      !leaf.attribute.empty())
    return out;
  for (const Type& type : kTypes)
    if (auto pattern = patternOf(leaf, type)) out.push_back(*std::move(pattern));
  return out;
}

}  // namespace tessera::graphene
