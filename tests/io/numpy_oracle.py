"""Compares the .npy reader and writer with NumPy's. Usage: numpy_oracle.py NPY_ECHO.

Exits 77 (skipped) where NumPy is not installed.
"""
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    sys.exit(77)


def echo(array, folder, version):
    with open(folder + "/in.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    run = subprocess.run([sys.argv[1], folder + "/in.npy", folder + "/out.npy"],
                         capture_output=True, text=True, check=True)
    return run.stdout.split("\n"), np.load(folder + "/out.npy")


rng = np.random.default_rng(1)
count = 0
with tempfile.TemporaryDirectory() as folder:
    for dtype in "<f2 <f4 <f8 |i1 <i2 <i4 <i8 |u1 <u2 <u4 |b1".split():
        for shape in [(), (0,), (1,), (7,), (3, 4), (4, 0, 2), (2, 3, 5), (2, 1, 3, 2, 2, 1)]:
            values = rng.normal(size=shape) * 100
            if np.dtype(dtype).kind in "ub":
                values = np.abs(values)
            for order in "CF":
                for version in [(1, 0), (2, 0), (3, 0)] if shape == (3, 4) else [(1, 0)]:
                    array = np.array(values, order=order).astype(dtype)
                    lines, back = echo(array, folder, version)
                    wide = array.astype("f4" if dtype == "<f2" else
                                        dtype if array.dtype.kind == "f" else "i8")
                    assert lines[0] == str(list(array.shape)), (lines[0], array.shape)
                    printed = np.array(lines[1:-1], dtype=wide.dtype)
                    assert np.array_equal(printed, wide.ravel()), (dtype, shape, order)
                    assert back.dtype == wide.dtype and np.array_equal(back, wide)
                    count += 1
    refused = [np.array(["text"]), np.array([1j]), np.zeros(2, ">f4"),
               np.zeros(1, [("a", "<f4")]), np.array(["2024-01-01"], "M8[D]")]
    for array in refused:
        np.save(folder + "/in.npy", array)
        run = subprocess.run([sys.argv[1], folder + "/in.npy", folder + "/out.npy"],
                             capture_output=True, text=True)
        assert run.returncode == 65, (array.dtype, run)
print(f"{count} arrays agree with NumPy {np.__version__}, {len(refused)} kinds are refused")
