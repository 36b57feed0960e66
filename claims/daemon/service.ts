/** A daemon with the agent or limits that a proof needs, otherwise like the real one: `node service.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { serveHttp, type ServeHttpOptions, AccessTokens } from "@fairlead/server";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";

export interface ServiceOptions {
  readonly home: string;
  readonly socket: string;
  readonly limits?: NonNullable<ServeHttpOptions["limits"]>;
  /** The program that replaces the scripted agent. */
  readonly agent?: { readonly program: string; readonly argument: unknown; readonly runner?: string };
}

const { home, socket, limits, agent } = JSON.parse(process.argv[2] ?? "") as ServiceOptions;
const fairlead = await LocalFairlead.open({
  home: new Home(home),
  adapters:
    agent === undefined ? adapters : [createStandInAdapter(new URL(agent.program), agent.argument, agent.runner)],
  environment: process.env,
  fallback: "scripted",
  version: "0.0.0",
});
const tokens = new AccessTokens(new Home(home).tokensFile);
await serveHttp({ fairlead, socket, tokens, onError: console.error, ...(limits && { limits }) });
console.log(JSON.stringify({ msg: "daemon started" }));
