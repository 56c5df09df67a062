// The buffers of a launch as arrays of a reference, and the arrays of a reference as buffers.
//
//     arraysOf(given)["A"]             the numbers of argument A before the run; also as "arg0"
//     asBuffer(value, given, "C")      the value in the shape of C's buffer, or a Diag
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/kernel/launch/arguments.h"
#include "solver/kernel/reference/array.h"

namespace tessera::kernel::reference {

// nullptr: the elements are not numbers.
[[nodiscard]] const Element* numbersOf(const Given& given);
[[nodiscard]] Array numbers(const Element& element, const std::vector<std::byte>& bytes, const std::vector<i64>& shape);
// By name, and as "arg0"; without those that are no numbers or were not given.
[[nodiscard]] std::map<std::string, Array, std::less<>> arraysOf(const std::vector<Given>& given);
// The parameter with this name: given, of the PTX, or "arg2"; given.size() if there is none.
[[nodiscard]] std::size_t parameterNamed(std::string_view name, const std::vector<Given>& given);
// Errors: the argument is no buffer of numbers, or the shapes do not fit.
[[nodiscard]] Result<Array> asBuffer(const Array& value, const Given& given, const std::string& name);
[[nodiscard]] std::string elementText(const std::string& name, std::size_t at,
                                      const std::vector<i64>& shape);  // "C[3,5]"

}  // namespace tessera::kernel::reference
