#!/usr/bin/env node
// Imports no name that Node 18 lacks, and nothing else at once: an older Node must get as far as the check below.
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const requiredNode = 24;
if (Number.parseInt(process.versions.node, 10) < requiredNode) {
  process.stderr.write(
    `fairlead: Node ${requiredNode} or newer is needed; this is Node ${process.versions.node}. See https://nodejs.org\n`,
  );
  process.exit(1);
}

// Compiling takes most of the time of a short command. The cache belongs to the user: code in a shared folder could be
// anyone's.
nodeModule.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead"));
const { formatError } = await import("./format-error.ts");
const { runCli } = await import("./run-cli.ts");
const { createCliContext } = await import("./cli-context.ts");

// The reader of the output may close its end, as `head` does. Sessions do not depend on this process, so it may exit at
// any time.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}
process.on("uncaughtException", (error) => {
  const { text, exitCode } = formatError(error, { debug: Boolean(process.env["FAIRLEAD_DEBUG"]) });
  process.stderr.write(text);
  process.exit(exitCode);
});

process.exitCode = await runCli(process.argv.slice(2), createCliContext(process));
