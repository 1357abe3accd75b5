#pragma once
// Everything the program prints goes through here, so that no failed write is missed: a full disk, a closed descriptor.
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace sluice::cli {

// To be called first in main. Descriptors 0, 1 and 2 that are closed are opened in a way that makes using them fail:
// else the next file opened would get their number, and messages would be written into it. Writing past the limit on
// file sizes (ulimit -f) becomes an error instead of the end of the program.
void prepare_streams();

// To standard output. Throws std::runtime_error with a sentence when the write fails, which main reports: nobody gets
// what was asked for, so there is no point in going on.
void print_out_text(std::string_view text);

template <class... T>
void print_out(fmt::format_string<T...> format, T&&... values) {
  print_out_text(fmt::format(format, std::forward<T>(values)...));
}

// What was printed so far goes out now, before messages about it.
void flush_out();

// To standard error. Nowhere is left to say that this failed; close_streams turns it into an exit code.
void print_err_text(std::string_view text);

template <class... T>
void print_err(fmt::format_string<T...> format, T&&... values) {
  print_err_text(fmt::format(format, std::forward<T>(values)...));
}

// Writes out what is still in memory; throws as print_out_text does. Returns `exit_code`, or kEnvironment instead of
// kDone when a message could not be written.
int close_streams(int exit_code);

}  // namespace sluice::cli
