#include "tests/primitives/scan.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "compiler/embed/primitive_sets.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::primitives {
namespace {

using namespace clang;
using Kind = Seen::Kind;

// ---- Where things are ---------------------------------------------------------------------------------------------

class Places {
 public:
  Places(const SourceManager& sources, const std::string& root, Headers& headers)
      : sources_(sources), root_(root), headers_(headers) {}

  Header* header(SourceLocation at) const {
    const auto file = sources_.getFileEntryRefForID(sources_.getFileID(sources_.getFileLoc(at)));
    if (!file || !file->getName().starts_with(root_ + "/")) return nullptr;
    const auto found = headers_.find(file->getName().substr(root_.size() + 1).str());
    return found == headers_.end() ? nullptr : &found->second;
  }
  unsigned line(SourceLocation at) const { return sources_.getSpellingLineNumber(sources_.getFileLoc(at)); }
  unsigned last_line(SourceLocation at) const { return sources_.getSpellingLineNumber(sources_.getExpansionRange(at).getEnd()); }
  Seen seen(Kind kind, SourceRange range) const { return {kind, line(range.getBegin()), last_line(range.getEnd()), {}, {}, {}}; }

 private:
  const SourceManager& sources_;
  const std::string& root_;
  Headers& headers_;
};

// ---- What a declaration names -------------------------------------------------------------------------------------

enum class Space { Other, Warp, Lane };  // prim, thread::prim

Space space_of(const Decl& decl) {
  const DeclContext* c = decl.getDeclContext()->getRedeclContext();
  const auto* inner = dyn_cast<NamespaceDecl>(c);
  if (inner == nullptr || inner->getName() != "prim") return Space::Other;
  const auto* outer = dyn_cast<NamespaceDecl>(inner->getDeclContext()->getRedeclContext());
  return outer != nullptr && outer->getName() == "thread" ? Space::Lane : Space::Warp;
}

class Needs : public RecursiveASTVisitor<Needs> {
 public:
  Needs(Space own, std::set<std::string>& found) : own_(own), found_(found) {}

