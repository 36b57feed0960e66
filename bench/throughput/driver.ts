/** Starts a scripted session, moves itself to another core than its keeper and agent, and floods: `node driver.ts OPTIONS`. */
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
// The keeper and the agent have the core that we were started on; now all our threads leave it.
execFileSync("taskset", ["-a", "-p", "-c", String(core), String(process.pid)]);
console.log(session.id);
await once(process.stdin, "data");
const began = process.hrtime.bigint();
await session.send(withScript("Go.", [{ flood: { lines } }]));
console.log(String(began));
await once(process.stdin, "data");
const { user, system } = process.cpuUsage();
console.log(String((user + system) / 1e6));
await session.end();
for await (const _ of session.stream(session.last));
// Whoever started us may still hold our standard input open.
process.exit(0);
