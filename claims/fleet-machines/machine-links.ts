import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { clientBridge, clientSubnet } from "@fairlead/testing/nats/namespace-network.ts";
import type { TestMachine } from "./test-machine.ts";

const run = promisify(execFile);
const ip = async (...args: readonly string[]): Promise<void> => void (await run("ip", args));
const firstAddress = 100;

/** Connects machines with networks of their own to NATS servers in namespaces, and cuts their links. */
export class MachineLinks {
  readonly #numbers = new Map<string, number>();

  /** Connects a machine. A later one of the same name replaces it. */
  async connect(name: string, { pid, prefix }: TestMachine): Promise<void> {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    const link = nameLink(number);
    await ip("link", "add", link, "type", "veth", "peer", "name", "servers", "netns", String(pid));
    await ip("link", "set", link, "master", clientBridge);
    await ip("link", "set", link, "up");
    const [command = "", ...args] = prefix;
    const inside = async (...more: readonly string[]): Promise<unknown> => await run(command, [...args, "ip", ...more]);
    await inside("link", "set", "lo", "up");
    await inside("address", "add", `${clientSubnet}.${firstAddress + number}/24`, "dev", "servers");
    await inside("link", "set", "servers", "up");
  }

  /** Cuts a machine off, as a pulled cable would. */
  async cut(name: string): Promise<void> {
    await ip("link", "set", this.#linkOf(name), "down");
  }

  async heal(name: string): Promise<void> {
    await ip("link", "set", this.#linkOf(name), "up");
  }

  #linkOf(name: string): string {
    const number = this.#numbers.get(name);
    if (number === undefined) throw new Error(`There is no machine ${name}.`);
    return nameLink(number);
  }
}

function nameLink(number: number): string {
  return `flmachine${number}`;
}
