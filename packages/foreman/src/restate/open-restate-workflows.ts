import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { FairleadError } from "@fairlead/contract";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { isTransientStepError } from "../workflows/transient-error.ts";
import type { WorkflowBodies, Workflows } from "../workflows/workflows.ts";
import { RestateIngress } from "./restate-ingress.ts";
import { RestateWorkflows } from "./restate-workflows.ts";
import { createRunService } from "./run-service.ts";

export interface RestateWorkflowsOptions {
  readonly bodies: WorkflowBodies;
  /** The addresses of the nodes' ingress, for example `http://10.0.0.1:8080`. */
  readonly ingress: readonly string[];
  /** The address of the admin API of a node. */
  readonly admin: string;
  /** Where this process takes the server's calls. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The address at which the nodes reach this process. By default where it listens. */
  readonly address?: string;
  /** The public keys of the server. Calls that are not signed with one of them are refused. */
  readonly identityKeys: readonly string[];
  /** Whether a step is repeated after this error. By default after `unavailable` and `timed-out`. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Receives the messages of the SDK about attempts that failed. The server repeats them. */
  readonly onMessage?: (message: string) => void;
}

/** Opens a workflow engine over a Restate server. The server stores the runs, and calls the bodies in this process. */
export async function openRestateWorkflows(options: RestateWorkflowsOptions): Promise<Workflows> {
  if (options.identityKeys.length === 0) {
    throw new FairleadError("invalid-settings", "No identity key was given, so that anyone could call the workflows.");
  }
  const closing = new AbortController();
  const service = createRunService({
    bodies: options.bodies,
    isTransient: options.isTransient ?? isTransientStepError,
    closing: closing.signal,
  });
  const handler = createEndpointHandler({
    services: [service],
    identityKeys: [...options.identityKeys],
    logger: (_, ...message) => options.onMessage?.(message.map(String).join(" ")),
  });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  server.listen(options.listen.port, options.listen.host);
  await once(server, "listening");
  const close = async (): Promise<void> => {
    // A session that is closed gently would wait for the bodies, which wait for days.
    for (const session of sessions) session.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  try {
    await register(options.admin, options.address ?? addressOf(server, options.listen.host));
  } catch (error) {
    await close();
    throw error;
  }
  const ingress = new RestateIngress(options.ingress);
  return new RestateWorkflows({ ingress, bodies: options.bodies, closing, close });
}

function addressOf(server: Http2Server, host: string): string {
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

/** Tells the server where the bodies are. Registering the same address again only reads the service's description anew. */
async function register(admin: string, uri: string): Promise<void> {
  const response = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri, force: true }),
  });
  if (response.ok) return;
  throw new FairleadError("unavailable", `Restate did not accept ${uri}: ${response.status} ${await response.text()}`);
}
