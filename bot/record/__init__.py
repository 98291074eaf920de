"""Running a training command and writing what it used as a manifest (`run-manifest-v1`)."""
