import { type MethodRouteName, type Route, routes } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

/** Arguments that the schema of each route with a body refuses, after the session. */
const invalidArguments: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  start: [
    [{ workspace: "/", prompt: 42 }],
    [{ workspace: "/", extra: true }],
    [{}],
    ["text"],
    [{ workspace: "/", name: "-" }],
    [{ workspace: "/", brief: { title: "t" } }],
  ],
  send: [[42], [""], [undefined], [{ text: "a" }]],
  steer: [[42], [""]],
  inject: [[null], [[]]],
  updateBrief: [[{ title: "t" }], [{ title: "t", goal: "g", extra: 1 }], ["text"], [{ title: "", goal: "g" }]],
  type: [[42]],
  answer: [
    ["d", { type: "allow", extra: 1 }],
    ["d", { type: "maybe" }],
    ["d", undefined],
    [42, { type: "allow" }],
    ["d", { type: "deny", message: 1 }],
    ["d", { type: "allow", input: 1n }],
  ],
  resume: [[{ outcome: "odd" }], [{ extra: 1 }], ["fresh"]],
  fork: [[{ name: 42 }], [{ extra: 1 }]],
  takeOver: [[{ columns: "80", rows: 24 }], [undefined]],
  resize: [[{ columns: 80 }], [null]],
  startRun: [[{ workspace: "/" }], [{ plan: { goal: "g" }, workspace: "/" }], [null]],
  checkRun: [[{ workspace: "/" }], ["plan"]],
  cancelRun: [[{}], [{ run: 42 }], ["run-1"]],
};

const methodRoutes = Object.entries<Route>(routes).filter(([, { args }]) => args !== null) as [
  MethodRouteName,
  Route,
][];

test("every method with a body has a case", () => {
  const withBody = methodRoutes.filter(([, { body }]) => body !== null).map(([name]) => name);
  expect(Object.keys(invalidArguments).toSorted()).toEqual(withBody.toSorted());
});

test("invalid arguments are refused for callers in the same process, and nothing reaches the spool", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const prompt = withScript("Say.", [{ text: "Hello." }]);
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt });
  await collectEventsUntil(fairlead, session, "turn.ended");
  const before = await fairlead.session(session);
  const call = async (name: MethodRouteName, ...args: readonly unknown[]): Promise<unknown> =>
    await (fairlead[name] as (...values: readonly unknown[]) => Promise<unknown>).call(fairlead, ...args);
  for (const [name, cases] of Object.entries(invalidArguments) as [MethodRouteName, readonly unknown[][]][]) {
    const { args }: Route = routes[name];
    for (const values of cases) {
      const all = args?.includes("session") ? [session, ...values] : values;
      await expect(call(name, ...all), `${name} ${String(values)}`).rejects.toMatchObject({ code: "invalid-request" });
    }
  }
  for (const [name, { args }] of methodRoutes) {
    if (!args?.includes("session")) continue;
    const updateBrief = [{ title: "t", goal: "g" }];
    const texts = { send: ["x"], steer: ["x"], inject: ["x"], type: ["x"] };
    const valid = { ...texts, updateBrief, answer: ["d", { type: "allow" }] };
    const rest = name in valid ? valid[name as keyof typeof valid] : [{ columns: 80, rows: 24 }];
    for (const odd of [42, null, { toString: () => session }])
      await expect(call(name, odd, ...rest), name).rejects.toMatchObject({ code: "invalid-request" });
  }
  await expect(Array.fromAsync(fairlead.events(session, { after: -1 }))).rejects.toMatchObject({
    code: "invalid-request",
  });
  expect((await fairlead.sessions()).sessions).toHaveLength(1);
  expect(await fairlead.session(session)).toMatchObject({ last: before.last, state: "idle" });
  // The session is not stuck: the next valid command works.
  expect(await fairlead.stop(session)).toMatchObject({ state: "ended", reason: "stopped" });
});

test("an invalid command does not use up its idempotency key", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder });
  const key = "once";
  await expect(fairlead.inject(session, 42 as never, { key })).rejects.toMatchObject({ code: "invalid-request" });
  await fairlead.inject(session, "text", { key });
});
