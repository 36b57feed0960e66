/** A daemon with the agent or limits that a proof needs, otherwise like the real one: `node service.ts OPTIONS`. */
import { connect, createServer } from "node:net";
import { adapters } from "@fairlead/adapters";
import { FileTokenStore } from "@fairlead/engine";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { serveHttp, type ServeHttpOptions, AccessTokens } from "@fairlead/server";
import { pageFolder } from "@fairlead/web/page-folder";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";

/** A port at which the daemon accepts connections, and the port that it connects them to. */
export interface Relay {
  readonly port: number;
  readonly targetPort: number;
}

export interface ServiceOptions {
  readonly home: string;
  readonly socket: string;
  readonly limits?: NonNullable<ServeHttpOptions["limits"]>;
  /** The program that replaces the scripted agent. */
  readonly agent?: { readonly program: string; readonly argument: unknown; readonly runner?: string };
  /** For a control: connections that pass through the daemon end with it. */
  readonly relay?: Relay;
  /** Also serves the web page, at a free port of 127.0.0.1. */
  readonly hasPage?: boolean;
}

const { home, socket, limits, agent, relay, hasPage = false } = JSON.parse(process.argv[2] ?? "") as ServiceOptions;
const fairlead = await LocalFairlead.open({
  home: new Home(home),
  adapters:
    agent === undefined ? adapters : [createStandInAdapter(new URL(agent.program), agent.argument, agent.runner)],
  environment: process.env,
  fallback: "scripted",
  version: "0.0.0",
});
const tokens = new AccessTokens(new FileTokenStore(new Home(home).tokensFile));
const token = hasPage ? await tokens.issue({ label: "page", scopes: ["read", "drive", "approve", "admin"] }) : null;
const page = hasPage ? { port: 0, pageFolder } : {};
const { url } = await serveHttp({
  fairlead,
  socket,
  tokens,
  onError: console.error,
  ...(limits && { limits }),
  ...page,
});
if (relay !== undefined) {
  const server = createServer((near) => {
    const far = connect(relay.targetPort, "127.0.0.1");
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
  });
  server.listen(relay.port, "127.0.0.1");
}
console.log(JSON.stringify({ msg: "daemon started", ...(hasPage && { url, token }) }));
