import { Command } from "commander";
import { addAcp } from "./commands/acp.ts";
import { addAgents } from "./commands/agents.ts";
import { addAnswer } from "./commands/answer.ts";
import { addApprove } from "./commands/approve.ts";
import { addAttach } from "./commands/attach.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDeny } from "./commands/deny.ts";
import { addDiff } from "./commands/diff.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDown } from "./commands/down.ts";
import { addDrift } from "./commands/drift.ts";
import { addFiles } from "./commands/files.ts";
import { addFork } from "./commands/fork.ts";
import { addLogs } from "./commands/logs.ts";
import { addLs } from "./commands/ls.ts";
import { addPause } from "./commands/pause.ts";
import { addPrune } from "./commands/prune.ts";
import { addPs } from "./commands/ps.ts";
import { addResume } from "./commands/resume.ts";
import type { Run } from "./commands/run-command.ts";
import { addRun } from "./commands/run.ts";
import { addSend } from "./commands/send.ts";
import { addShim } from "./commands/shim.ts";
import { addStatus } from "./commands/status.ts";
import { addSteer } from "./commands/steer.ts";
import { addStop } from "./commands/stop.ts";
import { addToken } from "./commands/token.ts";
import { addTrust } from "./commands/trust.ts";
import { addUp } from "./commands/up.ts";
import { addUsage } from "./commands/usage.ts";
import { addWait } from "./commands/wait.ts";
import { plain } from "./render/plain.ts";
import { versionOf } from "./version.ts";

/** The commands, as the help lists them. */
const groups: Readonly<Record<string, readonly ((program: Command, run: Run) => void)[]>> = {
  "Sessions:": [
    addRun,
    addLs,
    addPs,
    addLogs,
    addResume,
    addAttach,
    addSend,
    addSteer,
    addWait,
    addPause,
    addFork,
    addStop,
    addPrune,
  ],
  "What agents ask:": [addApprove, addDeny, addAnswer],
  "What they did:": [addFiles, addDiff, addUsage],
  "Agents:": [addAgents, addDoctor, addDrift, addTrust],
  "The daemon:": [addStatus, addUp, addDown, addToken],
  "For other programs:": [addShim, addAcp, addCompletion],
};

/** The grammar of the command line. */
export function createProgram(run: Run): Command {
  const program = new Command("fairlead")
    .description("One contract for every coding agent: start, watch, answer, pause, resume, stop.")
    .version(versionOf(process.env), "-V, --version", "print the version")
    .helpOption("-h, --help", "show how it is used")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      outputError: (text, write) => write(plain(text).replace(/^error: /, "fairlead: ")),
    })
    .showHelpAfterError("Try: fairlead --help (words that begin with a dash go after --)")
    .addHelpText("after", help);
  for (const [heading, adds] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const add of adds) add(program, run);
  }
  return program;
}

const help = `
Examples:
  fairlead doctor                        which agents work here
  fairlead run scripted "say hello"      start one, and answer what it asks
  fairlead ls                            all sessions
  fairlead resume 54tq "go on"           say more to one of them

Everything is kept in ~/.fairlead, or where FAIRLEAD_HOME says.
fairlead COMMAND --help tells more.`;
