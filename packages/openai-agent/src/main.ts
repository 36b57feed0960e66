#!/usr/bin/env node
/** A coding agent for any Chat Completions API: a loop with four tools that speaks the Agent Client Protocol. */
import { helpText, openAiAgentVersion, readSettings } from "./settings.ts";

function readSettingsOrExit(): ReturnType<typeof readSettings> {
  try {
    return readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const settings = readSettingsOrExit();
if (settings === "help") process.stdout.write(helpText);
else if (settings === "version") process.stdout.write(`${openAiAgentVersion}\n`);
else {
  // Commands have their own process groups. A signal to this process does not reach them, so it must kill them first.
  const stopRequest = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => stopRequest.abort());
  // Loaded only now, so that `--version` and `--help` of a probe are quick.
  const { serveAgent } = await import("./serve-agent.ts");
  // The exit code also shows that a requested conversation could not be opened.
  process.exit((await serveAgent(settings, stopRequest.signal)) ? 0 : 1);
}