  bool VisitDeclRefExpr(DeclRefExpr* e) { return named(e->getDecl()); }
  bool VisitOverloadExpr(OverloadExpr* e) {
    // Whatever else has that name may be found once the arguments' types are known.
    if (e->getName().isIdentifier()) found_.insert(e->getName().getAsIdentifierInfo()->getName().str());
    for (const NamedDecl* d : e->decls()) named(d->getUnderlyingDecl());
    return true;
  }
  bool VisitTagTypeLoc(TagTypeLoc t) { return named(t.getDecl()); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc t) { return named(t.getTypedefNameDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc t) {
    return named(t.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }

 private:
  bool named(const NamedDecl* d) {
    if (d == nullptr || !d->getDeclName().isIdentifier()) return true;
    if (const auto* one = dyn_cast<EnumConstantDecl>(d))
      if (const auto* all = dyn_cast<EnumDecl>(one->getDeclContext()); all->isScoped()) d = all;
    const Decl* at = isa<EnumConstantDecl>(d) ? cast<Decl>(d->getDeclContext()) : d;
    const Space space = space_of(*at);
    if (space == Space::Other) return true;
    found_.insert((own_ == Space::Lane && space == Space::Warp ? "::" : "") + d->getName().str());
    return true;
  }

  Space own_;
  std::set<std::string>& found_;
};

class Operands : public RecursiveASTVisitor<Operands> {
 public:
  explicit Operands(std::set<std::string>& found) : found_(found) {}
  bool VisitRecordTypeLoc(RecordTypeLoc t) { return record(t.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc t) {
    return record(t.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }

 private:
  bool record(const NamedDecl* d) {
    if (d != nullptr && space_of(*d) != Space::Other) found_.insert(d->getName().str());
    return true;
  }
  std::set<std::string>& found_;
};

void names_of(const Decl& decl, std::set<std::string>& names) {
  if (const auto* named = dyn_cast<NamedDecl>(&decl); named != nullptr && named->getDeclName().isIdentifier())
    if (!named->getName().empty()) names.insert(named->getName().str());
  if (const auto* all = dyn_cast<EnumDecl>(&decl); all != nullptr && !all->isScoped())
    for (const EnumConstantDecl* one : all->enumerators()) names.insert(one->getName().str());
}

// ---- The tree -----------------------------------------------------------------------------------------------------

class Consumer : public ASTConsumer {
 public:
  Consumer(const std::string& root, Headers& headers) : root_(root), headers_(headers) {}

  void HandleTranslationUnit(ASTContext& context) override {
    const Places places(context.getSourceManager(), root_, headers_);
    inside(*context.getTranslationUnitDecl(), places);
  }

 private:
  void inside(const DeclContext& around, const Places& places) {
    for (Decl* decl : around.decls()) {
      if (decl->isImplicit()) continue;
      const auto* space = dyn_cast<NamespaceDecl>(decl);
      Header* header = places.header(decl->getLocation());
      if (header == nullptr) {
        if (space != nullptr) inside(*space, places);
      } else if (space != nullptr) {
        add(*header, places.seen(Kind::Open, {space->getBeginLoc(), space->getLocation()}));
        add(*header, places.seen(Kind::Close, space->getRBraceLoc()));
        inside(*space, places);
      } else {
        add(*header, declaration(*decl, places));
      }
    }
  }

  Seen declaration(Decl& decl, const Places& places) {
    Seen seen = places.seen(Kind::Declaration, decl.getSourceRange());
    const Space space = space_of(decl);
    // Words of every text, and what makes a namespace see another.
    if (space == Space::Other || isa<UsingDirectiveDecl>(decl)) seen.kind = Kind::Always;
    else if (isa<StaticAssertDecl>(decl)) seen.kind = Kind::Statement;
    names_of(decl, seen.names);
    Needs(space, seen.needs).TraverseDecl(&decl);
    const auto* function = dyn_cast<FunctionDecl>(&decl);
    if (const auto* general = dyn_cast<FunctionTemplateDecl>(&decl)) function = general->getTemplatedDecl();
    if (function != nullptr)
      for (const ParmVarDecl* p : function->parameters())
        Operands(seen.operands).TraverseTypeLoc(p->getTypeSourceInfo()->getTypeLoc());
    return seen;
  }

  const std::string& root_;
  Headers& headers_;
};

// ---- The preprocessor ---------------------------------------------------------------------------------------------

struct Skipped {
  std::map<std::string, std::vector<std::pair<unsigned, unsigned>>> lines;  // by header
};

class Directives : public PPCallbacks {
 public:
  Directives(const SourceManager& sources, const std::string& root, Headers& headers, Skipped& skipped)
      : places_(sources, root, headers), skipped_(skipped) {}

  void FileChanged(SourceLocation at, FileChangeReason, SrcMgr::CharacteristicKind, FileID) override {
    if (Header* header = places_.header(at)) header->parsed = true;
  }
  void MacroDefined(const Token& name, const MacroDirective* how) override {
    Header* header = places_.header(name.getLocation());
    if (header == nullptr) return;
    Seen seen{Kind::Macro, places_.line(name.getLocation()), places_.line(how->getMacroInfo()->getDefinitionEndLoc()), {}, {}, {}};
    seen.names.insert(name.getIdentifierInfo()->getName().str());
    // A set's first header has the words that every text is written in.
    if (header->path == embed::kCpuPrimitives[0] || header->path == embed::kWarpPrimitives[0]) seen.kind = Kind::Always;
    add(*header, seen);
  }
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange range, const MacroArgs*) override {
    if (Header* header = places_.header(range.getBegin()))
      uses.push_back({header, places_.line(range.getBegin()), name.getIdentifierInfo()->getName().str()});
  }
  void If(SourceLocation at, SourceRange, ConditionValueKind) override { directive(Kind::If, at); }
  void Ifdef(SourceLocation at, const Token&, const MacroDefinition&) override { directive(Kind::If, at); }
  void Ifndef(SourceLocation at, const Token&, const MacroDefinition&) override { directive(Kind::If, at); }
  void Elif(SourceLocation at, SourceRange, ConditionValueKind, SourceLocation) override { directive(Kind::Else, at); }
  void Else(SourceLocation at, SourceLocation) override { directive(Kind::Else, at); }
  void Endif(SourceLocation at, SourceLocation) override { directive(Kind::Endif, at); }
  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    // From one directive to the next.
    if (Header* header = places_.header(range.getBegin()))
      skipped_.lines[header->path].push_back({places_.line(range.getBegin()), places_.line(range.getEnd())});
  }

  struct Use {
    Header* header;
    unsigned line;
    std::string macro;
  };
  std::vector<Use> uses;

 private:
  void directive(Kind kind, SourceLocation at) {
    if (Header* header = places_.header(at)) add(*header, {kind, places_.line(at), places_.line(at), {}, {}, {}});
  }

  Places places_;
  Skipped& skipped_;
};

class Action : public ASTFrontendAction {
 public:
  Action(const std::string& root, Headers& headers, Skipped& skipped) : root_(root), headers_(headers), skipped_(skipped) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    auto directives = std::make_unique<Directives>(compiler.getSourceManager(), root_, headers_, skipped_);
    directives_ = directives.get();
    compiler.getPreprocessor().addPPCallbacks(std::move(directives));
    return std::make_unique<Consumer>(root_, headers_);
  }
  // A macro's use belongs to what stands around it, which is known once everything has been parsed.
  void EndSourceFileAction() override {
    for (const Directives::Use& use : directives_->uses) {
      auto at = use.header->seen.upper_bound(use.line);
      if (at == use.header->seen.begin()) continue;
      for (--at; at->second.last < use.line && at != use.header->seen.begin();) --at;  // out of what is inside another
      if (use.line <= at->second.last) at->second.needs.insert(use.macro);
    }
  }

 private:
  const std::string& root_;
  Headers& headers_;
  Skipped& skipped_;
  Directives* directives_ = nullptr;
};

// ---- Ways to compile ----------------------------------------------------------------------------------------------

struct Way {
  std::vector<std::string> arguments;
  std::string text;
};

void include(std::string& text, std::span<const std::string_view> headers) {
  for (const std::string_view header : headers) text += fmt::format("#include \"{}\"\n", header);
}

std::vector<Way> ways(const std::string& root) {
  std::vector<Way> all;
  std::string cpu;
  include(cpu, embed::kCpuPrimitives);
  for (const char* features : {"-march=x86-64", "-march=x86-64-v2", "-march=haswell", "-march=alderlake", "-march=icelake-server"})
    all.push_back({{"-x", "c++", "-std=c++17", features}, cpu});

  const auto kernel = [&](const std::string& defines, std::span<const std::string_view> lane) {
    std::string text =
        "#define SLUICE_WORKERS 32\n#define SLUICE_WARPS 1\n#define SLUICE_PART_COPIES 64\n#define SLUICE_DISTANCE_BITS 16\n"
        "#define SLUICE_MIN_TOKEN 1\n#define SLUICE_TEAM 4\n#define SLUICE_STRING_WARPS 4\n#define SLUICE_ELEMENT 8\n" + defines;
    include(text, embed::kWarpPrimitives);
    text += "namespace warp_prim = prim;\nnamespace thread {\n";
    include(text, lane);
    return text + "}\n";
  };
  const auto device = [&](const char* gpu, std::string text) {
    all.push_back({{"-x", "cuda", "-std=c++20", "--cuda-device-only", fmt::format("--cuda-gpu-arch={}", gpu), "-nocudainc",
                    "-nocudalib", "-include", root + "/runtime/prim/cuda/clang.h"},
                   std::move(text)});
  };
  const auto add = [&](const char* gpu, const std::string& defines, std::span<const std::string_view> lane) {
    device(gpu, kernel(defines, lane));
  };
  // Of a block, which not all headers are for.
  std::string block = "#define SLUICE_WORKERS 64\n#define SLUICE_WARPS 2\n";
  include(block, std::span(embed::kWarpPrimitives).first(5));
  device("sm_90", block);
  add("sm_90", "#define SLUICE_SPLIT_BUFFER 16\n", embed::kStagedPrimitives);
  add("sm_90", "#define SLUICE_SPLIT_BUFFER 256\n#define SLUICE_LEADER\n", embed::kStagedPrimitives);
  add("sm_75", "#define SLUICE_SPLIT_BUFFER 256\n", embed::kStagedPrimitives);
  add("sm_90",
      "#define SLUICE_SPLIT_BUFFER 256\n#define SLUICE_BEGIN_COPY(to, from, n) memcpy(to, from, n)\n"
      "#define SLUICE_WAIT_FOR_COPIES() (void)0\n",
      embed::kStagedPrimitives);
  add("sm_90", "", embed::kCountedPrimitives);
  const std::string slots = "#define SLUICE_VALUES 1\n#define SLUICE_PART_WORDS 17\n";
  add("sm_90", slots + "#define SLUICE_SHORT_ENTRIES 1\n#define SLUICE_PART_ENTRIES 98\n", embed::kEntryPrimitives);
  add("sm_90", slots + "#define SLUICE_PART_ENTRIES 97\n", embed::kEntryPrimitives);
  add("sm_90", "#define SLUICE_GUESSES 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_WIDE_PARTS 40\n#define SLUICE_LONGEST_COPY 64\n#define SLUICE_NUMBERS 1\n#define SLUICE_ADDED 1\n#define SLUICE_LENT 64\n#define SLUICE_OWN 1\n",
      embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_VALUES 1\n#define SLUICE_DICTIONARY 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_VALUES 1\n#define SLUICE_SHORT_ENTRIES 1\n#define SLUICE_LONGEST_COPY 258\n", embed::kTokenPrimitives);
  for (const char* gpu : {"sm_80", "sm_90"}) add(gpu, "#define SLUICE_WRITER 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_WRITER 1\n#define SLUICE_WALKER 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_WRITER 1\n#define SLUICE_WALKER 1\n#define SLUICE_TOKENS_A_LANE 2\n#define SLUICE_LINKS 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_SEGMENT 32\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_ONE_WALK 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_STORAGE 1\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_SLICES 1\n#define SLUICE_CHAIN_START 32\n", embed::kTokenPrimitives);
  add("sm_90", "#define SLUICE_SLICES 1\n#define SLUICE_WIDE_PARTS 24\n#define SLUICE_PERIODS 1\n#define SLUICE_MARK_WORDS 256\n", embed::kTokenPrimitives);
  add("sm_90",
      "#undef __CUDA_ARCH__\n#define SLUICE_SPLIT_BUFFER 16\n#define SLUICE_ARRIVE(barrier, n) (void)0\n"
      "#define SLUICE_AWAIT(barrier, n) (void)0\n",
      embed::kStagedPrimitives);
  return all;
}

// Lines that every way has skipped, of headers that it has read.
void find_unseen(const std::vector<Skipped>& skipped, Headers& headers) {
  for (auto& [path, header] : headers) {
    const auto lines = static_cast<unsigned>(std::ranges::count(header.text, '\n'));
    std::vector<unsigned> times(lines + 2, 0);
    for (const Skipped& one : skipped) {
      std::vector<bool> now(lines + 2, one.lines.contains("unread " + path));
      if (const auto at = one.lines.find(path); at != one.lines.end())
        for (const auto& [first, last] : at->second)
          for (unsigned line = first + 1; line < last; ++line) now[line] = true;
      for (unsigned line = 1; line <= lines; ++line) times[line] += now[line];
    }
    for (unsigned line = 1; line <= lines; ++line)
      if (times[line] == skipped.size()) header.never_compiled.push_back(line);
  }
}

}  // namespace

bool scan(const std::string& root, Headers& headers, std::string& errors) {
  std::vector<Skipped> skipped;
  for (const Way& way : ways(root)) {
    for (auto& [path, header] : headers) header.parsed = false;
    std::vector<std::string> arguments{"-w", "-ffreestanding", "-nostdinc", "-I" + root};
    arguments.insert(arguments.end(), way.arguments.begin(), way.arguments.end());
    if (!tooling::runToolOnCodeWithArgs(std::make_unique<Action>(root, headers, skipped.emplace_back()), way.text,
                                        arguments, root + "/primitives.cpp", "sluice")) {
      errors = "the primitives do not compile:\n" + way.text;
      return false;
    }
    for (const auto& [path, header] : headers)
      if (!header.parsed) skipped.back().lines["unread " + path];
  }
  find_unseen(skipped, headers);
  return true;
}

}  // namespace sluice::primitives
