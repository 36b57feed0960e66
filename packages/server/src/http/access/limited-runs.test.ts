import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { RunPage, RunView } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { approvalForeman } from "@fairlead/testing/foreman/approval-foreman.ts";
import { twoVendors } from "@fairlead/testing/foreman/two-vendors.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

const plan = {
  goal: "Greet",
  tasks: [{ id: "a", brief: "Say hello." }],
  builder: { agent: "scripted" },
  reviewer: { agent: "second" },
  forge: { kind: "git" as const },
};

test("a token reaches only the runs in its workspaces, and starts runs only with the scope approve", async () => {
  await using testHome = new ServiceTestHome();
  const [mine, other] = [join(testHome.folder, "mine"), join(testHome.folder, "other")];
  for (const folder of [mine, other]) mkdirSync(folder);
  const fairlead = await testHome.openWith({ adapters: twoVendors, foreman: approvalForeman(testHome.home) });
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens });
  const limited = await tokens.issue({ label: "limited", scopes: ["read", "drive", "approve"], workspaces: [mine] });
  const driver = await tokens.issue({ label: "driver", scopes: ["read", "drive"] });
  const call = async (method: string, path: string, body?: object, token = limited) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, reply: response.status === 204 ? null : await response.json() };
  };

  const foreign = await fairlead.startRun({ plan, workspace: other });
  const own = (await call("POST", "/v1/runs", { plan, workspace: mine })).reply as RunView;
  expect(own).toMatchObject({ workspace: mine });
  await vi.waitFor(async () => expect(await fairlead.decisions()).toHaveLength(2));

  const answer = { decision: "merge", answer: { type: "allow" } };
  for (const [method, path, body] of [
    ["POST", "/v1/runs", { plan, workspace: other }],
    ["POST", "/v1/runs/check", { plan, workspace: other }],
    ["GET", `/v1/run?run=${foreign.run}`],
    ["GET", `/v1/run?run=${foreign.run.slice(0, 9)}`],
    ["GET", `/v1/runs/events?run=${foreign.run}`],
    ["GET", `/v1/sessions/${foreign.run}/diff`],
    ["POST", "/v1/runs/cancel", { run: foreign.run }],
    ["POST", `/v1/sessions/${foreign.run}/answers`, answer],
  ] as const) {
    expect(await call(method, path, body), `${method} ${path}`).toMatchObject({ status: 403 });
  }
  expect(((await call("GET", "/v1/runs")).reply as RunPage).runs.map(({ run }) => run)).toEqual([own.run]);
  expect((await call("GET", "/v1/decisions")).reply).toMatchObject([{ session: own.run }]);
  expect(await fairlead.run(foreign.run)).toMatchObject({ outcome: null, decision: { decision: "merge" } });

  expect((await call("GET", `/v1/runs/events?run=${own.run}&after=1&wait=10`)).reply).toMatchObject({ ended: false });
  for (const query of ["", "run=x&after=-1", "run=x&wait=60000", "run=x&more=1"])
    expect((await call("GET", `/v1/runs/events?${query}`)).status, query).toBe(400);

  // To approve the work of a run needs the same scope as to start one.
  expect((await call("POST", "/v1/runs", { plan, workspace: mine }, driver)).status).toBe(403);
  expect((await call("POST", `/v1/sessions/${own.run}/answers`, answer, driver)).status).toBe(403);
  expect((await call("POST", `/v1/sessions/${own.run}/answers`, answer)).status).toBe(204);
  await vi.waitFor(async () => expect(await fairlead.run(own.run)).toMatchObject({ outcome: "done" }));
  expect((await call("POST", "/v1/runs/cancel", { run: foreign.run }, driver)).status).toBe(200);
  await vi.waitFor(async () => expect(await fairlead.run(foreign.run)).toMatchObject({ outcome: "canceled" }));
});
