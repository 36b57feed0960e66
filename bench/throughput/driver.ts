/** Starts a scripted session, moves to another core than its keeper and agent, and floods: `node driver.ts OPTIONS`. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { withScript } from "@fairlead/kit";
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";

export interface FloodOptions {
  readonly home: string;
  readonly workspace: string;
  readonly lines: number;
  readonly core: number;
}

const { home, workspace, lines, core } = JSON.parse(process.argv[2] ?? "") as FloodOptions;
const runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.start({ agent: "scripted", workspace });
// Keeper and agent keep the first core; all threads of this process move to the other.
execFileSync("taskset", ["-a", "-p", "-c", String(core), String(process.pid)]);
console.log(session.id);
await once(process.stdin, "data");
const startedAt = process.hrtime.bigint();
await session.send(withScript("Go.", [{ flood: { lines } }]));
console.log(String(startedAt));
await once(process.stdin, "data");
const { user, system } = process.cpuUsage();
console.log(String((user + system) / 1e6));
await session.end();
for await (const _ of session.stream(session.lastSequence));
// The parent process may still hold standard input open.
process.exit(0);
