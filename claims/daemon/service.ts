/** A daemon with an agent or limits that a proof needs, and otherwise as the real one: `node service.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead, serve, type ServeOptions, Tokens } from "@fairlead/server";
import { standIn } from "../stand-in.ts";

export interface ServiceOptions {
  readonly home: string;
  readonly socket: string;
  readonly limits?: NonNullable<ServeOptions["limits"]>;
  /** The program that stands in for the scripted agent. */
  readonly agent?: { readonly program: string; readonly argument: unknown; readonly runner?: string };
}

const { home, socket, limits, agent } = JSON.parse(process.argv[2] ?? "") as ServiceOptions;
const fairlead = await LocalFairlead.open({
  home: new Home(home),
  adapters: agent === undefined ? adapters : [standIn(new URL(agent.program), agent.argument, agent.runner)],
  environment: process.env,
  fallback: "scripted",
  version: "0.0.0",
});
const tokens = new Tokens(`${home}/tokens.json`);
await serve({ fairlead, socket, tokens, failed: console.error, ...(limits && { limits }) });
console.log(JSON.stringify({ msg: "up" }));
