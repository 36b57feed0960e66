import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Fairlead, type Route, routes, type SessionPage } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";
import { limitToWorkspaces } from "./limit-to-workspaces.ts";

const scopes = ["read", "drive", "approve", "admin"] as const;

/** Bodies with which each route would do something. */
const bodies: Readonly<Record<string, object>> = {
  send: { text: "Hello." },
  steer: { text: "Hello." },
  inject: { text: "Hello." },
  updateBrief: { title: "Greet", goal: "Say it." },
  answer: { decision: "d", answer: { type: "allow" } },
  takeOver: { columns: 80, rows: 24 },
  resize: { columns: 80, rows: 24 },
  type: { text: "x" },
};

test("a token reaches only sessions and folders in its workspaces, by every route", async () => {
  await using testHome = new ServiceTestHome();
  const folders = ["mine", "mine/below", "mine-not", "other"].map((name) => join(testHome.folder, name));
  for (const folder of folders) mkdirSync(folder);
  const [mine = "", below = "", similar = "", other = ""] = folders;
  symlinkSync(other, join(mine, "link"));
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  let stopped = false;
  await using service = await serveHttp({
    fairlead,
    port: 0,
    tokens,
    metrics: async () => "",
    requestShutdown: () => (stopped = true),
  });
  const token = await tokens.issue({ label: "limited", scopes: [...scopes], workspaces: [mine] });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; reply: unknown }> => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(service.url + path, init);
    return { status: response.status, reply: response.status === 204 ? null : await response.json() };
  };
  const start = async (workspace: string): Promise<number> =>
    (await call("POST", "/v1/sessions", { workspace, agent: "scripted" })).status;

  expect(await Promise.all([mine, below].map(start))).toEqual([200, 200]);
  const outsideFolders = [similar, other, join(mine, "link"), `${mine}/../other`, testHome.folder, "/", "mine"];
  expect(await Promise.all(outsideFolders.map(start))).toEqual(outsideFolders.map(() => 403));

  const repository = { url: mine, ref: "main" };
  expect((await call("POST", "/v1/sessions", { repository, agent: "scripted" })).status).toBe(403);

  const foreign = await fairlead.start({ workspace: other, agent: "scripted", name: "foreign" });
  const { sessions: own } = (await call("GET", "/v1/sessions")).reply as SessionPage;
  expect(own.map(({ workspace }) => workspace).toSorted()).toEqual([mine, below]);
  for (const [name, route] of Object.entries<Route>(routes)) {
    if (!route.path.includes(":session")) continue;
    for (const session of [foreign.session, "foreign", foreign.session.slice(0, 8)]) {
      const body = route.method === "POST" ? (bodies[name] ?? {}) : undefined;
      const path = `${route.path.replace(":session", session)}${name === "search" ? "?text=x" : ""}`;
      const { status, reply } = await call(route.method, path, body);
      expect({ name, status, ...(reply as object) }).toMatchObject({ name, status: 403, code: "not-allowed" });
    }
  }
  for (const [method, path] of [
    ["POST", "/v1/shutdown"],
    ["GET", "/v1/metrics"],
    ["GET", "/v1/usage?session=foreign"],
  ] as const) {
    expect((await call(method, path)).status, path).toBe(403);
  }
  expect(stopped).toBe(false);
  const fork = `/v1/sessions/${own[0]?.session}/fork`;
  expect((await call("POST", fork, { workspace: other, outcome: "fresh" })).status).toBe(403);
  expect((await call("POST", fork, { outcome: "fresh" })).status).toBe(200);

  const socket = new WebSocket(`${service.url}/v1/sessions/foreign/events`.replace("http", "ws"), { headers });
  const frames: string[] = [];
  await new Promise((resolve) => {
    socket.on("message", (data: Buffer) => frames.push(data.toString()));
    socket.on("close", resolve);
    socket.on("error", resolve);
  });
  expect(frames.join("")).not.toContain("session.started");
  expect(await fairlead.session("foreign")).toMatchObject({ state: "idle", turns: 0, queued: 0, lead: "agent" });
  expect((await call("GET", "/v1/decisions")).reply).toEqual([]);
  for (const path of ["/v1/health", "/v1/agents", "/v1/usage"]) expect((await call("GET", path)).status).toBe(200);
});

