# Flags every target of ours is built with.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

# Two things that no count of instructions shows. With registers allotted across functions gcc leaves out vzeroupper where a
# kernel calls a function of its own file, and every first instruction of such a function then takes hundreds of cycles (Intel).
# And structures are cleared and copied by `rep stos` and `rep movs`, each of which takes thirty cycles to begin.
set(THUD_TUNE "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(THUD_TUNE -fno-ipa-ra -mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign
    -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
endif()

add_library(thud_flags INTERFACE)
# A subproject whose author chose no build type gets an optimized Thud all the same.
target_compile_options(thud_flags INTERFACE $<$<CONFIG:>:-O3>)
target_compile_definitions(thud_flags INTERFACE $<$<CONFIG:>:NDEBUG>)
target_compile_options(thud_flags INTERFACE -fvisibility=hidden
  # The same bits on every machine: no fused or reordered floating point unless the code says so.
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  # Loops over the few rows of a contact or a small matrix stay loops: a call of memcpy costs more than they do.
  $<$<AND:$<COMPILE_LANG_AND_ID:C,GNU>,$<NOT:$<CONFIG:Debug>>>:-fno-tree-loop-distribute-patterns>
  $<$<AND:$<COMPILE_LANG_AND_ID:C,GNU>,$<NOT:$<CONFIG:Debug>>>:${THUD_TUNE}>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wpointer-arith -Wvla>)
# Of clang's own warnings two say nothing here: vectors are passed among functions of one file alone, and macros may have no
# further arguments (as C23 has it).
target_compile_options(thud_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>:-Wno-psabi;-Wno-gnu-zero-variadic-macro-arguments>)
if(THUD_WERROR)
  target_compile_options(thud_flags INTERFACE -Werror)
endif()
if(THUD_ARCH)
  # gcc 12 fuses products of straight-line code into fmaddsub whatever -ffp-contract says.
  target_compile_options(thud_flags INTERFACE -march=${THUD_ARCH}
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-fno-tree-slp-vectorize>)
  target_compile_definitions(thud_flags INTERFACE THUD_FIXED_ARCH=1)
endif()
if(THUD_SANITIZE)
  target_compile_options(thud_flags INTERFACE -fsanitize=${THUD_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(thud_flags INTERFACE -fsanitize=${THUD_SANITIZE})
  target_compile_definitions(thud_flags INTERFACE THUD_SANITIZED=1 THUD_FIXED_ARCH=1)
endif()
if(THUD_PROFILE)
  # What never ran is built as it is without a profile, not for size. Optimizers differ, bits do not.
  set(THUD_PROFILE_note -fprofile-generate -fprofile-update=prefer-atomic)
  set(THUD_PROFILE_use -fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile)
  target_compile_options(thud_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:${THUD_PROFILE_${THUD_PROFILE}}>)
  target_link_options(thud_flags INTERFACE ${THUD_PROFILE_${THUD_PROFILE}})
endif()
target_include_directories(thud_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)

# Fat objects: tests link them fast and as they are, the program and the shared library link them with LTO.
set(THUD_LTO_COMPILE "")
set(THUD_LTO_LINK "")
if(THUD_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(THUD_LTO_COMPILE -flto=auto -ffat-lto-objects)
  set(THUD_LTO_LINK -flto=auto -O3 -ffp-contract=off ${THUD_TUNE})
endif()
