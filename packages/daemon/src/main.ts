/** The daemon process: `main.ts [--listen HOST:PORT] [--origin URL]…`, with the data directory in `FAIRLEAD_HOME`. */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

// Compiling takes most of the start-up time. The cache belongs to the user: code in a shared folder could be anyone's.
enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead"));
const { Home } = await import("@fairlead/runtime/home");
const { runDaemon } = await import("./run-daemon.ts");

// The reader of the log may close its end. Sessions do not depend on this process, so it may exit at any time.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}

const { listen = null, origin: origins = [] } = parseArgs({
  options: { listen: { type: "string" }, origin: { type: "string", multiple: true } },
}).values;
const home = Home.from(process.env);
try {
  await runDaemon({ home, environment: process.env }, { listen, origins });
} catch (error) {
  // The command that started this process shows the first line.
  const { describeStartFailure, startFailurePrefix } = await import("./describe-start-failure.ts");
  process.stderr.write(`${startFailurePrefix}${describeStartFailure(error, listen)}\n${(error as Error).stack}\n`);
  process.exit(1);
}
