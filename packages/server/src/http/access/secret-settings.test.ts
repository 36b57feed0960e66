import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Route, routes, type Scope } from "@fairlead/api";
import { expect, test } from "vitest";
import { FileTokenStore } from "@fairlead/engine";
import { adapters, collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

/** An agent that is always installed and whose options are arguments of its program. */
const strictAgent = adapters.find(({ manifest: { settings } }) => {
  const accepts = (options: object): boolean => settings.safeParse({ options }).success;
  return accepts({ "base-url": "http://x" }) && !accepts({ unknown: "x" });
})!;

test("the text of secret settings is in no reply, and in no file but one", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens, metrics: async () => "" });
  const scopes: Scope[] = ["read", "drive", "approve", "admin"];
  const headers = {
    authorization: `Bearer ${await tokens.issue({ label: "owner", scopes })}`,
    "content-type": "application/json",
  };
  const secret = randomBytes(12).toString("hex");
  const replies: string[] = [];
  const call = async (method: string, path: string, body?: object, key?: string): Promise<string> => {
    const init = {
      method,
      headers: { ...headers, ...(key !== undefined && { "idempotency-key": key }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const text = await (await fetch(`${service.url}${path}`, init)).text();
    replies.push(text);
    return text;
  };
  const post = (path: string, body: object, key: string): Promise<string> => call("POST", path, body, key);

  const start = { workspace: testHome.folder, agent: "shell", settings: { env: { API_KEY: secret } }, prompt: "true" };
  const { session } = JSON.parse(await post("/v1/sessions", start, "start")) as { session: string };
  const other = {
    workspace: testHome.folder,
    agent: strictAgent.manifest.id,
    settings: { options: { "base-url": `http://x/${secret}` } },
  };
  const second = (JSON.parse(await post("/v1/sessions", other, "other")) as { session: string }).session;
  await post("/v1/sessions", { ...start, settings: { env: { API_KEY: secret }, wrong: 1 } }, "wrong"); // rejected
  await collectEventsUntil(fairlead, session, "turn.ended");
  await post(`/v1/sessions/${session}/fork`, { outcome: "fresh" }, "fork");
  await post(`/v1/sessions/${session}/pause`, {}, "pause");
  for (const id of [session, second]) {
    for (const { method, path } of Object.values<Route>(routes)) {
      if (method === "GET") await call("GET", path.replace(":session", id));
    }
  }
  expect(replies.filter((text) => text.includes(secret))).toEqual([]);
  const checkpoint = JSON.parse(await call("GET", `/v1/sessions/${session}/checkpoint`)) as object;
  expect(checkpoint).toMatchObject({ settings: { env: {} }, secretSettings: ["env.API_KEY"] });

  const files = globSync("**", { cwd: testHome.home.folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(["secrets.json"]));
}, 90_000);
