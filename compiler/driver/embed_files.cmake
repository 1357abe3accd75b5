# cmake -DROOT=dir -DLIST=file -DOUT=file.cpp -P embed_files.cmake
# Writes the files named in LIST, one a line, as raw string literals under their path from ROOT, sorted by path.
file(STRINGS ${LIST} FILES)
list(SORT FILES COMPARE STRING)
set(TEXT "// Generated from the source tree by embed_files.cmake.\n#include \"compiler/driver/embedded.h\"\n\n")
string(APPEND TEXT "namespace sluice::driver {\nnamespace {\n\nconstexpr EmbeddedFile kFiles[] = {\n")
foreach(FILE IN LISTS FILES)
  file(RELATIVE_PATH NAME ${ROOT} ${FILE})
  file(READ ${FILE} BODY)
  string(APPEND TEXT "    {\"${NAME}\", R\"~embed~(${BODY})~embed~\"},\n")
endforeach()
string(APPEND TEXT "};\n\n}  // namespace\n\n")
string(APPEND TEXT "std::span<const EmbeddedFile> embedded_files() { return kFiles; }\n\n}  // namespace sluice::driver\n")
file(WRITE ${OUT} "${TEXT}")
