#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Compiling takes most of the time of a short command. The cache belongs to the user: code in a shared folder could be
// anyone's.
enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead"));
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
  const { text, exitCode } = formatError(error, Boolean(process.env["FAIRLEAD_DEBUG"]));
  process.stderr.write(text);
  process.exit(exitCode);
});

process.exitCode = await runCli(process.argv.slice(2), createCliContext(process));
