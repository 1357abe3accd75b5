# cmake -DROOT=dir -DLIST=file -DOUT=file.cpp -P embed_files.cmake
# Writes the files named in LIST, one a line, as raw string literals under their path from ROOT, sorted by path.
file(STRINGS ${LIST} FILES)
list(SORT FILES COMPARE STRING)
set(TEXT "// Generated from the source tree by embed_files.cmake.\n#include \"compiler/embed/embed.h\"\n\n")
string(APPEND TEXT "namespace sluice::embed {\nnamespace {\n\nconstexpr File kFiles[] = {\n")
foreach(FILE IN LISTS FILES)
  file(RELATIVE_PATH NAME ${ROOT} ${FILE})
  file(READ ${FILE} BODY)
  string(APPEND TEXT "    {\"${NAME}\", R\"~embed~(${BODY})~embed~\"},\n")
endforeach()
string(APPEND TEXT "};\n\n}  // namespace\n\n")
string(APPEND TEXT "std::span<const File> files() { return kFiles; }\n\n}  // namespace sluice::embed\n")
file(WRITE ${OUT} "${TEXT}")
