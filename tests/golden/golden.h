#pragma once
// Golden tests: a file whose first line says what to do with it, and beside it what must come out.
//
//   # RUN: sluice check %s            x.sluice -> x.expected: exit code, stdout, stderr
//
// Commands
//   check-syntax      in process: parse, rendered diagnostics, or "ok"
//   fmt               in process: the formatted text; also checks that formatting it again changes nothing and that
//                     no token is lost
//   sluice ARGS...    the program, run in the golden's directory. %s: the golden's file name; %codecs: the project's
//                     codecs directory. Directory names are normalised away in what it prints.
// Goldens are *.sluice and *.ir; a file without RUN line is input of others (a module for `use`).
#include <filesystem>
#include <string>
#include <vector>

namespace sluice::golden {

struct Options {
  std::filesystem::path root;     // directory of the goldens
  std::filesystem::path project;  // source tree
  std::filesystem::path program;  // `sluice`; empty: not built
  bool update = false;            // rewrite *.expected instead of comparing
};

struct Golden {
  std::filesystem::path file;
  std::string group;    // first directory below the root
  std::string name;     // path below the group, without extension
  std::string command;  // after "RUN:"
};

// All goldens below the root, sorted.
std::vector<Golden> find_goldens(const Options& options);

// What comes out, or why the command can't be run.
struct Outcome {
  std::string text;
  std::string failure;  // empty: none
};
Outcome run(const Options& options, const Golden& golden);

// Runs `sluice` with these words in `directory`; %codecs is replaced, output normalised.
Outcome run_program(const Options& options, const std::filesystem::path& directory, std::vector<std::string> words);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

// Registers the tests of the grammar reference's examples (group "documents").
void register_documents(const Options& options);
// Registers what must hold for every text (group "robustness").
void register_robustness(const Options& options);

}  // namespace sluice::golden
