# What Thud takes from outside. The core needs a C compiler and expat; the parts below are options of the build:
#
#     part         package (Debian)      without it
#     HDF5         libhdf5-dev           recordings are CSV or in memory; FCLIB problems are not read
#     SUNDIALS     libsundials-dev       the event-driven scheme is refused
#
# None of them changes a bit of what is computed without it.
#
# THUD_PARTS_IN lists those that are in; thud_parts() and `thud --version` print it.
find_package(Threads REQUIRED)
find_package(EXPAT)
if(NOT EXPAT_FOUND)
  message(FATAL_ERROR "expat, the XML parser, was not found: libexpat1-dev (Debian), expat-devel (Fedora), expat (Arch, Homebrew, vcpkg)")
endif()
set(THUD_EXTERNAL_load EXPAT::EXPAT)
# The module of the Python package is to need nothing that a machine may not have: expat is linked in where there is an archive of it.
if(THUD_BUILD_PYTHON)
  find_library(THUD_EXPAT_ARCHIVE NAMES libexpat.a libexpatMT.lib)
  if(THUD_EXPAT_ARCHIVE)
    add_library(thud_expat INTERFACE)
    target_link_libraries(thud_expat INTERFACE ${THUD_EXPAT_ARCHIVE})
    target_include_directories(thud_expat SYSTEM INTERFACE ${EXPAT_INCLUDE_DIRS})
    set(THUD_EXTERNAL_load thud_expat)
  endif()
endif()
set(THUD_PARTS_IN "")
set(THUD_PARTS_OUT "")
set(THUD_PC_REQUIRES expat) # Requires.private of thud.pc
set(THUD_PC_LIBS "")        # Libs.private, beside -lm and threads
set(THUD_STATIC_LINKS "")   # what the installed static library links beside expat, threads and m: names, not paths

# thud_part(NAME TEXT): the option THUD_NAME.
macro(thud_part name text)
  option(THUD_${name} "${text}" ${THUD_FULL})
  string(TOLOWER ${name} lower)
  if(THUD_${name})
    list(APPEND THUD_PARTS_IN ${lower})
  else()
    list(APPEND THUD_PARTS_OUT ${lower})
  endif()
endmacro()
macro(thud_part_missing name package)
  message(FATAL_ERROR "THUD_${name} is on and its library was not found: install ${package} (Debian's name), or configure with -DTHUD_${name}=OFF")
endmacro()

thud_part(HDF5 "Write and read HDF5: recordings that end in .h5, problems in FCLIB's layout")
thud_part(SUNDIALS "Integrate between events with SUNDIALS CVODE: the event-driven scheme")

if(THUD_HDF5)
  find_package(HDF5 COMPONENTS C)
  if(NOT HDF5_FOUND)
    thud_part_missing(HDF5 libhdf5-dev)
  endif()
  set(THUD_EXTERNAL_problem HDF5::HDF5)
  set(THUD_EXTERNAL_record HDF5::HDF5)
  set(THUD_LEFT_OUT_problem "/fclib_absent\\.c$")
  set(THUD_LEFT_OUT_record "/hdf5_absent\\.c$")
  list(APPEND THUD_PC_REQUIRES hdf5)
else()
  set(THUD_LEFT_OUT_problem "/fclib_(hdf5|matrix|read|write)\\.c$")
  set(THUD_LEFT_OUT_record "/hdf5_(read|rows)\\.c$")
endif()
if(THUD_SUNDIALS)
  find_path(THUD_SUNDIALS_INCLUDE cvode/cvode.h)
  add_library(thud_sundials INTERFACE)
  target_compile_definitions(thud_sundials INTERFACE THUD_HAVE_SUNDIALS=1)
  foreach(part cvode nvecserial sunnonlinsolfixedpoint sunlinsoldense sunmatrixdense)
    find_library(THUD_SUNDIALS_${part} sundials_${part})
    if(NOT THUD_SUNDIALS_${part} OR NOT THUD_SUNDIALS_INCLUDE)
      thud_part_missing(SUNDIALS libsundials-dev)
    endif()
    target_link_libraries(thud_sundials INTERFACE ${THUD_SUNDIALS_${part}})
    list(APPEND THUD_STATIC_LINKS sundials_${part})
  endforeach()
  target_include_directories(thud_sundials SYSTEM INTERFACE ${THUD_SUNDIALS_INCLUDE})
  set(THUD_EXTERNAL_event thud_sundials)
endif()

# m is part of the C library on Windows and of libSystem on macOS.
set(THUD_LIBM "")
find_library(THUD_MATH_LIBRARY m)
if(THUD_MATH_LIBRARY OR CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
  set(THUD_LIBM m)
endif()
foreach(library IN LISTS THUD_STATIC_LINKS)
  string(APPEND THUD_PC_LIBS " -l${library}")
endforeach()
list(JOIN THUD_PARTS_IN " " THUD_PARTS_TEXT)
if(PROJECT_IS_TOP_LEVEL)
  list(JOIN THUD_PARTS_OUT " " out)
  message(STATUS "Optional parts in: ${THUD_PARTS_TEXT}; left out: ${out} (-DTHUD_FULL=ON takes all; cmake/ThudParts.cmake says what each is for)")
endif()
