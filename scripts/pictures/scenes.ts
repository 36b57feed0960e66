import type { TestBench } from "@fairlead/conformance";
import { prepareForemanRun } from "./prepare-foreman-run.ts";
import type { RecordedTerminal } from "./recorded-terminal.ts";

/** Commands for a person to type, and the picture of the terminal in which they run. */
export interface Scene {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly title: string;
  /** For readers who cannot see the picture. */
  readonly description: string;
  readonly columns: number;
  readonly rows: number;
  /** An animated picture shows every frame, a still picture the last one. */
  readonly isAnimated: boolean;
  /** The real agents that it needs. Their models are in the lab, so that it plays only in the offline namespace. */
  readonly agents?: readonly string[];
  /** Writes what the workspace has before the first command. */
  prepare?(workspace: string, benches: Readonly<Record<string, TestBench>>): void;
  play(terminal: RecordedTerminal): Promise<void>;
}

const promptLine = /(^|\n)\$$/;
const approvalQuestion = /\[s\]top$/;

const firstSession: Scene = {
  name: "first-session",
  title: "A first session in a terminal",
  description:
    "A person runs the scripted agent with fairlead run and approves a file and a command. fairlead ls lists the session. " +
    "fairlead resume continues the conversation in a new process, and the person approves again. fairlead logs shows what " +
    "happened, with each approval.",
  columns: 90,
  rows: 24,
  isAnimated: true,
  async play(terminal) {
    await terminal.enter('fairlead run scripted "Say hello"', approvalQuestion);
    await terminal.enter("y", approvalQuestion);
    await terminal.enter("y", promptLine);
    const id = /session (\w+)/.exec(terminal.text)?.[1] ?? "";
    await terminal.enter("fairlead ls", promptLine);
    terminal.markPoster();
    await terminal.clear();
    await terminal.enter(`fairlead resume ${id.slice(0, 4)} "And again"`, approvalQuestion);
    await terminal.enter("y", approvalQuestion);
    await terminal.enter("y", promptLine);
    await terminal.clear();
    await terminal.enter(`fairlead logs ${id.slice(0, 4)}`, promptLine);
  },
};

const severalAgents: Scene = {
  name: "several-agents",
  title: "Three agents, one of which waits for approval",
  description:
    "fairlead ls lists three sessions: one is waiting, one is idle, one is working. fairlead status shows that the first " +
    "waits for approval to write a file. fairlead approve prints the content of the file and approves it.",
  columns: 90,
  rows: 18,
  isAnimated: false,
  async play(terminal) {
    await terminal.enter(
      'fairlead run shell -d -n clock --set timeout=600000 "while date; do sleep 1; done"',
      promptLine,
    );
    await terminal.enter('fairlead run scripted -d -n notes --mode full-auto "Say hello"', promptLine);
    await terminal.enter("fairlead wait notes", promptLine);
    await terminal.enter('fairlead run scripted -d -n greeting "Say hello"', promptLine);
    await terminal.enter("fairlead wait greeting --for waiting", promptLine);
    await terminal.startRecording();
    await terminal.enter("fairlead ls", promptLine);
    await terminal.enter("fairlead status", promptLine);
    await terminal.enter("fairlead approve greeting", promptLine);
  },
};

const takeOver: Scene = {
  name: "take-over",
  title: "A person takes a session over and hands it back",
  description:
    "fairlead attach opens the agent's own terminal on the conversation. The person types a message there. Ctrl-\\ returns " +
    "the lead to the agent. fairlead logs shows both changes of the lead.",
  columns: 90,
  rows: 22,
  isAnimated: true,
  async play(terminal) {
    await terminal.enter('fairlead run scripted -n greeting --mode full-auto "Say hello"', promptLine);
    await terminal.startRecording();
    // The terminal is drawn twice, first without its last row.
    await terminal.enter("fairlead attach greeting", /90 by 22\b[^]*>$/);
    await terminal.enter("Now a person types.", /own\.\n>$/);
    terminal.press("C-\\");
    await terminal.waitFor(promptLine);
    await terminal.endStep();
    terminal.markPoster();
    await terminal.clear();
    // It follows, because the agent's process starts some time after the lead has changed.
    await terminal.enter("fairlead logs -f greeting", /Resumed, with the agent's own history\.$/);
  },
};

const foremanRun: Scene = {
  name: "foreman-run",
  title: "One vendor's agent builds, another vendor's reviews, and a person approves",
  description:
    "fairlead foreman run shows a task of claude-code, two reviews of codex, of which the first asks for changes, and that a " +
    "person has to approve. fairlead approve approves it. fairlead foreman show follows the run to its end: the request is made.",
  columns: 100,
  rows: 30,
  isAnimated: false,
  agents: ["claude-code", "codex"],
  prepare: prepareForemanRun,
  async play(terminal) {
    await terminal.startRecording();
    await terminal.enter("fairlead foreman run foreman.yaml", /fairlead approve run-\w+ --show$/);
    const run = /(run-\w+) --show/.exec(terminal.text)?.[1] ?? "";
    terminal.press("C-c");
    await terminal.waitFor(promptLine);
    await terminal.enter(`fairlead approve ${run}`, promptLine);
    await terminal.enter(`fairlead foreman show ${run} -f`, /Request: [^]*\n\$$/);
  },
};

/** The pictures of README and docs. */
export const scenes: readonly Scene[] = [firstSession, severalAgents, takeOver, foremanRun];
