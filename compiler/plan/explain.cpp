#include "compiler/plan/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/plan/joined.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"

namespace sluice::plan {
namespace {

// How people call a target.
std::string_view label(Target target) {
  switch (target) {
    case Target::Cpu:
      return "cpu";
    case Target::Warp:
      return "cuda";
    case Target::Lane:
      return "lane";  // of a kernel, by itself
  }
  return "";
}

std::string_view label(LoopForm form) {
  switch (form) {
    case LoopForm::SideBySide:
      return "side by side";
    case LoopForm::Parts:
      return "parts";
    case LoopForm::Unchecked:
      return "unchecked";
    case LoopForm::Burst:
      return "bursts";
    case LoopForm::Row:
      return "rows";
    case LoopForm::Token:
      return "tokens";
    case LoopForm::Checked:
      return "checked";
  }
  return "";
}

std::string what(const Loop& loop) {
  switch (loop.form) {
    case LoopForm::SideBySide:
      return loop.packed ? "one step a lane, or fields of one width, of which a lane makes 16 bytes at once" : "one step a lane";
    case LoopForm::Parts:
      return loop.part->counted ? "32 at a time, one a lane, which counts what its part makes before it writes it"
                                : "32 at a time, one a lane, once the places of all are known";
    case LoopForm::Unchecked:
      return "as many steps as surely fit test their count only";
    case LoopForm::Burst:
      return "as many as surely fit between two tests of the limits";
    case LoopForm::Row:
      return fmt::format("the limits are tested before up to {} symbols", loop.row->symbols + 1);
    case LoopForm::Token:
      return fmt::format("the limits are tested before each{}{}", loop.nested ? ", and once for all steps of a loop inside" : "",
                         loop.direct ? "; fields are loaded from where they stand" : "");
    case LoopForm::Checked:
      return "every statement tests what it takes";
  }
  return "";
}

std::string place(const SourceSet& sources, Span span) {
  const LineCol at = sources.line_col(span);
  return fmt::format("{}:{}:{}", sources.name(span.file), at.line, at.column);
}

// A loop of the module with what each plan says of it.
struct Entry {
  const ir::Stmt* stmt = nullptr;
  std::vector<std::pair<Target, const Loop*>> loops;
};

// In the order of the module: a loop is part of another's token on one target and by itself on the other.
std::vector<Entry> entries_of(const ir::Module& module, std::span<const Plan* const> plans) {
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, Entry> entries;
  for (const Plan* plan : plans) {
    for (const Loop& loop : plan->loops) {
      Entry& entry = entries[{loop.rule, loop.path}];
      entry.stmt = &statement_at(module.rules[loop.rule], loop.path);
      entry.loops.emplace_back(plan->target, &loop);
    }
  }
  std::vector<Entry> list;
  for (auto& [where, entry] : entries) list.push_back(std::move(entry));
  return list;
}

// Its form, and below it what stands in the way of better ones.
std::string form_text(const Loop& loop, const SourceSet& sources) {
  std::string text = fmt::format("{}: {}\n", label(loop.form), what(loop));
  for (std::size_t i = 0; i < loop.obstacles.size(); ++i) {
    const Obstacle& o = loop.obstacles[i];
    std::string forms(label(o.form));
    const auto same = [&](const Obstacle& other) { return other.reason == o.reason && other.span == o.span; };
    while (i + 1 < loop.obstacles.size() && same(loop.obstacles[i + 1]))
      forms += fmt::format(", not {}", label(loop.obstacles[++i].form));
    text += fmt::format("              not {}: {}", forms, o.reason);
    if (o.span.length != 0) text += fmt::format(" ({})", place(sources, o.span));
    text += "\n";
    if (!o.cure.empty()) text += fmt::format("              help: {}\n", o.cure);
  }
  return text;
}

std::vector<std::string> names_of(const ir::Module& module, const Loop& loop, const std::vector<Local>& carried) {
  std::vector<std::string> names;
  for (const Local l : carried)
    names.push_back(l.scope == kGlobalScope ? module.globals[l.slot].name : module.rules[loop.rule].slots[l.slot].name);
  return names;
}

// Whether strategy speculate may take its tokens.
std::string records_text(const ir::Module& module, const Loop& loop, const SourceSet& sources) {
  const Records& records = *loop.records;
  if (records.against.empty() && records.values) {
    const bool lists = records.values->list.has_value();
    const char* const several = records.runs ? lists ? ", or a run or a list of them" : ", or a run of them" : lists ? ", or a list of them" : "";
    std::string text = fmt::format("each token is a value{}, of {} byte{} or more", several, records.min_token, records.min_token == 1 ? "" : "s");
    if (records.values->left) text += "\n              what else a token does is left to the checked path";
    if (records.values->list && records.values->list->varints) text += "\n              where a list's numbers end is looked for in all bytes at once";
    if (records.values->apart) text += "\n              where a token ends hangs on how many numbers it has, not on what they hold";
    if (!records.values->two_bytes.empty()) text += "\n              two bytes tell the sizes of most: where tiles hold many tokens, each lane makes and writes its own";
    return text;
  }
  if (records.against.empty()) {
    std::string text =
        records.chained
            ? fmt::format("each token is {}, and begins as the one before it leaves off: 32 are walked one after the other",
                          records.slices ? "literals out of `" + module.buffers[*records.slices].name + "` and a copy" : "a copy")
            : fmt::format("each token is {}, of {} {}{} or more",
                          records.bits ? "a value and a copy at most" : records.runs ? "literals and a copy, or a run" : "literals and a copy",
                          records.min_token, records.bits ? "bit" : "byte", records.min_token == 1 ? "" : "s");
    const auto line = [&](const std::vector<Local>& carried, std::string_view what) {
      if (!carried.empty())
        text += fmt::format("\n              `{}`: {}", fmt::join(names_of(module, loop, carried), "`, `"), what);
    };
    if (records.runs) text += "\n              a run is one element out of the input, and a copy of it";
    line(records.walked, "what walking takes of what tokens carry");
    if (!records.state_walk.empty()) text += "\n              their entries tell how many bits a token has, so walking reads nothing else";
    if (!records.no_state_walk.empty()) text += "\n              walking reads a token's fields: " + records.no_state_walk;
    line(records.turned, records.moves ? "handed on from token to token, by a scan" : "handed on from token to token, in turn");
    line(records.counters, "counted on to each of 32 tokens");
    line(records.added, "added up over 32 tokens");
    line(records.latched, "what the last token left that set it");
    if (records.first_byte) text += "\n              most first bytes tell how many it has";
    if (records.has_late()) text += "\n              what looks at the tokens before is done when those are known";
    return text;
  }
  std::string text = "none: " + records.against;
  if (records.span.length != 0) text += fmt::format(" ({})", place(sources, records.span));
  return text;
}

// What strategy lanes makes of them, or a CPU.
std::string codes_text(const Codes& codes, Target target) {
  if (target == Target::Cpu)
    return fmt::format("on a CPU a table, made once a region, says which string a byte stands for{}", codes.escapes ? ", or that it is an escape" : "");
  if (codes.bytes != 0)
    return fmt::format("each token is {} bytes that stand for {} string{}: lanes take them side by side", codes.bytes, codes.strings, codes.strings == 1 ? "" : "s");
  return fmt::format("each token is a byte that stands for a string{}: lanes take them side by side",
                     codes.escapes ? ", or one and a literal behind it" : "");
}

// Calls in a row of its rule.
std::string streams_text(const Streams& streams, const SourceSet& sources) {
  if (streams.count == 0) return fmt::format("not begun together: {} ({})", streams.against, place(sources, streams.span));
  return fmt::format("{} calls in a row are begun together, up to {} look-ups of each at a time ({})", streams.count, streams.look_ups,
                     place(sources, streams.span));
}

// What is the same on several targets once.
std::vector<std::string> streams_said(const Entry& entry, const SourceSet& sources) {
  std::vector<std::string> said;
  for (const auto& [target, loop] : entry.loops)
    for (const Streams& streams : loop->streams)
      if (std::string text = streams_text(streams, sources); std::ranges::find(said, text) == said.end()) said.push_back(std::move(text));
  return said;
}

}  // namespace

std::string explain_text(const ir::Module& module, std::span<const Plan* const> plans, const SourceSet& sources,
                         bool colour) {
  const std::vector<Entry> entries = entries_of(module, plans);
  const std::string_view title = entries.empty() ? "Loops: none" : "Loops";
  std::string text = colour ? fmt::format("\n\x1b[1m{}\x1b[0m\n", title) : fmt::format("\n{}\n", title);
  for (const Entry& entry : entries) {
    text += fmt::format("  {}\n", place(sources, entry.stmt->span));
    // What is the same on several targets is said once.
    std::vector<std::pair<std::string, std::string>> said;  // how it is done, and on which targets
    for (const auto& [target, loop] : entry.loops) {
      const std::string form = form_text(*loop, sources);
      const auto at = std::ranges::find(said, form, [](const auto& one) { return one.first; });
      if (at == said.end())
        said.emplace_back(form, label(target));
      else
        at->second += fmt::format(", {}", label(target));
    }
    for (const auto& [form, targets] : said) text += fmt::format("    {:<9} {}", targets, form);
    for (const auto& [target, loop] : entry.loops)
      if (loop->records) text += fmt::format("    {:<9} {}\n", "records", records_text(module, *loop, sources));
    for (const auto& [target, loop] : entry.loops)
      if (loop->told) text += fmt::format("    {:<9} a token's first byte tells what it is, by a table: literals, or a copy{}\n", "told", loop->paired ? "; a CPU's thread that has several chunks does them two at a time" : "");
    for (const auto& [target, loop] : entry.loops)
      if (loop->plain) text += fmt::format("    {:<9} a CPU takes tokens of few literals and a short copy at once, where bits of the first byte tell that; the next first byte is at hand by then\n", "plain");
    for (const auto& [target, loop] : entry.loops)
      if (loop->joined) text += fmt::format("    {:<9} a token begins as the one before it, of which registers hold up to {} bytes{}\n", "joined", kJoinedBytes,
                                      loop->alone ? "; those that have nothing of it are looked for, and are one copy" : "");
    for (const auto& [target, loop] : entry.loops)
      if (loop->fills) text += fmt::format("    {:<9} tokens fill `{}`: where lanes guess, each looks at one that begins at a bit of its own\n", "fills", module.arrays[loop->fills->array].name);
    for (const std::string& one : streams_said(entry, sources)) text += fmt::format("    {:<9} {}\n", "streams", one);
    for (const auto& [target, loop] : entry.loops)
      if (loop->has_codes()) text += fmt::format("    {:<9} {}\n", "codes", codes_text(*loop->codes, target));
  }
  return text;
}

std::string explain_json(const ir::Module& module, std::span<const Plan* const> plans, const SourceSet& sources) {
  using nlohmann::ordered_json;
  const auto place_of = [&](Span span) -> ordered_json {
    if (span.length == 0) return nullptr;
    const LineCol at = sources.line_col(span);
    return {{"file", sources.name(span.file)}, {"line", at.line}, {"column", at.column}};
  };
  auto list = ordered_json::array();
  for (const Entry& entry : entries_of(module, plans)) {
    ordered_json one{{"place", place_of(entry.stmt->span)}};
    for (const auto& [target, loop] : entry.loops) {
      auto why = ordered_json::array();
      for (const Obstacle& o : loop->obstacles)
        why.push_back(
            {{"form", name(o.form)}, {"reason", o.reason}, {"because_of", place_of(o.span)}, {"help", o.cure}});
      one[label(target)] = {
          {"form", name(loop->form)}, {"nested", loop->nested}, {"no_better_because", std::move(why)}};
      if (loop->records)
        one["records"] = {{"legal", loop->has_records()},
                          {"reason", loop->records->against},
                          {"because_of", place_of(loop->records->span)},
                          {"min_token", loop->records->min_token},
                          {"runs", loop->records->runs},
                          {"values", loop->records->values.has_value()},
                          {"unit", loop->records->bits || loop->records->chained ? "bits" : "bytes"},
                          {"chained", loop->records->chained},
                          {"walked", names_of(module, *loop, loop->records->walked)},
                          {"walked_by_states", !loop->records->state_walk.empty()},
                          {"not_by_states_because", loop->records->no_state_walk},
                          {"handed_on", names_of(module, *loop, loop->records->turned)},
                          {"counted", names_of(module, *loop, loop->records->counters)},
                          {"added_up", names_of(module, *loop, loop->records->added)},
                          {"latched", names_of(module, *loop, loop->records->latched)},
                          {"first_byte_tells", loop->records->first_byte.has_value()}};
      if (loop->fills) one["fills"] = module.arrays[loop->fills->array].name;
      if (loop->told) one["told"] = {{"first_bytes", 256 - std::ranges::count(loop->told->entries, 0u)}};
      if (loop->joined) one["joined"] = kJoinedBytes;
      if (loop->alone) one["alone"] = true;
      for (const Streams& streams : loop->streams) {
        const ordered_json said{{"together", streams.count}, {"look_ups", streams.look_ups}, {"reason", streams.against}, {"place", place_of(streams.span)}};
        if (auto& all = one["streams"]; std::ranges::find(all, said) == all.end()) all.push_back(said);
      }
      if (loop->codes)
        one["codes"] = {{"legal", loop->has_codes()},
                        {"reason", loop->codes->against},
                        {"because_of", place_of(loop->codes->span)},
                        {"escapes", loop->codes->escapes},
                        {"bytes", loop->codes->bytes},
                        {"strings", loop->codes->strings}};
    }
    list.push_back(std::move(one));
  }
  return list.dump();
}

}  // namespace sluice::plan
