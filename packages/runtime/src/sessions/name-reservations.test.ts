import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";

const isConflict = (error: unknown): boolean => FairleadError.is(error, "conflict");

test("find accepts a name, an id, or the beginning of an id", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const named = await runtime.start({ agent: "scripted", workspace: testHome.folder, name: "greeter" });
  const other = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  expect(await runtime.find("greeter")).toBe(named.id);
  expect(await runtime.find(other.id)).toBe(other.id);
  expect(await runtime.find(named.id.slice(0, 11))).toBe(named.id);
  expect(await runtime.summary(named.id)).toMatchObject({ name: "greeter" });
  expect(await runtime.summary(other.id)).toMatchObject({ name: null });
  const isNotFound = (error: unknown): boolean => FairleadError.is(error, "session-not-found");
  await expect(runtime.find("greet")).rejects.toSatisfy(isNotFound);
});

test("a name that is the beginning of another session's id is ambiguous", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder };
  const original = await runtime.start(start);
  const name = original.id.slice(0, 4);
  const other = await runtime.start({ ...start, name });
  await expect(runtime.find(name)).rejects.toThrow(`the name of ${other.id} and the beginning of ${original.id}`);
});

test("only one open session can have a name, which is free again after its end", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const start = { agent: "scripted", workspace: testHome.folder, name: "greeter" };
  const results = await Promise.allSettled([runtime.start(start), runtime.start(start)]);
  const [first] = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(results.flatMap((result) => (result.status === "rejected" ? isConflict(result.reason) : []))).toEqual([true]);
  await expect(runtime.start(start)).rejects.toSatisfy(isConflict);
  await expect(runtime.start({ ...start, name: first?.id ?? "" })).rejects.toSatisfy(isConflict);
  expect(await Array.fromAsync(runtime.list())).toHaveLength(1);

  await first?.end();
  if (first) await eventsUntil(first, "session.ended");
  expect(await runtime.find("greeter")).toBe(first?.id);
  const second = await runtime.start(start);
  expect(await runtime.find("greeter")).toBe(second.id);
});
