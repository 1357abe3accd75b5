// A fault in words: which threads wait for what.
#include <map>
#include <tuple>

#include "tests/simt/block.h"

namespace sluice::simt {

const char* name_of(Op op) {
  switch (op) {
    case Op::SyncWarp:
      return "__syncwarp";
    case Op::SyncThreads:
      return "__syncthreads";
    case Op::SyncThreadsOr:
      return "__syncthreads_or";
    case Op::SyncThreadsAnd:
      return "__syncthreads_and";
    case Op::SyncThreadsCount:
      return "__syncthreads_count";
    case Op::Shuffle:
      return "__shfl_sync";
    case Op::ShuffleUp:
      return "__shfl_up_sync";
    case Op::ShuffleDown:
      return "__shfl_down_sync";
    case Op::ShuffleXor:
      return "__shfl_xor_sync";
    case Op::Ballot:
      return "__ballot_sync";
    case Op::Any:
      return "__any_sync";
    case Op::All:
      return "__all_sync";
    case Op::Add:
      return "__reduce_add_sync";
    case Op::MinUnsigned:
    case Op::MinSigned:
      return "__reduce_min_sync";
    case Op::MaxUnsigned:
    case Op::MaxSigned:
      return "__reduce_max_sync";
    case Op::And:
      return "__reduce_and_sync";
    case Op::Or:
      return "__reduce_or_sync";
    case Op::Xor:
      return "__reduce_xor_sync";
    case Op::MatchAny:
      return "__match_any_sync";
    case Op::MatchAll:
      return "__match_all_sync";
    case Op::Arrive:
      return "bar.arrive";
    case Op::Await:
      return "bar.sync";
  }
  return "?";
}

namespace {

std::string hexadecimal(std::uint32_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[value >> shift & 15];
  return text;
}

// "0-3 7": ascending numbers, ranges drawn together.
std::string ranges(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (!text.empty()) text += ' ';
    text += std::to_string(numbers[i]);
    if (end > i) text += '-' + std::to_string(numbers[end]);
    i = end + 1;
  }
  return text;
}

}  // namespace

std::string Block::describe() const {
  const bool at_collective = fault_ != Fault::Trap && fault_ != Fault::CopyOverlap;
  const auto what = [&](unsigned i) {
    const Thread& thread = threads_[i];
    if (thread.state == Thread::State::Ended) return std::string("ended");
    // A thread that can run is somewhere behind its last collective; the one that failed is at its own.
    const bool here = thread.state == Thread::State::Waiting || (i == current_ && at_collective);
    if (!here) return i == current_ ? "at line " + std::to_string(thread.line) : std::string("can run");
    std::string text = i == current_ && thread.state == Thread::State::Ready ? "calls " : "waits at ";
    text += name_of(thread.op);
    if (!waits_for_block(thread.op)) text += " mask " + hexadecimal(thread.mask);
    return text + " line " + std::to_string(thread.line);
  };
  std::map<std::string, std::vector<unsigned>> groups;
  for (unsigned i = 0; i < launch_.threads; ++i) groups[what(i)].push_back(i);
  std::string text = sentence_;
  for (const auto& [state, members] : groups) text += "\n  threads " + ranges(members) + ": " + state;
  return text;
}

}  // namespace sluice::simt
