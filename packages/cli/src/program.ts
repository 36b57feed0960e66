import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addDoctor } from "./commands/doctor.ts";
import { addDrift } from "./commands/drift.ts";
import { addLogs } from "./commands/logs.ts";
import { addLs } from "./commands/ls.ts";
import { addResume } from "./commands/resume.ts";
import type { Run } from "./commands/run-command.ts";
import { addRun } from "./commands/run.ts";
import { addStop } from "./commands/stop.ts";
import { plain } from "./render/plain.ts";

/** The grammar of the command line. */
export function createProgram(run: Run): Command {
  const program = new Command("fairlead")
    .description("One contract for every coding agent: start, watch, answer, pause, resume, stop.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show how it is used")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      outputError: (text, write) => write(plain(text).replace(/^error: /, "fairlead: ")),
    })
    .showHelpAfterError("Try: fairlead --help (words that begin with a dash go after --)")
    .addHelpText("after", help);
  for (const add of [addRun, addLs, addLogs, addResume, addStop, addDoctor, addDrift]) add(program, run);
  return program;
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}

const help = `
Examples:
  fairlead doctor                        which agents work here
  fairlead run scripted "say hello"      start one, and answer what it asks
  fairlead ls                            all sessions
  fairlead resume 54tq "go on"           say more to one of them

Everything is kept in ~/.fairlead, or where FAIRLEAD_HOME says.
fairlead COMMAND --help tells more.`;
