import { FairleadError } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { expect, test } from "vitest";

test("a host reports once per session that its images cannot be stored", async () => {
  await using bench = await FleetBench.start();
  const engine = await bench.openEngine("one");
  engine.objects.put = async () => await Promise.reject(new FairleadError("unavailable", "The disk is full."));
  const host = await bench.openHost("one", { engine });
  const gateway = await bench.openGateway();
  const prompt = withScript("Say.", [{ text: "Hello." }]);
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt });
  let turns = 0;
  for await (const one of gateway.events(session, { follow: true, signal: AbortSignal.timeout(60_000) })) {
    if (!("body" in one) || one.body.type !== "turn.ended") continue;
    if (++turns === 3) break;
    await gateway.send(session, prompt);
  }
  await host.close(); // waits for the last write
  expect(bench.errors.map(String)).toEqual([
    `FairleadError: The image could not be stored for session ${session}: The disk is full.`,
  ]);
  await engine[Symbol.asyncDispose]();
});
