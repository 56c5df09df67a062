// Devices: data sheets of GPUs by name, for predictions without the device.
//
//     deviceNamed("h100")      NVIDIA H100 SXM: 132 multiprocessors at 1830 MHz, 3.35 TB/s
//
// Law: clocks times widths give the peaks of the vendor's data sheet to 1 % (tests/measure).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "solver/measure/device/driver.h"

namespace tessera::measure {

// Case, blanks and '-' do not matter. A Diag lists the names.
[[nodiscard]] Result<DeviceInfo> deviceNamed(std::string_view name);
[[nodiscard]] std::vector<std::string> deviceNames();

}  // namespace tessera::measure
