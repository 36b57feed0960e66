#!/usr/bin/env node
/** A coding agent on any Chat Completions API: a loop, four tools, and the Agent Client Protocol around them. */
import { help, readSettings } from "./openai-agent/settings.ts";
import { version } from "./openai-agent/version.ts";

function settingsOrExit(): ReturnType<typeof readSettings> {
  try {
    return readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const settings = settingsOrExit();
if (settings === "help") process.stdout.write(help);
else if (settings === "version") process.stdout.write(`${version}\n`);
else {
  // Commands run in groups of their own: they must be ended before this process is.
  const asked = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => asked.abort());
  // Loaded only now, so that a probe is quick.
  const { serve } = await import("./openai-agent/serve.ts");
  // Whoever asked for a conversation that could not be had is to see it by the exit code, too.
  process.exit((await serve(settings, asked.signal)) ? 0 : 1);
}
