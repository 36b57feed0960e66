/** Prints a line of JSON for each agent. Runs offline, because the lab does. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type TestBench } from "@fairlead/conformance";
import type { PermissionMode } from "@fairlead/contract";
import { keyBenches, testBenches } from "@fairlead/lab";
import type { AgentFindings, KeyFinding } from "./key-withheld.ts";

/** Prints the SHA-256 of every text inside that looks like the key: of all environments, command lines and files. */
const search = [
  `{ cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rahoE 'sk-key-[0-9a-f]+' "$HOME" . /tmp /run /var/tmp; } 2>/dev/null`,
  `tr '\\0' '\\n' | grep -aoE 'sk-key-[0-9a-f]+' | sort -u`,
  `while read -r text; do printf %s "$text" | sha256sum; done; echo searched`,
].join(" | ");

/** The agents whose key can be withheld. */
const agents: readonly KeyCase[] = [
  { id: "claude-code", variable: "ANTHROPIC_API_KEY" },
  { id: "claude-code", variable: "ANTHROPIC_AUTH_TOKEN", without: "ANTHROPIC_API_KEY" },
  { id: "codex", variable: "OPENAI_API_KEY" },
  // In other modes, its own sandbox would limit the search.
  { id: "codex-exec", variable: "CODEX_API_KEY", mode: "dangerously-skip-permissions" },
  { id: "openai-api", variable: "OPENAI_API_KEY" },
];

interface KeyCase {
  readonly id: string;
  /** The variable that contains the key. */
  readonly variable: string;
  /** Another variable that the bench sets. */
  readonly without?: string;
  /** A mode in which no person is asked. Default: `full-auto`. */
  readonly mode?: PermissionMode;
}

for (const agent of agents) {
  const findings: AgentFindings = {
    agent: agent.id,
    variable: agent.variable,
    gated: await examine(agent, "gate"),
    control: await examine(agent, "open"),
  };
  console.log(JSON.stringify(findings));
}

async function examine(
  { id, variable, without = "", mode = "full-auto" }: KeyCase,
  network: "gate" | "open",
): Promise<KeyFinding> {
  const key = `sk-key-${randomBytes(16).toString("hex")}`;
  const folder = mkdtempSync("/var/tmp/k-");
  try {
    const [openBench, adapter] = [
      keyBenches[id] ?? testBenches[id],
      adapters.find(({ manifest }) => manifest.id === id),
    ];
    if (openBench === undefined || adapter === undefined) throw new Error(`There is no agent ${id}.`);
    await using opened = await openBench(join(folder, "s"));
    const { [without]: _, ...environment } = opened.environment;
    const bench: TestBench = { ...opened, environment: { ...environment, [variable]: key } };
    await using run = await ScenarioRun.open(adapter, bench, folder, { kind: "bwrap", network });
    await run.start({ mode });
    await run.runSteps({ actions: [{ run: search }] }, { text: "Done." });
    await run.waitForEvent("turn.ended");
    const output = run
      .eventsOfType("tool.ended")
      .map((event) => event.output)
      .join("\n");
    if (!output.includes("searched")) throw new Error(`The search did not run: ${output}`);
    const stored = readdirSync(join(folder, "home"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(key));
    return {
      credential: run.eventsOfType("session.started")[0]?.sandbox?.credential ?? null,
      isInside: output.includes(createHash("sha256").update(key).digest("hex")),
      isStored: stored,
      isReceived: opened.readRequestHeaders?.().some((headers) => JSON.stringify(headers).includes(key)) ?? false,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
