import { type AgentView, type Health, sanitizeText, toOneLine } from "@fairlead/api";
import { capabilities, type Capability, type ProbeResult } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { table, wrapWords } from "./text-layout.ts";

/** How the processes of agents are contained here, and why not better. */
export interface ContainmentReport {
  readonly kind: "namespace" | "descendants";
  /** The path of bubblewrap, if it is installed. */
  readonly bubblewrap: string | null;
  readonly platform: string;
}

/** The environment that all agents share. */
export interface EnvironmentReport {
  readonly node: string;
  readonly home: string;
  readonly bash: string | null;
  readonly containment: ContainmentReport;
  /** Why agents cannot run in a sandbox; null if they can. */
  readonly sandboxProblem: string | null;
  /** What is wrong in the user's configuration; null if nothing is. */
  readonly configProblem: string | null;
  /** Entries of the user's configuration that have no effect. */
  readonly configMistakes: readonly string[];
  readonly sessions: number;
  /** Sessions that the daemon cannot drive or read. */
  readonly failedSessions: readonly { readonly session: string; readonly problem: string }[];
  readonly journal: Health["journal"];
  readonly problem: Health["problem"];
}

const authLabels: Readonly<Record<ProbeResult["auth"], string>> = {
  "api-key": "with an API key",
  login: "with its own login",
  none: "no account needed",
  unknown: "authentication unknown",
};

export function environmentLines(report: EnvironmentReport, paint: Paint, columns = Infinity): string[] {
  const { node, home, bash, containment, sandboxProblem, configProblem, configMistakes } = report;
  const { sessions, journal, problem, failedSessions } = report;
  const rows = [
    ["  Node", sanitizeText(node)],
    ["  Data", `${sanitizeText(home)} (${sessions} ${sessions === 1 ? "session" : "sessions"})`],
    ...(problem === null ? [] : [["  Problem", paint("red", sanitizeText(problem))]]),
    ...(configProblem === null ? [] : [["  Settings", paint("red", toOneLine(configProblem))]]),
    ...configMistakes.map((one) => ["  Settings", paint("yellow", `config.yaml: ${toOneLine(one)}`)]),
    ["  Journal", journalText(journal, paint)],
    ...failedSessions.map((one) => ["  Session", paint("red", `${one.session}: ${toOneLine(one.problem)}`)]),
    ["  bash", bash === null ? paint("red", "not found: agents cannot run shell commands") : sanitizeText(bash)],
    ["  Agents", containmentText(containment, paint)],
    [
      "  Sandbox",
      sandboxProblem === null ? "available" : paint("yellow", `not available. ${sanitizeText(sandboxProblem)}`),
    ],
  ];
  return [paint("bold", "Environment"), ...wrapTable(rows, columns)];
}

/** Renders how agents' processes are contained, and what to install if they are not. */
function containmentText({ kind, bubblewrap, platform }: ContainmentReport, paint: Paint): string {
  if (kind === "namespace")
    return `each agent runs in a process namespace (${sanitizeText(bubblewrap ?? "bubblewrap")})`;
  const consequence = "A process that an agent hides can survive a stop.";
  if (platform !== "linux") return paint("yellow", `this system has no process namespaces. ${consequence}`);
  if (bubblewrap !== null)
    return paint("yellow", `${sanitizeText(bubblewrap)} may not create process namespaces here. ${consequence}`);
  const install = "sudo apt install bubblewrap (Debian, Ubuntu), or: sudo dnf install bubblewrap (Fedora)";
  return paint("yellow", `bubblewrap is not installed. ${consequence} Install it with: ${install}`);
}

/** Renders the state in which the daemon found the journal when it started. */
export function journalText({ verdict, bytesDiscarded }: Health["journal"], paint: Paint): string {
  switch (verdict) {
    case "clean":
      return "intact";
    case "intact":
      return "intact after a crash";
    case "unfinished":
      return paint(
        "yellow",
        `a crash cut off the last write (${bytesDiscarded} bytes discarded); no stored event was lost`,
      );
    case "damaged":
      return paint("red", `damaged: stored events were lost (${bytesDiscarded} bytes discarded)`);
    default:
      return verdict satisfies never;
  }
}

/** Renders the probe result and the capabilities of an agent. */
export function agentLines(
  { agent, label, vendor, modes, capabilities: supported, probeResult, judged = [] }: AgentView,
  paint: Paint,
  columns = Infinity,
): string[] {
  const mark = probeResult.installed ? paint("green", "✓") : paint("red", "✗");
  const facts = [
    probeResult.installed ? "installed" : "not installed",
    ...(probeResult.version === null ? [] : [toOneLine(probeResult.version)]),
    ...(probeResult.program === null ? [] : [toOneLine(probeResult.program)]),
    ...(probeResult.installed ? [`${probeResult.flags.length} flags`, authLabels[probeResult.auth]] : []),
  ];
  const supportedRows = supported.map((one) => [`    ${one}`, capabilities[one]]);
  const unsupported = (Object.keys(capabilities) as Capability[]).filter((one) => !supported.includes(one));
  return [
    `${paint("bold", agent)}  ${toOneLine(label)}, by ${toOneLine(vendor)}`,
    ...wrapWords(facts.join(" · "), `  ${mark} `, columns),
    ...probeResult.problems.flatMap((problem) => {
      const [first = "", ...others] = sanitizeText(problem).split("\n");
      return [
        ...wrapWords(first, `  ${paint("yellow", "!")} `, columns),
        ...others.flatMap((line) => wrapWords(line, "    ", columns)),
      ];
    }),
    ...wrapWords(modes.join(", "), "  modes: ", columns),
    ...(judged.length === 0 ? [] : wrapWords(judgedText(judged), "  judged: ", columns)),
    ...(probeResult.installed ? ["  supports:", ...wrapTable(supportedRows, columns)] : []),
    ...(probeResult.installed && unsupported.length > 0
      ? wrapWords(unsupported.join(", "), "  does not support: ", columns).map((line) => paint("dim", line))
      : []),
  ];
}

/** Renders the judged versions, the newest first, and how many of their clauses they keep. */
function judgedText(judged: NonNullable<AgentView["judged"]>): string {
  return judged.map(({ version, clauses, kept }) => `${toOneLine(version)} (${kept} of ${clauses})`).join(", ");
}

/** Aligns rows of two cells and wraps the second cell at spaces. */
export function wrapTable(rows: readonly (readonly string[])[], columns: number): string[] {
  const labels = table(rows.map(([label = ""]) => [label, "|"])).map((line) => line.slice(0, -1));
  return rows.flatMap(([, text = ""], at) => wrapWords(text, labels[at] ?? "", columns));
}
