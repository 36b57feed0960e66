import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Event, EventOf } from "@fairlead/contract";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import type { LocalFairlead } from "./local-fairlead.ts";

const sandbox = { kind: "bwrap", network: "gate" } as const;

/** A shell command that asks the gate for a tunnel and prints the status line. */
const tunnelTo = (target: string): string =>
  `node -e 'const u=new URL(process.env.HTTPS_PROXY);const s=require("net").connect(u.port,u.hostname);` +
  `s.write("CONNECT ${target} HTTP/1.1\\r\\n\\r\\n");s.on("data",d=>console.log(String(d).split("\\r\\n")[0]))'`;

const outputOf = (events: readonly Event[]): string =>
  events.flatMap(({ body }) => (body.type === "tool.ended" ? body.output : [])).join("");

async function startHeld(fairlead: LocalFairlead, workspace: string): Promise<{ session: string; request: Event }> {
  const { session } = await fairlead.start({ agent: "shell", workspace, sandbox });
  await fairlead.send(session, tunnelTo("host.invalid:443"));
  const request = (await collectEventsUntil(fairlead, session, "decision.requested")).at(-1)!;
  return { session, request };
}

test("a person answers for a host that is not listed, also after the daemon died", async () => {
  await using testHome = new ServiceTestHome();
  const first = await testHome.open();
  const { session, request } = await startHeld(first, testHome.folder);
  const { decision, kind, title, input } = request.body as EventOf<"decision.requested">;
  expect({ kind, title, input }).toMatchObject({
    kind: "network",
    title: "Connect to host.invalid:443",
    input: { host: "host.invalid", port: 443, calls: [{ tool: expect.any(String) }] },
  });
  await testHome.close(first);
  const fairlead = await testHome.open();
  expect((await fairlead.decisions()).map((one) => one.decision)).toEqual([decision]);
  await fairlead.answer(session, decision, { type: "allow" });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  // It was allowed, and the name has no address.
  expect(outputOf(events)).toContain("ECONNRESET");
  expect(events.flatMap(({ body }) => (body.type === "network.judged" ? `${body.verdict} ${body.rule}` : []))).toEqual([
    "allowed answer",
    "refused unresolved",
  ]);
});

test("a denied host is refused, and a session that is stopped leaves nothing that waits", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const denied = await startHeld(fairlead, testHome.folder);
  const { decision } = denied.request.body as EventOf<"decision.requested">;
  await fairlead.answer(denied.session, decision, { type: "deny", message: "No.", interrupt: false });
  expect(outputOf(await collectEventsUntil(fairlead, denied.session, "turn.ended"))).toContain("403 Forbidden");
  const stopped = await startHeld(fairlead, testHome.folder);
  await fairlead.stop(stopped.session);
  const events = await collectEventsUntil(fairlead, stopped.session, "session.ended");
  expect(events.flatMap(({ body }) => (body.type === "decision.resolved" ? body.outcome : []))).toEqual(["canceled"]);
  expect(await fairlead.decisions()).toEqual([]);
});

test("a port that the user forwards is reachable, and nothing else on the machine", async () => {
  await using testHome = new ServiceTestHome();
  const server = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const fairlead = await testHome.open();
  const run = async (): Promise<string> => {
    const view = await fairlead.start({ agent: "shell", workspace: testHome.folder, sandbox });
    expect(view.sandbox).toMatchObject({ ...sandbox, workspace: "write" });
    await fairlead.send(view.session, `exec 3<>/dev/tcp/127.0.0.1/${port}; cat <&3`);
    return outputOf(await collectEventsUntil(fairlead, view.session, "turn.ended"));
  };
  expect(await run()).toContain("Connection refused");
  const config = { sandbox: { [testHome.folder]: { forwards: [port] } } };
  writeFileSync(testHome.home.configFile, JSON.stringify(config));
  expect(await run()).toBe("reached");
  server.close();
});