test("lists of decisions and usage leave out other workspaces", async () => {
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories([
    { session: "inside", workspace: testHome.folder },
    { session: "outside", workspace: "/" },
  ]);
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens });
  const read = async (path: string, workspaces?: string[]): Promise<string[]> => {
    const token = await tokens.issue({ label: "t", scopes: ["read"], ...(workspaces && { workspaces }) });
    const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { session: string }[]).map(({ session }) => session).toSorted();
  };
  expect(await read("/v1/usage")).toEqual(["inside", "outside"]);
  expect(await read("/v1/usage", [testHome.folder])).toEqual(["inside"]);
});

test("a repeated command gets its stored outcome, also if its session is gone or its name belongs to another one", async () => {
  await using testHome = new ServiceTestHome();
  const [mine, other] = [join(testHome.folder, "mine"), join(testHome.folder, "other")];
  for (const folder of [mine, other]) mkdirSync(folder);
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens });
  const token = await tokens.issue({ label: "limited", scopes: [...scopes], workspaces: [mine] });
  const request = async (method: string, path: string, key: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key };
    const body = method === "POST" ? { body: "{}" } : {};
    return (await fetch(service.url + path, { method, headers, ...body })).status;
  };
  const stop = (key: string): Promise<number> => request("POST", routes.stop.path.replace(":session", "one"), key);
  const forget = (key: string): Promise<number> =>
    request(routes.forget.method, routes.forget.path.replace(":session", "one"), key);
  await fairlead.start({ workspace: mine, agent: "scripted", name: "one" });
  expect(await stop("stop")).toBe(200);
  const foreign = await fairlead.start({ workspace: other, agent: "scripted", name: "one" });
  expect(await stop("stop")).toBe(200);
  expect(await stop("another")).toBe(403);
  expect(await fairlead.session(foreign.session)).toMatchObject({ state: "idle" });
  await fairlead.stop(foreign.session);
  await fairlead.forget(foreign.session);
  const forgotten = await forget("forget");
  expect(forgotten).toBeLessThan(300);
  expect(await forget("forget")).toBe(forgotten);
  expect(await forget("another")).toBe(404);
});

test("a list of usage is filtered by one query, whatever the number of sessions", async () => {
  const calls: string[] = [];
  const count = 50;
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const fairlead = {
    ...Object.fromEntries(Object.keys(routes).map((name) => [name, async () => void calls.push(name)])),
    usage: async () => ids.map((session) => ({ session })),
    sessions: async () => {
      calls.push("sessions");
      return { sessions: ids.map((session) => ({ session, workspace: "/" })), next: null, pending: 0 };
    },
  } as unknown as Fairlead;
  expect(await limitToWorkspaces(fairlead, ["/"]).usage()).toHaveLength(count);
  expect(await limitToWorkspaces(fairlead, ["/tmp"]).usage()).toEqual([]);
  expect(calls).toEqual(["sessions", "sessions"]);
});

test("the history of usage has only the workspaces of a limited caller", async () => {
  const buckets = ["/mine", "/mine/below", "/mine-not", "/other", ""].map((workspace) => ({ workspace, sessions: 1 }));
  const fairlead = {
    ...Object.fromEntries(Object.keys(routes).map((name) => [name, async () => null])),
    usageHistory: async () => buckets,
    turnHistory: async () => buckets,
  } as unknown as Fairlead;
  for (const name of ["usageHistory", "turnHistory"] as const) {
    const limited = await limitToWorkspaces(fairlead, ["/mine"])[name]({ by: "day" });
    expect(limited.map(({ workspace }) => workspace)).toEqual(["/mine", "/mine/below"]);
  }
});
