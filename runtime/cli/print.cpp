#include "runtime/cli/print.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "runtime/cli/exit_code.h"

namespace sluice::cli {
namespace {

[[noreturn]] void throw_output_error() {
  throw std::runtime_error(fmt::format("can't write standard output: {}", std::strerror(errno)));
}

}  // namespace

void prepare_streams() {
  // In this order: open takes the lowest free number.
  constexpr int kUseless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(open("/dev/null", kUseless[descriptor]));
  std::signal(SIGXFSZ, SIG_IGN);
}

void print_out_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_output_error();
}

void flush_out() {
  if (std::fflush(stdout) != 0) throw_output_error();
}

void print_err_text(std::string_view text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

int close_streams(int exit_code) {
  // Some file systems tell of a full disk no sooner than at the close.
  if (std::fclose(stdout) != 0) throw_output_error();
  return exit_code == kDone && std::ferror(stderr) != 0 ? kEnvironment : exit_code;
}

}  // namespace sluice::cli
