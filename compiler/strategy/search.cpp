#include "compiler/strategy/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "compiler/strategy/alternatives.h"
#include "compiler/strategy/choose.h"

namespace sluice::strategy {
namespace {

using schedule::Schedule;

bool suits(const schedule::Directive& directive, const Schedule& schedule) {
  return (directive.strategies & set_of(schedule.strategy)) != 0;
}

class Searcher {
 public:
  explicit Searcher(const Problem& problem) : problem_(problem) {
    for (const Axis& axis : axes())
      if (problem.only.empty() || std::ranges::find(problem.only, axis.directive) != problem.only.end()) axes_.push_back(&axis);
  }

  Search run() {
    for (const Schedule& seed : problem_.seeds) measure(seed);
    // The fastest seed of each strategy, the fastest first.
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < found_.trials.size(); ++i) {
      if (!found_.trials[i].seconds) continue;
      const auto same = std::ranges::find_if(starts, [&](std::size_t s) { return strategy(s) == strategy(i); });
      if (same == starts.end())
        starts.push_back(i);
      else if (seconds(i) < seconds(*same))
        *same = i;
    }
    std::ranges::stable_sort(starts, {}, [&](std::size_t i) { return seconds(i); });
    if (!problem_.exhaustive && starts.size() > kTunedStrategies) starts.resize(kTunedStrategies);
    for (const std::size_t start : starts)
      if (problem_.exhaustive)
        product(found_.trials[start].schedule, 0);
      else
        descend(start);
    for (std::size_t i = 0; i < found_.trials.size(); ++i)
      if (found_.trials[i].seconds && (!found_.best || seconds(i) < seconds(*found_.best))) found_.best = i;
    return std::move(found_);
  }

 private:
  double seconds(std::size_t i) const { return *found_.trials[i].seconds; }
  schedule::Strategy strategy(std::size_t i) const { return found_.trials[i].schedule.strategy; }

  // The trial of a schedule: an old one, or a new one. Nothing where it can't be measured, or no more is to be.
  std::optional<std::size_t> measure(const Schedule& schedule) {
    const auto [at, is_new] = known_.try_emplace(short_text(schedule), found_.trials.size());
    if (is_new) {
      if (!found_.stopped) found_.stopped = problem_.enough();
      if (found_.stopped) {
        known_.erase(at);
        return std::nullopt;
      }
      found_.trials.push_back({schedule, problem_.measure(schedule)});
    }
    return found_.trials[at->second].seconds ? std::optional(at->second) : std::nullopt;
  }

  // Rounds over all directives, each left at its fastest value, until a round wins too little.
  void descend(std::size_t best) {
    for (double before = 0; before == 0 || seconds(best) < before * (1 - kLeastGain);) {
      before = seconds(best);
      for (const Axis* axis : axes_) {
        const schedule::Directive& directive = *schedule::find_directive(axis->directive);
        const Schedule from = found_.trials[best].schedule;
        if (!suits(directive, from)) continue;
        for (const std::string_view value : axis->values) {
          Schedule to = from;
          if (!directive.set(to, value) || directive.get(to) == directive.get(from) || !problem_.legal(to)) continue;
          const auto trial = measure(to);
          if (trial && seconds(*trial) < seconds(best)) best = *trial;
        }
      }
    }
  }

  // Every value of the directives from `axis` on. What is legal is asked of whole schedules, for one directive may need another.
  void product(Schedule schedule, std::size_t axis) {  // by value: trials move as they grow
    if (found_.stopped) return;
    if (axis == axes_.size()) {
      if (problem_.legal(schedule)) static_cast<void>(measure(schedule));
      return;
    }
    const schedule::Directive& directive = *schedule::find_directive(axes_[axis]->directive);
    if (!suits(directive, schedule)) return product(schedule, axis + 1);
    for (const std::string_view value : axes_[axis]->values) {
      Schedule to = schedule;
      if (directive.set(to, value)) product(to, axis + 1);
    }
  }

  const Problem& problem_;
  std::vector<const Axis*> axes_;
  std::map<std::string, std::size_t> known_;  // of each schedule, its trial
  Search found_;
};

}  // namespace

std::span<const Axis> axes() {
  // Those that decide most first: what is won early is not measured again without it.
  static const std::array kAxes{
      Axis{"resolve", {"together", "sequential", "rounds", "independent", "steps"}},
      Axis{"chunk_warps", {"1", "2", "4", "8"}},
      Axis{"writer_warps", {"0", "1"}},
      Axis{"walker_warps", {"0", "1"}},
      Axis{"wide_parts", {"0", "24", "64"}},
      Axis{"table_bits", {"auto", "8", "9", "10", "11"}},
      Axis{"input", {"shared", "registers"}},
      Axis{"block_threads", {"64", "128", "256", "512"}},
      Axis{"prefetch", {"off", "on"}},
      Axis{"split_buffer", {"16", "32", "64", "128"}},
      Axis{"part_copies", {"16", "32", "64"}},
      Axis{"part_entries", {"48", "80", "128"}},
      Axis{"part_bytes", {"256", "512", "1024"}},
      Axis{"shared_memory", {"auto", "56", "96", "160"}},
      Axis{"warps_per_block", {"auto", "1", "2", "4", "8"}},
      Axis{"carve_out", {"auto", "50", "max"}},
  };
  return kAxes;
}

std::string short_text(const Schedule& schedule) {
  std::string text = fmt::format("strategy {}", schedule::name(schedule.strategy));
  for (const schedule::Directive& directive : schedule::directives().subspan(1))
    if (suits(directive, schedule) && directive.get(schedule) != directive.get(Schedule()))
      text += fmt::format(", {} {}", directive.name, directive.get(schedule));
  return text;
}

std::vector<Schedule> seeds(const Subject& subject, const schedule::Device& device) {
  std::vector<Schedule> list;
  const Schedule usual = default_schedule(subject, device, {}).schedule;
  list.push_back(usual);
  for (const Alternative& alternative : alternatives(subject, device, usual, {})) list.push_back(alternative.schedule);
  for (const StrategyRow* row : strategies()) {
    if (!row->legal(subject).legal) continue;
    Schedule plain;
    plain.strategy = row->strategy;
    list.push_back(plain);
  }
  return list;
}

Search search(const Problem& problem) { return Searcher(problem).run(); }

}  // namespace sluice::strategy
