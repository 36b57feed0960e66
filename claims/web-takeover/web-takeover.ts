import type { Claim } from "../../measure/claim.ts";
import { root, runQuietly } from "../../scripts/run.ts";

/** What a person sees of a real agent's terminal in the browser. */
export interface BrowserTakeOver {
  readonly leads: readonly string[];
  readonly knows: readonly string[];
  readonly echoP95: number;
  /** Violations of the page's policy, and errors of its code. */
  readonly problems: readonly string[];
}

/** How keys arrive, measured with the scripted agent. */
export interface BrowserKeys {
  readonly keyCount: number;
  readonly isInOrder: boolean;
  /** Whether the keys of the control arrived in order. They must not. */
  readonly isControlInOrder: boolean;
  readonly echoP50: number;
  readonly echoP95: number;
  readonly bareP50: number;
  readonly bareP95: number;
  readonly problems: readonly string[];
}

const agents = ["claude-code", "codex"];
const wordCount = 3;
const maxAddedMs = 50;

export const webTakeover: Claim = {
  id: "web-takeover",
  statement:
    "A person takes over a session in a browser, reloads the page in the middle of a message and hands back. The agent knows what was said there.",
  bound: `${agents.join(" and ")}: ${wordCount} of ${wordCount} words known; the scripted agent: key to echo p95 ≤ ${maxAddedMs} ms over a bare terminal of the same run, 2,000 keys in order`,
  async prove() {
    const parts: string[] = [];
    let holds = true;
    for (const agent of agents) {
      await runQuietly("node", ["scripts/install-agents.ts", agent]);
      const result = await runProgram<BrowserTakeOver>("real-agent.ts", JSON.stringify({ agent }));
      holds &&= isTakenOver(result);
      parts.push(`${agent} ${result.knows.length} words, echo p95 ${Math.round(result.echoP95)} ms`);
    }
    const keys = await runProgram<BrowserKeys>("keys-in-order.ts");
    holds &&= isTypedInOrder(keys);
    parts.push(describeKeys(keys));
    return { measured: parts.join("; "), holds };
  },
};

export function isTakenOver({ leads, knows, problems }: BrowserTakeOver): boolean {
  return leads.join() === "human,agent" && knows.length === wordCount && problems.length === 0;
}

export function isTypedInOrder(keys: BrowserKeys): boolean {
  const { isInOrder, isControlInOrder, echoP95, bareP95, problems } = keys;
  return isInOrder && !isControlInOrder && echoP95 - bareP95 <= maxAddedMs && problems.length === 0;
}

function describeKeys({
  keyCount,
  isInOrder,
  isControlInOrder,
  echoP50,
  echoP95,
  bareP50,
  bareP95,
}: BrowserKeys): string {
  const inOrder = `${keyCount.toLocaleString("en")} keys ${isInOrder ? "in order" : "out of order"}`;
  const control = `control ${isControlInOrder ? "in order" : "out of order"}`;
  const milliseconds = (value: number): string => value.toFixed(1);
  return `${inOrder}, ${control}, echo p50 ${milliseconds(echoP50)} and p95 ${milliseconds(echoP95)} ms, bare ${milliseconds(bareP50)} and ${milliseconds(bareP95)} ms`;
}

async function runProgram<Result>(file: string, ...args: string[]): Promise<Result> {
  const program = `${root}claims/web-takeover/${file}`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, ...args]);
  if (code !== 0) throw new Error(`${file} ${args.join(" ")}: ${output}`);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Result;
}
