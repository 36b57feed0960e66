import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { NetworkGate, Sandbox } from "@fairlead/contract";
import { Keeper, noSandbox } from "@fairlead/keeper";
import type { Claim } from "../measure/claim.ts";
import { quantile } from "../measure/quantile.ts";
import { computeSandbox } from "../packages/runtime/src/sandbox/compute-sandbox.ts";
import { describeMachine } from "./daemon/machine.ts";
import { readSize } from "./daemon/size.ts";

const rounds = readSize("rounds", 101);
const boundMs = 10;
/** The kernel removes the namespaces of the last process meanwhile. */
const pauseMs = 100;
const noNeeds = { writes: [], hides: [], protects: [] };
/** A server of the user at a port that is forwarded, and the agent's service with a key that is withheld: both are usual. */
const gate: NetworkGate = {
  hosts: ["registry.example"],
  refusedHosts: [],
  services: [],
  forwards: [5432],
  endpoint: { port: 8787, url: "https://api.example", header: "x-api-key", prefix: "", variable: "KEY", variables: {} },
};

/** How a process is started, from the fewest limits to the most. */
const kinds = ["namespace", "sandbox", "prepared", "unprepared"] as const;
type Kind = (typeof kinds)[number];

export const boundaryCost: Claim = {
  id: "boundary-cost",
  statement: "A sandbox costs little when an agent starts.",
  bound:
    `files-only sandbox ≤ ${boundMs} ms over a process namespace alone; ` +
    `with the network gate ≤ ${boundMs} ms more when a spare keeper prepared it, else the figure; in the median`,
  async prove() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "cost-")));
    try {
      const sandbox = createSandbox(folder);
      const gated: Sandbox = { ...sandbox, network: "gate", gate };
      const sandboxes = { namespace: noSandbox, sandbox, prepared: gated, unprepared: gated };
      const times: Record<Kind, number[]> = { namespace: [], sandbox: [], prepared: [], unprepared: [] };
      // In turns, because the load of the machine changes.
      for (let round = 0; round < rounds; round++) {
        for (const kind of kinds) {
          const launch = { folder, session: join(folder, `${kind}${round}`), sandbox: sandboxes[kind] };
          times[kind].push(await timeLaunch(launch, kind === "prepared"));
        }
      }
      const median = (kind: Kind): number => quantile(times[kind], 0.5);
      const sandboxMs = median("sandbox") - median("namespace");
      const gateMs = median("prepared") - median("sandbox");
      const unpreparedMs = median("unprepared") - median("sandbox");
      // Waiting for a busy machine is in the median, and least in the fastest rounds.
      const list = (value: (kind: Kind) => number): string => kinds.map((kind) => value(kind).toFixed(1)).join(", ");
      return {
        measured:
          `files-only sandbox ${sandboxMs.toFixed(1)} ms over a namespace alone; prepared gate ${gateMs.toFixed(1)} ms over the sandbox ` +
          `and ${(sandboxMs + gateMs).toFixed(1)} ms over the namespace; gate that was not prepared ${unpreparedMs.toFixed(1)} ms over the sandbox. ` +
          `Launch and exit of \`true\` in ms: ${list(median)} (namespace, sandbox, prepared gate, other gate; ${rounds} rounds, ` +
          `the fastest ${list((kind) => Math.min(...times[kind]))}); ${describeMachine()}`,
        holds: sandboxMs <= boundMs && gateMs <= boundMs,
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The sandbox of a home in which every path that can be hidden exists. */
function createSandbox(folder: string): Sandbox {
  const [home, workspace] = [join(folder, "home"), join(folder, "workspace")];
  const facts = { home, workspace, dataDirectory: join(home, ".fairlead"), needs: noNeeds, otherNeeds: [] };
  const openings = { hosts: [], forwards: [], shows: [], writes: [], commits: true };
  const choice = { kind: "bwrap", workspace: "write", network: "open" } as const;
  const sandbox = computeSandbox(choice, { ...facts, gitFolders: { writes: [], protects: [], shows: [] }, openings });
  for (const path of sandbox.hides.filter((one) => one.startsWith(home))) {
    mkdirSync(join(path, ".."), { recursive: true });
    if (/\.(?:json|toml|xml|cnf|yml|properties)$|credentials$|_history$|rc$/.test(path)) writeFileSync(path, "");
    else mkdirSync(path, { recursive: true });
  }
  mkdirSync(workspace);
  return sandbox;
}

interface TimedLaunch {
  readonly folder: string;
  readonly session: string;
  readonly sandbox: Sandbox;
}

/** Times the launch and exit of a process. A spare keeper prepares its gate, if at all, before it has a session. */
async function timeLaunch({ folder, session, sandbox }: TimedLaunch, isPrepared: boolean): Promise<number> {
  mkdirSync(session);
  await using keeper = new Keeper(session, { containment: { kind: "namespace", program: "/usr/bin/bwrap" } });
  if (isPrepared) await keeper.prepareGate();
  await delay(pauseMs);
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") };
  const command = { program: "/bin/true", args: [], env, cwd: join(folder, "workspace"), stdin: "none" } as const;
  const start = performance.now();
  keeper.handle({ do: "launch", id: "l", command, sandbox });
  keeper.handle({ do: "leave", id: "x" });
  await keeper.whenLeft;
  return performance.now() - start;
}
