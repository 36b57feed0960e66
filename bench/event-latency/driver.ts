/** A runtime that drives the ticking agent: `node driver.ts OPTIONS`. */
import { once } from "node:events";
import { Home, Runtime } from "@fairlead/runtime";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import type { TickingOptions } from "./ticking-agent.ts";

export interface LatencyOptions extends TickingOptions {
  readonly home: string;
  readonly workspace: string;
}

const options = JSON.parse(process.argv[2] ?? "") as LatencyOptions;
const adapters = [createStandInAdapter(new URL("ticking-agent.ts", import.meta.url), options)];
const runtime = await Runtime.open({ home: new Home(options.home), adapters });
const session = await runtime.start({ agent: "scripted", workspace: options.workspace });
console.log(session.id);
await once(process.stdin, "data");
await session.send("Go.");
await once(process.stdin, "data");
process.exit(0);
