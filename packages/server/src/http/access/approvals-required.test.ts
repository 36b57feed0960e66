import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope, SessionView } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { FileTokenStore } from "@fairlead/engine";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

/** Serves real sessions on loopback, and sends requests with a token of given scopes. */
async function serveHome(testHome: ServiceTestHome) {
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  const service = await serveHttp({ fairlead, port: 0, tokens });
  const post = async (scopes: Scope[], path: string, body: object): Promise<{ status: number; view: SessionView }> => {
    const token = await tokens.issue({ label: scopes.join(), scopes });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reply = await fetch(`${service.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, view: (await reply.json()) as SessionView };
  };
  return { fairlead, post, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe("sessions over HTTP", () => {
  test("only a token with the scope approve starts a session that runs without approvals", async () => {
    await using testHome = new ServiceTestHome();
    await using served = await serveHome(testHome);
    const { folder: workspace } = testHome;
    const status = async (scopes: Scope[], request: object): Promise<number> =>
      (await served.post(scopes, "/v1/sessions", { workspace, ...request })).status;
    expect(await status(["drive"], { agent: "scripted" })).toBe(200);
    expect(await status(["drive"], { agent: "shell" })).toBe(403);
    for (const mode of ["accept-edits", "full-auto"]) {
      expect(await status(["drive"], { agent: "scripted", mode })).toBe(403);
      expect(await status(["drive", "approve"], { agent: "scripted", mode })).toBe(200);
    }
    expect(await status(["drive", "approve"], { agent: "shell" })).toBe(200);
  });

  test("a token without the scope approve ignores the permission mode in fairlead.yaml", async () => {
    await using testHome = new ServiceTestHome();
    await using served = await serveHome(testHome);
    writeFileSync(join(testHome.folder, "fairlead.yaml"), "agent: scripted\nmode: accept-edits\n");
    const { status, view } = await served.post(["drive"], "/v1/sessions", { workspace: testHome.folder });
    expect({ status, mode: view.mode }).toEqual({ status: 200, mode: "default" });
  });

  test("a workspace path that contains a null character is rejected with 400", async () => {
    await using testHome = new ServiceTestHome();
    await using served = await serveHome(testHome);
    const scopes: Scope[] = ["drive", "approve"];
    const request = { workspace: `${testHome.folder}\0/x`, agent: "scripted" };
    expect((await served.post(scopes, "/v1/sessions", request)).status).toBe(400);
    const { session } = await served.fairlead.start({ agent: "scripted", workspace: testHome.folder });
    const { status } = await served.post(scopes, `/v1/sessions/${session}/fork`, { workspace: request.workspace });
    expect(status).toBe(400);
  });

  test("an untrusted fairlead.yaml cannot set the mode, even for a token with the scope approve", async () => {
    await using testHome = new ServiceTestHome();
    await using served = await serveHome(testHome);
    writeFileSync(join(testHome.folder, "fairlead.yaml"), "agent: scripted\nmode: accept-edits\n");
    const request = { workspace: testHome.folder };
    expect(await served.post(["drive", "approve"], "/v1/sessions", request)).toMatchObject({
      status: 403,
      view: { detail: expect.stringContaining("fairlead trust") as string },
    });
    const { status, view } = await served.post(["drive", "approve"], "/v1/sessions", { ...request, mode: "default" });
    expect({ status, mode: view.mode }).toEqual({ status: 200, mode: "default" });
  });

  test("only a token with the scope approve forks or resumes a session that runs without approvals", async () => {
    await using testHome = new ServiceTestHome();
    await using served = await serveHome(testHome);
    const { fairlead, post } = served;
    const { session } = await fairlead.start({ agent: "scripted", workspace: testHome.folder, mode: "full-auto" });
    expect((await post(["drive"], `/v1/sessions/${session}/fork`, {})).status).toBe(403);
    await fairlead.stop(session);
    expect((await post(["drive"], `/v1/sessions/${session}/resume`, { outcome: "fresh" })).status).toBe(403);
    expect((await post(["drive", "approve"], `/v1/sessions/${session}/resume`, { outcome: "fresh" })).status).toBe(200);
  });
});
