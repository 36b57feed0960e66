import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { StartRequest } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import type { LogTail } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import type { FleetFairlead } from "../../../fleet/src/gateway/fleet-fairlead.ts";
import { FleetBench, type BenchHost } from "./fleet-bench.ts";

/** A message whose turn ends with one text. */
export const hello = withScript("Say.", [{ text: "Hello." }]);

/** A fleet with a session whose first turn has ended on the host `one`. */
export class MovableFleet implements AsyncDisposable {
  readonly bench: FleetBench;
  readonly gateway: FleetFairlead;
  readonly hosts: BenchHost[] = [];
  session = "";

  private constructor(bench: FleetBench, gateway: FleetFairlead) {
    this.bench = bench;
    this.gateway = gateway;
  }

  static async start(
    request: Partial<StartRequest> = {},
    { isRepository = false }: { readonly isRepository?: boolean } = {},
  ): Promise<MovableFleet> {
    const bench = await FleetBench.start();
    const fleet = new MovableFleet(bench, await bench.openGateway({ patience: 30_000 }));
    await fleet.openHost("one");
    const place = isRepository
      ? { repository: { url: createRepository(join(bench.folder, "repository")), ref: "main" } }
      : { workspace: bench.workspace };
    const started = await fleet.gateway.start({
      agent: "scripted",
      mode: "full-auto",
      prompt: hello,
      ...place,
      ...request,
    });
    fleet.session = started.session;
    await followTurns(fleet.gateway, fleet.session, 1);
    return fleet;
  }

  stateOf(name: string): string {
    return join(this.bench.folder, `state-${name}`);
  }

  async openHost(name: string, options: Parameters<FleetBench["openHost"]>[1] = {}): Promise<BenchHost> {
    const environment = { ...this.bench.environment, XDG_STATE_HOME: this.stateOf(name) };
    const workspacesFolder = join(this.bench.folder, "workspaces");
    const host = await this.bench.openHost(name, { environment, workspacesFolder, ...options });
    this.hosts.push(host);
    return host;
  }

  /** The end of the session's log. */
  async tail(): Promise<LogTail> {
    await using engine = await this.bench.openEngine("checker");
    return await engine.log.tail(this.session);
  }

  /** Ends a host, by default the first one, with its keepers, agents and files. Its sessions' images are stored. */
  async loseHost(host = this.hosts[0] as BenchHost): Promise<void> {
    await host.close();
    for (const session of readdirSync(host.home.sessionsFolder)) await endKeeper(host.home.sessionFolder(session));
    rmSync(this.stateOf(basename(host.home.folder)), { recursive: true, force: true });
    await this.bench.expireHosts();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
  }
}

function createRepository(folder: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, "kept.txt"), "kept\n");
  const git = (...args: readonly string[]): void => void execFileSync("git", ["-C", folder, ...args]);
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "Begin");
  return folder;
}

export async function followTurns(gateway: FleetFairlead, session: string, count: number): Promise<Event[]> {
  let ended = 0;
  return await followUntil(gateway, session, ({ body }) => body.type === "turn.ended" && (ended += 1) === count);
}

export async function followUntil(
  gateway: FleetFairlead,
  session: string,
  isLast: (event: Event) => boolean,
): Promise<Event[]> {
  const events: Event[] = [];
  const signal = AbortSignal.timeout(60_000);
  for await (const one of gateway.events(session, { follow: true, signal })) {
    if (!("body" in one)) continue;
    events.push(one);
    if (isLast(one)) return events;
  }
  throw new Error(`Only saw ${events.map(({ body }) => JSON.stringify(body).slice(0, 200)).join("\n")}.`);
}
