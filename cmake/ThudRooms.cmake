# One object library a room (thud_room_NAME), read from LAYERS; THUD_BELOW_NAME lists the rooms it may link.
# Packing pairs of 3-vectors makes loads wait for the stores before them: 12 % of a chain's step (bench_chain).
set(THUD_OPTIONS_dynamics -fno-tree-slp-vectorize)

file(STRINGS "${PROJECT_SOURCE_DIR}/LAYERS" THUD_STOREYS REGEX "^[a-z]")
list(REVERSE THUD_STOREYS)                      # ground first
set(THUD_ROOMS "")
set(below "")
foreach(storey IN LISTS THUD_STOREYS)
  string(REPLACE " " ";" rooms "${storey}")
  set(storey_rooms "")
  foreach(room IN LISTS rooms)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.c")
    if(THUD_LEFT_OUT_${room})
      list(FILTER sources EXCLUDE REGEX "${THUD_LEFT_OUT_${room}}")
    endif()
    if(sources)
      add_library(thud_room_${room} OBJECT ${sources})
      target_link_libraries(thud_room_${room} PRIVATE thud_flags ${THUD_EXTERNAL_${room}})
      target_compile_definitions(thud_room_${room} PRIVATE THUD_BUILDING=1)
      target_include_directories(thud_room_${room} PRIVATE ${PROJECT_SOURCE_DIR}/src) # <ROOM/door.h> of rooms below
      target_compile_options(thud_room_${room} PRIVATE ${THUD_LTO_COMPILE} ${THUD_OPTIONS_${room}})
      list(APPEND storey_rooms ${room})
      set(THUD_BELOW_${room} ${below} ${room})
    endif()
  endforeach()
  list(APPEND below ${storey_rooms})
  list(APPEND THUD_ROOMS ${storey_rooms})
endforeach()

# thud_link_rooms(TARGET ROOM...): link exactly these rooms' objects and what they need from outside.
function(thud_link_rooms target)
  foreach(room IN LISTS ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:thud_room_${room}>)
    target_link_libraries(${target} PRIVATE ${THUD_EXTERNAL_${room}})
  endforeach()
  target_link_libraries(${target} PRIVATE thud_flags Threads::Threads ${THUD_LIBM})
  if(THUD_LTO_COMPILE) # else the linker finds the LTO half of the fat objects; who wants it adds THUD_LTO_LINK
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()

# The version and commit that recordings and --version carry.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE THUD_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT THUD_COMMIT)
  set(THUD_COMMIT "unknown")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_info.h.in ${PROJECT_BINARY_DIR}/generated/thud_build_info.h)
