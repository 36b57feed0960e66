import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { agentFolder, agentProgram, findAgent } from "@fairlead/lab";
import type { Changes } from "./doctored.ts";

/** Installs a doctored program as a version of an agent. */
export function doctor(agent: string, version: string, changes: Changes): void {
  const program = `${agentFolder(agent, version)}${findAgent(agent).program}`;
  const doctored = fileURLToPath(new URL("doctored.ts", import.meta.url));
  const words = [process.execPath, doctored, JSON.stringify(changes), agentProgram(agent)];
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
