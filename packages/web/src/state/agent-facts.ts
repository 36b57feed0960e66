import type { AgentView } from "@fairlead/api";

/** A problem of an agent, and the command that may repair it. */
export interface AgentProblem {
  readonly text: string;
  readonly command: string | null;
}

const authLabels: Readonly<Record<AgentView["probeResult"]["auth"], string>> = {
  "api-key": "with an API key",
  login: "with its own login",
  none: "no account needed",
  unknown: "not known",
};

/** How the agent authenticates to its vendor. */
export function describeAuth({ auth }: AgentView["probeResult"]): string {
  return authLabels[auth];
}

/**
 * Lists the judged versions, the newest first: `2.1.0 (64 of 64 rules)`. `isOther` says that the installed version is none of
 * them. Undefined if the service names none.
 */
export function describeJudged({
  judged = [],
  probeResult,
}: Pick<AgentView, "judged" | "probeResult">): { readonly text: string; readonly isOther: boolean } | undefined {
  if (judged.length === 0) return undefined;
  const text = judged.map(({ version, clauses, kept }) => `${version} (${kept} of ${clauses} rules)`).join(", ");
  const { installed, version } = probeResult;
  return { text, isOther: installed && !judged.some((one) => one.version === version) };
}

/** Two letters that stand for an agent where its name has no space: of its first two words, or of its only one. */
export function markOf(label: string): string {
  const words = label.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "?", second] = words;
  const letters = Array.from(first);
  const mark = second === undefined ? letters.slice(0, 2) : [letters[0] ?? "", Array.from(second)[0] ?? ""];
  const [one = "", two = ""] = mark;
  return one.toUpperCase() + two.toLowerCase();
}

/**
 * Finds the command in a sentence of the probe: "It is not installed: run `npm install …`." A command at the end is left out of
 * the text, because it is shown below it. One in the middle stays: the sentence says more of it.
 */
export function readProblem(problem: string): AgentProblem {
  const atEnd = /^(.*[^:\s]):? run `([^`]+)`\.?$/iu.exec(problem);
  if (atEnd !== null) return { text: `${atEnd[1]}. Run:`, command: atEnd[2] ?? null };
  return { text: problem.replaceAll("`", ""), command: /`([^`]+)`/u.exec(problem)?.[1] ?? null };
}

/** Usable agents first, then those that were checked, each by name. */
export function sortAgents(agents: readonly AgentView[]): AgentView[] {
  const rank = ({ probeResult, verified }: AgentView): number => (probeResult.installed ? 0 : 2) + (verified ? 0 : 1);
  return agents.toSorted((one, other) => rank(one) - rank(other) || (one.label < other.label ? -1 : 1));
}
