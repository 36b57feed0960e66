import { sanitizeText } from "@fairlead/api";
import { Command } from "commander";
import { createCliContext, type CliContext } from "./cli-context.ts";
import { addAcp } from "./commands/integration/acp.ts";
import { addAgents } from "./commands/setup/agents.ts";
import { addAnswer } from "./commands/review/answer.ts";
import { addApprove } from "./commands/review/approve.ts";
import { addAttach } from "./commands/session/attach.ts";
import { addBring } from "./commands/review/bring.ts";
import { addCompletion } from "./commands/setup/completion.ts";
import { addDeny } from "./commands/review/deny.ts";
import { addDiff } from "./commands/review/diff.ts";
import { addDoctor } from "./commands/setup/doctor.ts";
import { addDown } from "./commands/daemon/down.ts";
import { addDrift } from "./commands/setup/drift.ts";
import { addExport } from "./commands/review/export.ts";
import { addFiles } from "./commands/review/files.ts";
import { addForeman } from "./commands/foreman/foreman.ts";
import { addFleet } from "./commands/fleet/fleet.ts";
import { addGateway } from "./commands/fleet/gateway.ts";
import { addHost } from "./commands/fleet/host.ts";
import { addFork } from "./commands/session/fork.ts";
import { addInterrupt } from "./commands/session/interrupt.ts";
import { addLogs } from "./commands/session/logs.ts";
import { addLs } from "./commands/session/ls.ts";
import { addMcp } from "./commands/integration/mcp.ts";
import { addPause } from "./commands/session/pause.ts";
import { addPrune } from "./commands/session/prune.ts";
import { addPs } from "./commands/session/ps.ts";
import { addResume } from "./commands/session/resume.ts";
import type { CommandRunner } from "./commands/command-runner.ts";
import { addRun } from "./commands/session/run.ts";
import { addSend } from "./commands/session/send.ts";
import { addShim } from "./commands/integration/shim.ts";
import { addStatus } from "./commands/daemon/status.ts";
import { addSteer } from "./commands/session/steer.ts";
import { addStop } from "./commands/session/stop.ts";
import { addOpen } from "./commands/daemon/open/open.ts";
import { addToken } from "./commands/daemon/token.ts";
import { addPolicy } from "./commands/setup/policy.ts";
import { addTrust } from "./commands/setup/trust.ts";
import { addUpdateBrief } from "./commands/session/update-brief.ts";
import { addUp } from "./commands/daemon/up.ts";
import { addUsage } from "./commands/review/usage.ts";
import { addWait } from "./commands/session/wait.ts";
import { readVersion } from "@fairlead/daemon";

/** The commands in the order of the help. */
const commandGroups: Readonly<Record<string, readonly ((program: Command, run: CommandRunner) => void)[]>> = {
  "Sessions:": [
    addRun,
    addLs,
    addPs,
    addLogs,
    addResume,
    addAttach,
    addSend,
    addSteer,
    addUpdateBrief,
    addWait,
    addInterrupt,
    addPause,
    addFork,
    addStop,
    addPrune,
  ],
  "Decisions:": [addApprove, addDeny, addAnswer],
  "Results:": [addFiles, addDiff, addExport, addBring, addUsage],
  "Runs of several agents:": [addForeman],
  "Agents:": [addAgents, addDoctor, addDrift, addTrust, addPolicy],
  "Daemon:": [addStatus, addOpen, addUp, addDown, addToken],
  "Many hosts:": [addFleet, addHost, addGateway],
  "Integration:": [addShim, addAcp, addMcp, addCompletion],
};

export interface ProgramOptions {
  /** Where help and messages are printed, and the variables that select the version. Default: those of this process. */
  readonly context?: Pick<CliContext, "screen" | "environment">;
  /** Receives the message about a wrong command line instead of standard error. */
  readonly onUsageError?: ((text: string) => void) | null;
}

/** Creates the parser of the command line. */
export function createProgram(
  run: CommandRunner,
  { context: { screen, environment } = createCliContext(process), onUsageError = null }: ProgramOptions = {},
): Command {
  const program = new Command("fairlead")
    .description("Start, follow, answer, pause, resume and stop coding agents through one contract.")
    .version(readVersion(environment), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "Print the help of a command.")
    .exitOverride()
    .configureHelp({
      showGlobalOptions: false,
      // Names alone in the list of commands, so that summaries have space also in narrow terminals.
      subcommandTerm: (command) => command.name(),
      minWidthToWrap: 20,
    })
    .configureOutput({
      writeOut: (text) => screen.show([{ to: "out", text }]),
      writeErr: (text) => screen.show([{ to: "err", text }]),
      outputError: (text) => {
        if (onUsageError !== null && text.startsWith("error: ")) return onUsageError(text.slice("error: ".length));
        const message = sanitizeText(text)
          .replace(/^error: /, "fairlead: ")
          .trimEnd()
          .replace(/^fairlead: unknown option [^]*$/, "$&\nPut arguments that start with a dash after --.");
        screen.printError(message);
      },
    })
    .addHelpText("after", help);
  for (const [heading, registrations] of Object.entries(commandGroups)) {
    program.commandsGroup(heading);
    for (const add of registrations) add(program, run);
  }
  // As JSON, an error is one value.
  if (onUsageError === null) {
    program.showHelpAfterError("Try: fairlead --help");
    for (const command of program.commands) command.showHelpAfterError(`Try: fairlead ${command.name()} --help`);
  }
  return program;
}

const help = `
Examples:
  fairlead doctor
  fairlead run scripted "say hello"
  fairlead ls
  fairlead resume 54tq "and now the tests"

All commands take --json, except attach, shim, acp, mcp
and completion. Errors are then JSON on standard error.
Help for a command: fairlead COMMAND --help

Exit codes:
  0    The command succeeded.
  1    The command or the turn failed.
  2    The command line, a setting or fairlead.yaml is
       wrong.
  3    A limit stopped the turn.
  4    The session waits for an answer (only \`wait\`).
  5    There is no such session, token or trusted folder.
  6    The turn completed, and all requests were denied.
  130  The turn was interrupted.

Files:
  ~/.fairlead        All data, or in FAIRLEAD_HOME.
  ~/.cache/fairlead  Compiled code, or in XDG_CACHE_HOME.`;
