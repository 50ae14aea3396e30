# The library: thud_shared and thud_static of the same objects; thud::thud is the one that BUILD_SHARED_LIBS names.
set(THUD_LIBRARIES "")
if(BUILD_SHARED_LIBS)
  add_library(thud_shared SHARED)
  set_target_properties(thud_shared PROPERTIES OUTPUT_NAME thud EXPORT_NAME shared VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  thud_link_rooms(thud_shared ${THUD_ROOMS})
  target_link_options(thud_shared PRIVATE ${THUD_LTO_LINK})
  if(APPLE)
    target_link_options(thud_shared PRIVATE -Wl,-exported_symbol,_thud_*)
  elseif(UNIX AND NOT EMSCRIPTEN) # what gcc makes of target_clones is visible whatever -fvisibility says
    target_link_options(thud_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/thud.map)
    set_target_properties(thud_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/thud.map)
  endif()
  list(APPEND THUD_LIBRARIES thud_shared)
  add_library(thud::shared ALIAS thud_shared)
  add_library(thud::thud ALIAS thud_shared)
endif()

if(THUD_STATIC OR NOT BUILD_SHARED_LIBS)
  set(objects "")
  foreach(room IN LISTS THUD_ROOMS)
    list(APPEND objects $<TARGET_OBJECTS:thud_room_${room}>)
  endforeach()
  add_library(thud_static STATIC ${objects})
  if(UNIX AND NOT APPLE AND NOT EMSCRIPTEN AND CMAKE_OBJCOPY AND NOT THUD_SANITIZE AND NOT THUD_PROFILE)
    # One object in which only names of the interface are global: ours cannot clash with a user's.
    set(no_lto "")
    if(THUD_LTO_COMPILE)
      set(no_lto -fno-lto)
    endif()
    set(linked $<TARGET_FILE_DIR:thud_static>/thud_objects.o)
    add_custom_command(TARGET thud_static POST_BUILD COMMENT "Making all names but those of the interface local" VERBATIM
      COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${no_lto} -o ${linked} -Wl,--whole-archive $<TARGET_FILE:thud_static>
        -Wl,--no-whole-archive
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol=thud_* --remove-section=.gnu.lto_*
        --remove-section=.gnu.debuglto_* ${linked}
      COMMAND ${CMAKE_COMMAND} -E rm $<TARGET_FILE:thud_static>
      COMMAND ${CMAKE_AR} qcs $<TARGET_FILE:thud_static> ${linked}
      COMMAND ${CMAKE_COMMAND} -E rm ${linked})
  endif()
  set_target_properties(thud_static PROPERTIES OUTPUT_NAME thud EXPORT_NAME static LINKER_LANGUAGE C)
  if(MSVC OR (WIN32 AND BUILD_SHARED_LIBS))
    set_target_properties(thud_static PROPERTIES OUTPUT_NAME thud_static) # thud.lib is the import library's name
  endif()
  set(build_links "")
  foreach(room IN LISTS THUD_ROOMS)
    list(APPEND build_links ${THUD_EXTERNAL_${room}})
  endforeach()
  list(REMOVE_DUPLICATES build_links)
  target_link_libraries(thud_static INTERFACE $<BUILD_INTERFACE:${build_links}>
    $<INSTALL_INTERFACE:EXPAT::EXPAT> $<INSTALL_INTERFACE:${THUD_STATIC_LINKS}> Threads::Threads ${THUD_LIBM})
  if(THUD_HDF5)
    target_link_libraries(thud_static INTERFACE $<INSTALL_INTERFACE:HDF5::HDF5>)
  endif()
  list(APPEND THUD_LIBRARIES thud_static)
  add_library(thud::static ALIAS thud_static)
  if(NOT BUILD_SHARED_LIBS)
    add_library(thud::thud ALIAS thud_static)
  endif()
endif()

foreach(library IN LISTS THUD_LIBRARIES)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
add_custom_target(thud_libraries DEPENDS ${THUD_LIBRARIES}) # all that is installed besides the program
