import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { agentFolder, agentProgram, findLabAgent } from "@fairlead/lab";
import type { ProgramChanges } from "./modified-program.ts";

/** Installs a modified program as a version of an agent. */
export function installModifiedProgram(agent: string, version: string, changes: ProgramChanges): void {
  const program = `${agentFolder(agent, version)}${findLabAgent(agent).program}`;
  const modifiedProgram = fileURLToPath(new URL("modified-program.ts", import.meta.url));
  const commandLine = [process.execPath, modifiedProgram, JSON.stringify(changes), agentProgram(agent)];
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec ${commandLine.map(quote).join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
