import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope, SessionView } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { Ground } from "../local/ground-for-test.ts";
import { serve } from "./serve.ts";
import { Tokens } from "./tokens.ts";

/** A service on loopback over real sessions, and a way to ask it with a token of some scopes. */
async function service(ground: Ground) {
  const fairlead = await ground.open();
  const tokens = new Tokens(join(ground.home.folder, "tokens.json"));
  const listening = await serve({ fairlead, port: 0, tokens });
  const ask = async (scopes: Scope[], path: string, body: object): Promise<{ status: number; view: SessionView }> => {
    const token = tokens.issue({ label: scopes.join(), scopes });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reply = await fetch(`${listening.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, view: (await reply.json()) as SessionView };
  };
  return { fairlead, ask, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() };
}

describe("whoever may drive but not approve", () => {
  test("begins nothing that asks nobody; whoever may do both, anything", async () => {
    await using ground = new Ground();
    await using served = await service(ground);
    const { folder: workspace } = ground;
    const status = async (scopes: Scope[], order: object): Promise<number> =>
      (await served.ask(scopes, "/v1/sessions", { workspace, ...order })).status;
    expect(await status(["drive"], { agent: "scripted" })).toBe(200);
    expect(await status(["drive"], { agent: "shell" })).toBe(403);
    for (const mode of ["accept-edits", "full-auto"]) {
      expect(await status(["drive"], { agent: "scripted", mode })).toBe(403);
      expect(await status(["drive", "approve"], { agent: "scripted", mode })).toBe(200);
    }
    expect(await status(["drive", "approve"], { agent: "shell" })).toBe(200);
  });

  test("is not helped by what stands in the workspace", async () => {
    await using ground = new Ground();
    await using served = await service(ground);
    writeFileSync(join(ground.folder, "fairlead.yaml"), "agent: scripted\nmode: accept-edits\n");
    const { status, view } = await served.ask(["drive"], "/v1/sessions", { workspace: ground.folder });
    expect({ status, mode: view.mode }).toEqual({ status: 200, mode: "default" });
  });

  test("is told what is wrong with a folder that no path can name", async () => {
    await using ground = new Ground();
    await using served = await service(ground);
    const scopes: Scope[] = ["drive", "approve"];
    const order = { workspace: `${ground.folder}\0/x`, agent: "scripted" };
    expect((await served.ask(scopes, "/v1/sessions", order)).status).toBe(400);
    const { session } = await served.fairlead.start({ agent: "scripted", workspace: ground.folder });
    const { status } = await served.ask(scopes, `/v1/sessions/${session}/fork`, { workspace: order.workspace });
    expect(status).toBe(400);
  });

  test("nor is anybody, by a file that nobody has trusted", async () => {
    await using ground = new Ground();
    await using served = await service(ground);
    writeFileSync(join(ground.folder, "fairlead.yaml"), "agent: scripted\nmode: accept-edits\n");
    const order = { workspace: ground.folder };
    expect(await served.ask(["drive", "approve"], "/v1/sessions", order)).toMatchObject({
      status: 403,
      view: { detail: expect.stringContaining("fairlead trust") as string },
    });
    const { status, view } = await served.ask(["drive", "approve"], "/v1/sessions", { ...order, mode: "default" });
    expect({ status, mode: view.mode }).toEqual({ status: 200, mode: "default" });
  });

  test("cannot have it from a session in which it was allowed", async () => {
    await using ground = new Ground();
    await using served = await service(ground);
    const { fairlead, ask } = served;
    const { session } = await fairlead.start({ agent: "scripted", workspace: ground.folder, mode: "full-auto" });
    expect((await ask(["drive"], `/v1/sessions/${session}/fork`, {})).status).toBe(403);
    await fairlead.stop(session);
    expect((await ask(["drive"], `/v1/sessions/${session}/resume`, { outcome: "fresh" })).status).toBe(403);
    expect((await ask(["drive", "approve"], `/v1/sessions/${session}/resume`, { outcome: "fresh" })).status).toBe(200);
  });
});
