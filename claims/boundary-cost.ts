import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@fairlead/contract";
import { Keeper, noSandbox } from "@fairlead/keeper";
import type { Claim } from "../measure/claim.ts";
import { quantile } from "../measure/quantile.ts";
import { computeSandbox } from "../packages/runtime/src/sandbox/compute-sandbox.ts";
import { describeMachine } from "./daemon/machine.ts";
import { readSize } from "./daemon/size.ts";

const rounds = readSize("rounds", 101);
const boundMs = 10;
const noNeeds = { writes: [], hides: [], protects: [] };

export const boundaryCost: Claim = {
  id: "boundary-cost",
  statement: "A sandbox costs little when an agent starts.",
  bound: `files-only sandbox ≤ ${boundMs} ms over a process namespace alone, in the median`,
  async prove() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "cost-")));
    try {
      const sandbox = createSandbox(folder);
      const times = { namespace: [] as number[], sandbox: [] as number[] };
      // In turns, because the load of the machine changes.
      for (let round = 0; round < rounds; round++) {
        times.namespace.push(await timeLaunch(join(folder, `n${round}`), folder, noSandbox));
        times.sandbox.push(await timeLaunch(join(folder, `s${round}`), folder, sandbox));
      }
      const median = { namespace: quantile(times.namespace, 0.5), sandbox: quantile(times.sandbox, 0.5) };
      const more = median.sandbox - median.namespace;
      // Waiting for a busy machine is in the median, and least in the fastest rounds.
      const fastest = { namespace: Math.min(...times.namespace), sandbox: Math.min(...times.sandbox) };
      return {
        measured:
          `launch and exit of \`true\`: ${median.sandbox.toFixed(1)} ms in a sandbox, ${median.namespace.toFixed(1)} ms in a namespace alone, ` +
          `${more.toFixed(1)} ms more (${(median.sandbox / median.namespace).toFixed(2)} ×; ${rounds} rounds, the fastest ${fastest.sandbox.toFixed(1)} and ${fastest.namespace.toFixed(1)} ms); ${describeMachine()}`,
        holds: more <= boundMs,
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

async function timeLaunch(sessionFolder: string, folder: string, sandbox: Sandbox): Promise<number> {
  mkdirSync(sessionFolder);
  await using keeper = new Keeper(sessionFolder, { containment: { kind: "namespace", program: "/usr/bin/bwrap" } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") };
  const command = { program: "/bin/true", args: [], env, cwd: join(folder, "workspace"), stdin: "none" } as const;
  const start = performance.now();
  keeper.handle({ do: "launch", id: "l", command, sandbox });
  keeper.handle({ do: "leave", id: "x" });
  await keeper.whenLeft;
  return performance.now() - start;
}
