import { execFile, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { startTiedProcess } from "./nats-node.ts";
import type { Cut, NatsNetwork } from "./nats-network.ts";

/** The bridges in this process's namespace: clients use one, the nodes use the other among themselves. */
const bridges = { client: "flclient", peer: "flpeer" } as const;
type Side = keyof typeof bridges;
const subnets = { client: "10.97.1", peer: "10.97.2" } as const;
/** Where other namespaces reach the nodes as clients. The addresses from 100 to 253 are free. */
export const clientBridge = bridges.client;
export const clientSubnet = subnets.client;

const run = promisify(execFile);
const ip = async (...args: readonly string[]): Promise<void> => void (await run("ip", args));

/**
 * Gives each node a network namespace with two links to this process's namespace. The process must be in a namespace of its
 * own (`scripts/offline`), so that the machine's network gets no address and no interface. A namespace is held by a process
 * and has no name, so it disappears with this process.
 */
export async function openNamespaceNetwork(nodeCount: number): Promise<NatsNetwork> {
  refuseForeignNamespace();
  const holders: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    for (const holder of holders) await end(holder);
    for (const bridge of Object.values(bridges)) await ip("link", "delete", bridge).catch(() => {});
  };
  try {
    for (const bridge of Object.values(bridges)) await addBridge(bridge);
    await ip("address", "add", `${subnets.client}.254/24`, "dev", bridges.client);
    for (let node = 0; node < nodeCount; node++) {
      const holder = await holdNamespace();
      holders.push(holder);
      for (const side of ["client", "peer"] as const) await addLink(node, side, holder.pid ?? 0);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const setLink = async (node: number, side: Side, state: "up" | "down"): Promise<void> =>
    await ip("link", "set", nameLink(node, side), state);
  return {
    addresses: holders.map((_, node) => ({
      client: `${subnets.client}.${node + 1}:4222`,
      peer: `${subnets.peer}.${node + 1}:6222`,
      monitor: `${subnets.client}.${node + 1}:8222`,
    })),
    prefixes: holders.map((holder) => enter(holder.pid ?? 0)),
    async cut(node: number, cut: Cut) {
      await setLink(node, "peer", "down");
      if (cut === "all") await setLink(node, "client", "down");
    },
    async heal(node: number) {
      for (const side of ["client", "peer"] as const) await setLink(node, side, "up");
    },
    [Symbol.asyncDispose]: close,
  };
}

function refuseForeignNamespace(): void {
  const others = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
  if (others.length > 0) {
    throw new Error(`This network has ${others.join(", ")}. Run the test inside scripts/offline.`);
  }
}

async function addBridge(name: string): Promise<void> {
  // Without spanning tree a port forwards as soon as it is up.
  await ip("link", "add", name, "type", "bridge", "stp_state", "0", "forward_delay", "0");
  await ip("link", "set", name, "up");
}

async function addLink(node: number, side: Side, holder: number): Promise<void> {
  const link = nameLink(node, side);
  await ip("link", "add", link, "type", "veth", "peer", "name", side, "netns", String(holder));
  await ip("link", "set", link, "master", bridges[side]);
  await ip("link", "set", link, "up");
  const [command = "", ...args] = enter(holder);
  const inside = async (...more: readonly string[]): Promise<unknown> => await run(command, [...args, "ip", ...more]);
  await inside("link", "set", "lo", "up");
  await inside("address", "add", `${subnets[side]}.${node + 1}/24`, "dev", side);
  await inside("link", "set", side, "up");
}

function nameLink(node: number, side: Side): string {
  return `fl${side}${node + 1}`;
}

function enter(holder: number): readonly string[] {
  return ["nsenter", `--net=/proc/${holder}/ns/net`];
}

/** Starts a process that keeps a new network namespace. */
async function holdNamespace(): Promise<ChildProcess> {
  const holder = startTiedProcess(["unshare", "--net", "sleep", "infinity"]);
  const own = readlinkSync("/proc/self/ns/net");
  while (holder.exitCode === null && holder.pid !== undefined) {
    if (readlinkSync(`/proc/${holder.pid}/ns/net`) !== own) return holder;
    await delay(5);
  }
  throw new Error("A network namespace cannot be created.");
}

async function end(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const exited = once(holder, "exit");
  holder.kill("SIGKILL");
  await exited;
}
