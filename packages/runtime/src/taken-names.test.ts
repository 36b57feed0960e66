import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { eventsUntil, Ground } from "./ground-for-test.ts";

const isConflict = (error: unknown): boolean => FairleadError.is(error, "conflict");

test("a session is found by its name, its id, or the beginning of that", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const named = await runtime.start({ agent: "scripted", workspace: ground.folder, name: "greeter" });
  const other = await runtime.start({ agent: "scripted", workspace: ground.folder });
  expect(await runtime.find("greeter")).toBe(named.id);
  expect(await runtime.find(other.id)).toBe(other.id);
  expect(await runtime.find(named.id.slice(0, 11))).toBe(named.id);
  expect(await runtime.summary(named.id)).toMatchObject({ name: "greeter" });
  expect(await runtime.summary(other.id)).toMatchObject({ name: null });
  const unknown = (error: unknown): boolean => FairleadError.is(error, "session-not-found");
  await expect(runtime.find("greet")).rejects.toSatisfy(unknown);
});

test("a name that is the beginning of another session's id means neither", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const start = { agent: "scripted", workspace: ground.folder };
  const victim = await runtime.start(start);
  const name = victim.id.slice(0, 4);
  const other = await runtime.start({ ...start, name });
  await expect(runtime.find(name)).rejects.toThrow(`the name of ${other.id} and the beginning of ${victim.id}`);
});

test("a name is for one living session at a time, and is free again when that has ended", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const start = { agent: "scripted", workspace: ground.folder, name: "greeter" };
  const both = await Promise.allSettled([runtime.start(start), runtime.start(start)]);
  const [first] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(both.flatMap((one) => (one.status === "rejected" ? isConflict(one.reason) : []))).toEqual([true]);
  await expect(runtime.start(start)).rejects.toSatisfy(isConflict);
  await expect(runtime.start({ ...start, name: first?.id ?? "" })).rejects.toSatisfy(isConflict);
  expect(await Array.fromAsync(runtime.list())).toHaveLength(1);

  await first?.end();
  if (first) await eventsUntil(first, "session.ended");
  expect(await runtime.find("greeter")).toBe(first?.id);
  const second = await runtime.start(start);
  expect(await runtime.find("greeter")).toBe(second.id);
});
