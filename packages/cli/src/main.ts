#!/usr/bin/env node
import { runCli } from "./run-cli.ts";
import { surroundingsOf } from "./surroundings.ts";

// Whoever reads us may stop reading, as `head` does. Sessions do not depend on us, so we may go at any instant.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), surroundingsOf(process));
