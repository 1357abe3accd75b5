#pragma once
// The commands of the `sluice` program, one file each. Every function adds its subcommand to `app`; the
// subcommand's callback leaves the exit code in `exit_code`, which outlives the parse.

namespace CLI {
class App;
}

namespace sluice::cli {

void add_check(CLI::App& app, int& exit_code);    // cmd_check.cpp
void add_fmt(CLI::App& app, int& exit_code);      // cmd_fmt.cpp
void add_explain(CLI::App& app, int& exit_code);  // cmd_explain.cpp
void add_trace(CLI::App& app, int& exit_code);    // cmd_trace.cpp
void add_emit(CLI::App& app, int& exit_code);     // cmd_emit.cpp
void add_build(CLI::App& app, int& exit_code);    // cmd_build.cpp
void add_decode(CLI::App& app, int& exit_code);   // cmd_decode.cpp
void add_encode(CLI::App& app, int& exit_code);   // cmd_encode.cpp
void add_bench(CLI::App& app, int& exit_code);    // cmd_bench.cpp
void add_tune(CLI::App& app, int& exit_code);     // cmd_tune.cpp
void add_list(CLI::App& app, int& exit_code);     // cmd_list.cpp

}  // namespace sluice::cli
