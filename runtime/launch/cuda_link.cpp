#include "runtime/launch/cuda_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sluice::runtime {
namespace {

constexpr std::size_t kLogBytes = 4096;

Result<std::vector<std::uint8_t>> link_on(const CudaDevice& device, std::span<const DeviceCode> objects) {
  const CudaDriver& driver = *device.driver;
  const Current current(device);
  if (const std::string failure = current.failure(); !failure.empty()) return Error{Error::Kind::Environment, failure, {}};
  std::array<char, kLogBytes> log{};  // the driver's until the link is destroyed
  std::array<int, 2> names{cu::kErrorLog, cu::kErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  cu::Link link = nullptr;
  if (const cu::Code code = driver.link_create(names.size(), names.data(), values.data(), &link); code != 0)
    return driver.error("cuLinkCreate", code);
  struct Destroy {
    const CudaDriver& driver;
    cu::Link link;
    ~Destroy() { static_cast<void>(driver.link_destroy(link)); }
  } const destroy{driver, link};
  const auto failed = [&](const char* what, cu::Code code) {
    Error error = driver.error(what, code);
    if (log[0] != 0) error.text += fmt::format(": {}", log.data());
    return error;
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string name = fmt::format("object {}", i + 1);
    std::vector<std::uint8_t> image = objects[i].image;  // the driver's prototype does not promise to leave it alone
    if (const cu::Code code = driver.link_add(link, cu::kLinkOfCubin, image.data(), image.size(), name.c_str(), 0, nullptr, nullptr); code != 0)
      return failed("cuLinkAddData", code);
  }
  void* image = nullptr;  // the link's
  std::size_t bytes = 0;
  if (const cu::Code code = driver.link_complete(link, &image, &bytes); code != 0) return failed("cuLinkComplete", code);
  const auto* const first = static_cast<const std::uint8_t*>(image);
  return std::vector<std::uint8_t>(first, first + bytes);
}

}  // namespace

CudaObjects linked_on(const std::shared_ptr<const CudaDevice>& device, const plan::Objects& objects) {
  if (!device->driver->link_create) return {};
  return {objects.count, objects.registers, [device](std::span<const DeviceCode> made) { return link_on(*device, made); }};
}

}  // namespace sluice::runtime
