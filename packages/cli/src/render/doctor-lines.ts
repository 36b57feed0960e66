import type { AgentView } from "@fairlead/api";
import { capabilities, type Capability, type Finding } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { plain } from "./plain.ts";
import { table } from "./table.ts";
import { oneLine } from "./tool-lines.ts";

/** What all agents stand on. */
export interface Ground {
  readonly node: string;
  readonly home: string;
  readonly bash: string | null;
  readonly sessions: number;
}

const auths: Readonly<Record<Finding["auth"], string>> = {
  "api-key": "with an API key",
  login: "with its own login",
  none: "needs no account",
  unknown: "not known how it signs in",
};

export function groundLines({ node, home, bash, sessions }: Ground, paint: Paint): string[] {
  const rows = [
    ["  Node", plain(node)],
    ["  Home", `${plain(home)} (${sessions} ${sessions === 1 ? "session" : "sessions"})`],
    ["  bash", bash === null ? paint("red", "not found: commands cannot be run") : plain(bash)],
  ];
  return [paint("bold", "The ground"), ...table(rows)];
}

/** One agent as it is here. */
export function agentLines(
  { agent, label, vendor, modes, capabilities: able, finding }: AgentView,
  paint: Paint,
): string[] {
  const mark = finding.installed ? paint("green", "✓") : paint("red", "✗");
  const facts = [
    finding.installed ? "installed" : "not installed",
    ...(finding.version === null ? [] : [oneLine(finding.version)]),
    ...(finding.program === null ? [] : [oneLine(finding.program)]),
    ...(finding.installed ? [`${finding.flags.length} flags`, auths[finding.auth]] : []),
  ];
  const can = able.map((one) => [`  ${one}`, capabilities[one]]);
  const cannot = (Object.keys(capabilities) as Capability[]).filter((one) => !able.includes(one));
  return [
    `${paint("bold", agent)}  ${oneLine(label)}, by ${oneLine(vendor)}`,
    `  ${mark} ${facts.join(" · ")}`,
    ...finding.problems.map((problem) => `  ${paint("yellow", "!")} ${plain(problem).replaceAll("\n", "\n    ")}`),
    `  modes: ${modes.join(", ")}`,
    ...(finding.installed ? ["  can:", ...table(can).map((line) => `  ${line}`)] : []),
    ...(finding.installed && cannot.length > 0 ? [paint("dim", `  does not: ${cannot.join(", ")}`)] : []),
  ];
}
