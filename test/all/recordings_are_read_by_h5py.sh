#!/usr/bin/env bash
# HDF5 recordings with contacts, read by others: h5py, of whichever Python has it.
for python in python3 /usr/bin/python3; do
    "$python" -c "import h5py" 2>/dev/null && exec "$python" "$2/test/all/recordings_are_read_by_h5py.py" "$1"
done
echo "skipped: no Python here has h5py (python3-h5py)"
exit 77
