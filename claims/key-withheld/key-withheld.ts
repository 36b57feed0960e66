import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";

/** What a run of an agent showed about its key. */
export interface KeyFinding {
  /** What the session says about the key. */
  readonly credential: string | null;
  /** Whether a command of the agent found the key. */
  readonly isInside: boolean;
  /** Whether the key is in a file of the session. */
  readonly isStored: boolean;
  /** Whether the model's service got the key. */
  readonly isReceived: boolean;
}

export interface AgentFindings {
  readonly agent: string;
  /** The variable that contains the key. */
  readonly variable: string;
  readonly gated: KeyFinding;
  /** With an open network. */
  readonly control: KeyFinding;
}

export const keyWithheld: Claim = {
  id: "key-withheld",
  statement: "Behind the gate, an agent with an API key works without having it.",
  bound:
    "claude-code with a key and with a token, codex, codex-exec and openai-api with a key: it is in no environment, file, /proc or spool, and the service received it",
  async prove() {
    const installed = await runQuietly("npm", ["run", "agents"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const { code, output } = await runQuietly("scripts/offline", ["node", "claims/key-withheld/examine-agents.ts"]);
    if (code !== 0) throw new Error(output);
    const lines = output.split("\n").filter((line) => line.startsWith("{"));
    const findings = lines.map((line) => JSON.parse(line) as AgentFindings);
    return {
      measured: findings.map(describeAgent).join(". "),
      holds:
        findings.length === 5 &&
        findings.every(({ gated, control }) => {
          const isWithheld = gated.credential === "withheld" && gated.isReceived && !gated.isInside && !gated.isStored;
          return isWithheld && control.isInside && control.credential === "inside";
        }),
    };
  },
};

const describeAgent = ({ agent, variable, gated, control }: AgentFindings): string =>
  `${agent}, ${variable} ${describeFinding(gated)}; with an open network ${describeFinding(control)}`;

const describeFinding = ({ credential, isInside, isReceived }: KeyFinding): string =>
  `${credential ?? "unknown"}: ${isInside ? "found" : "not found"} inside, ${isReceived ? "" : "not "}received`;
