# Installs BUILD under WORK/prefix, builds the template SDK against it in WORK/build, and uses the plugin.
# The copy of the template lies outside of the tree, so that nothing of the tree can be found by accident.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK}/template ${WORK}/build ${WORK}/results ${prefix})
file(COPY ${SDK}/ DESTINATION ${WORK}/template)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}/template -B ${WORK}/build
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

set(case ${WORK}/template/case.yaml)
if(EXISTS ${case})
  run(${trammel} check ${case})
  run(${MPIEXEC} -q --oversubscribe -n 2 ${trammel} run ${case} -o ${WORK}/results)
endif()
