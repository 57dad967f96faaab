# Installs BUILD under WORK, moves that install, builds the template and the examples of SDK against it in one go in WORK/build,
# and uses their plugins: verify, check, run, and each example's histories against its reference. The copies lie outside of
# the tree, so that nothing of the tree can be found by accident.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK}/sources ${WORK}/build ${WORK}/results ${WORK}/installed ${prefix})
file(COPY ${SDK}/template ${SDK}/examples DESTINATION ${WORK}/sources)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/compare_history.cpp DESTINATION ${WORK}/sources)
file(WRITE ${WORK}/sources/CMakeLists.txt [=[
cmake_minimum_required(VERSION 3.25)
project(out_of_tree LANGUAGES C CXX)
file(GLOB cases examples/*/case.yaml)
foreach(case IN ITEMS ${CMAKE_SOURCE_DIR}/template/case.yaml ${cases})
  get_filename_component(folder ${case} DIRECTORY)
  add_subdirectory(${folder})
endforeach()
add_executable(compare_history compare_history.cpp)
target_compile_features(compare_history PRIVATE cxx_std_20)
]=])

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${prefix})
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}/sources -B ${WORK}/build -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)

set(trammel ${prefix}/bin/trammel)
set(ENV{TRAMMEL_PLUGIN_PATH} ${WORK}/build/lib/trammel/plugins)
execute_process(COMMAND ${trammel} list OUTPUT_VARIABLE types COMMAND_ERROR_IS_FATAL ANY)
message("${types}")
if(NOT types MATCHES "my_joint")
  message(FATAL_ERROR "`trammel list` does not show a type of the plugin my_joint")
endif()

run(${trammel} verify bowl)
set(case ${WORK}/sources/template/case.yaml)
run(${trammel} check ${case})
run(${MPIEXEC} -q --oversubscribe -n 2 ${trammel} run ${case} -o ${WORK}/results/template)

# The type of an example has the name of its folder.
file(GLOB cases ${WORK}/sources/examples/*/case.yaml)
set(names "")
foreach(case IN LISTS cases)
  get_filename_component(folder ${case} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  # A function of time and a surface have no equations to verify.
  file(READ ${folder}/${name}.cpp source)
  if(NOT source MATCHES "Category::function|surface_category")
    list(APPEND names ${name})
  endif()
endforeach()
run(${trammel} verify ${names} --states 30 --no-motion)

foreach(case IN LISTS cases)
  get_filename_component(folder ${case} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  run(${trammel} check ${case} --derivatives)
  run(${trammel} run ${case} -q -o ${WORK}/results/${name})
  run(${WORK}/build/compare_history ${folder}/reference.csv ${WORK}/results/${name})
endforeach()
