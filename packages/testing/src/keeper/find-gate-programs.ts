import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readKernelDescendants } from "../../../keeper/src/process/kernel-descendants.ts";
import { type ProcessIdentity, readProcessIdentity } from "../../../keeper/src/process/process-identity.ts";

/** Finds the programs with which a keeper prepares a network gate: bubblewrap, and the one that it runs. */
export function findGatePrograms(keeperPid: number): ProcessIdentity[] {
  return readKernelDescendants(keeperPid)
    .filter((pid) => readCommandLine(pid).includes("namespace-holder"))
    .flatMap((pid) => readProcessIdentity(pid) ?? []);
}

/** Returns the network namespace that a spare keeper has ready, or null while it has none. */
export function findReadyNetwork(keeperPid: number): string | null {
  const network = listLinks(`/proc/${keeperPid}/fd`).find((target) => target.startsWith("net:")) ?? null;
  // The keeper tries whether the namespace can be entered. Then only what holds it is left.
  return readKernelDescendants(keeperPid).length === 2 ? network : null;
}

/** Returns the network namespaces of the processes below a keeper. */
export function findNetworks(keeperPid: number): (string | null)[] {
  return readKernelDescendants(keeperPid).map((pid) => readLink(`/proc/${pid}/ns/net`));
}

function listLinks(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => readLink(`${folder}/${name}`) ?? []);
  } catch {
    return []; // the process has ended
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
