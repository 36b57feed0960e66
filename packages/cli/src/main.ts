#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Compiling is most of what a short command takes. The cache is the user's own: code from a shared folder could be anybody's.
enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead"));
const { complaintOf } = await import("./complaint.ts");
const { runCli } = await import("./run-cli.ts");
const { surroundingsOf } = await import("./surroundings.ts");

// Whoever reads us may stop reading, as `head` does. Sessions do not depend on us, so we may go at any instant.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}
process.on("uncaughtException", (error) => {
  const { text, exitCode } = complaintOf(error, Boolean(process.env["FAIRLEAD_DEBUG"]));
  process.stderr.write(text);
  process.exit(exitCode);
});

process.exitCode = await runCli(process.argv.slice(2), surroundingsOf(process));
