import type { HostInfo } from "@fairlead/engine";
import { expect, test } from "vitest";
import { findHost } from "./find-host.ts";

const ownerOf = (host: string, instance: string): string =>
  JSON.stringify({ host, instance: instance.padEnd(16, "0") });
const alive = new Map<string, HostInfo>([
  [ownerOf("a-1", "old"), { name: "a", absent: true }],
  [ownerOf("a-1", "new"), { name: "a" }],
  [ownerOf("b-1", "old"), { name: "b", absent: true }],
  [ownerOf("c-1", "one"), { name: "c" }],
  [ownerOf("c-2", "one"), { name: "c" }],
]);

test("finds the process of a host that runs, by its id or the name of its machine", async () => {
  for (const wanted of ["a-1", "a"])
    expect(await findHost(alive, wanted)).toMatchObject({ id: "a-1", owner: ownerOf("a-1", "new") });
  await expect(findHost(alive, "c")).rejects.toThrow("2 hosts have the name c");
  await expect(findHost(alive, "d")).rejects.toThrow("No host d has joined");
});

test("says that the process of a host is stopped", async () => {
  for (const wanted of ["b-1", "b"])
    await expect(findHost(alive, wanted)).rejects.toThrow(`The process of host ${wanted} is stopped.`);
});
