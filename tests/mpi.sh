# shellcheck shell=bash disable=SC2034  # what is set here is used by those who source this
# The MPI library of a script that launches jobs itself (mpi_script_test): takes MPI RUNTIME from the
# script's arguments. RUNTIME is "-" where the test does without.
#
# $mpi is "mpich" or "openmpi": its compilers are mpicc.$mpi and mpifort.$mpi, its launcher
# "${mpiexec[@]}", in the same words for both (tests/mpiexec.sh).
mpi=$1 runtime=$PWD/$2
shift 2
mpiexec=("$PWD/tests/mpiexec.sh" "$mpi")

# By which the library itself does without /dev/shm.
case $mpi in
  mpich) without_shm=UCX_TLS=sysv,self ;;
  openmpi) without_shm=OMPI_MCA_btl_vader_backing_directory=/tmp ;;
esac

# Links a program with the runtime.
runtime_name=${runtime##*/lib}
link_runtime=("-L${runtime%/*}" "-Wl,-rpath,${runtime%/*}" "-l${runtime_name%.so}")

# Whether the launcher's status says that a job has died. MPICH 4.2's says in one job of a hundred that
# all is well, with and without the runtime: so much is let pass twice in a script.
# Where MPI_Finalize is called at the end of the process it often kills a job that is about to end, and
# says 9, with and without the runtime.
lies_left=0 statuses_at_exit=0
if [ "$mpi" = mpich ] && mpiexec.hydra --version | grep -Eq 'Version: +4[.]2[.]'; then
  lies_left=2 statuses_at_exit="0|9"
fi
has_died() { [ "$1" != 0 ] || [ "$((lies_left--))" -gt 0 ]; }
