import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { hostsConformance } from "../conformance.ts";
import { LocalHosts } from "./local-hosts.ts";
import { isOwnerAlive } from "./owner.ts";

hostsConformance("local", async () => ({ hosts: new LocalHosts(), [Symbol.asyncDispose]: async () => {} }));

test("an owner in another process is alive until that process ends", async () => {
  const code = `import { LocalHosts } from "./local-hosts.ts";
    console.log((await new LocalHosts().join({ name: "other" })).owner);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { cwd: import.meta.dirname });
  const exited = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const owner = line.toString().trim();
  expect(await new LocalHosts().isAlive(owner)).toBe(true);
  child.kill("SIGKILL");
  await exited;
  expect(await new LocalHosts().isAlive(owner)).toBe(false);
});

test("an owner whose process cannot be checked from here counts as alive", async () => {
  expect(isOwnerAlive(JSON.stringify({ host: "another machine", pid: 1, startTime: 1 }))).toBe(true);
});
