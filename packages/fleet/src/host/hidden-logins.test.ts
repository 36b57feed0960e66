import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { followTurns } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, onTestFinished, test } from "vitest";

test("an agent in a sandbox cannot read a login of the fleet in a folder that the sandbox shows", async () => {
  const folder = mkdtempSync("/opt/fairlead-test-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [password, other] = ["password", "other"].map((name) => join(folder, name)) as [string, string];
  writeFileSync(password, "login-of-the-fleet");
  writeFileSync(other, "text-of-the-machine");
  await using bench = await FleetBench.start();
  await bench.openHost("one", { loginFiles: [password] });
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({
    agent: "shell",
    workspace: bench.workspace,
    sandbox: { kind: "bwrap" },
    prompt: `cat ${other} ${password}`,
  });
  const output = JSON.stringify(await followTurns(gateway, session, 1));
  expect(output).toContain("text-of-the-machine"); // control: the sandbox shows the folder
  expect(output).not.toContain("login-of-the-fleet");
});
