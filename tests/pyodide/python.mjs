// Runs Python in Pyodide: node python.mjs PLACE… -- MODULE [ARGUMENT…]
// The first place, a repository, is the working directory; a second one holds packages, and without
// it there is the standard library alone. The process ends with the module's status.
import { loadPyodide } from "pyodide";

const split = process.argv.indexOf("--");
const python = await loadPyodide();
const output = {
  isatty: false,
  write(bytes) {
    process.stdout.write(Buffer.from(bytes));
    return bytes.length;
  },
};
python.setStdout(output);
python.setStderr(output);
const paths = ["/repository", "/packages"];
process.argv.slice(2, split).forEach((root, index) => {
  python.FS.mkdirTree(paths[index]);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, paths[index]);
});
python.globals.set("words", python.toPy(process.argv.slice(split + 1)));
process.exitCode = await python.runPythonAsync(`
import os, runpy, sys

sys.dont_write_bytecode = True
sys.path[:0] = ["/repository", "/packages"]
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
os.chdir("/repository")
sys.argv = list(words)
status = 0
try:
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
except SystemExit as end:
    status = end.code if isinstance(end.code, int) else int(end.code is not None)
sys.stdout.flush()  # Nothing ends the interpreter, which would.
sys.stderr.flush()
status
`);
