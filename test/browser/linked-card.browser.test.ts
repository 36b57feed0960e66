import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { adapters, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { expect, inject, test } from "vitest";
import { inboxPath } from "../../packages/web/src/state/inbox/inbox-path.ts";

const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page", import.meta.url));

test("links to cards lead to what became of them, whatever the agent chose as an id", async () => {
  const ids = ["17", "toolu:1/a b", "../../x", "%2f", "-.", "\u202e?#"];
  await using home = new ServiceTestHome();
  const bodies = [
    { type: "turn.started", turn: "t", input: "Ask.", origin: "user" },
    ...ids.flatMap((decision, at) => [
      { type: "decision.requested", decision, kind: "approval", title: `Request number ${at}` } as const,
      { type: "decision.resolved", decision, outcome: "denied", by: { kind: "person" } } as const,
    ]),
    { type: "turn.ended", turn: "t", outcome: "completed" },
    { type: "session.ended", reason: "stopped", exit: null },
  ] as const;
  await home.writeHistories([{ session: "asks", bodies }, { session: "forgotten" }]);
  const fairlead = await home.open(undefined, [...adapters, plainAdapter]);
  const tokens = new AccessTokens(new FileTokenStore(join(home.folder, "tokens.json")));
  await using service = await serveHttp({ fairlead, tokens, port: 0, pageFolder });
  const token = await tokens.issue({ label: "approver", scopes: ["read", "approve"] });
  await using browser = await TestBrowser.connect(inject("page").browser);
  const { page, context, problems } = await browser.open(`${service.url}/inbox`, { token });
  await using _ = context;
  page.setDefaultTimeout(60_000);
  const open = (path: string): Promise<unknown> => page.goto(`${service.url}${path}`);
  for (const [at, decision] of ids.entries()) {
    await open(inboxPath({ session: "asks", decision }));
    await page.getByRole("article").getByText(`Request number ${at}`).waitFor();
    await page
      .getByRole("article")
      .getByText(/denied/i)
      .first()
      .waitFor();
    expect(await page.locator("[data-armed]").count()).toBe(0);
  }
  expect(problems).toEqual([]);

  // Links that lead nowhere any more say so.
  await fairlead.forget("forgotten");
  for (const [path, words] of [
    [inboxPath({ session: "forgotten", decision: "1" }), "The session forgotten does not exist, or was forgotten."],
    [inboxPath({ session: "asks", decision: "99" }), "The session asks has no such request."],
    ["/inbox/asks", "This link names no request."],
  ] as const) {
    await open(path);
    await page.getByText(words).waitFor();
    await page.getByRole("link", { name: "All requests" }).waitFor();
  }

  // An agent that cannot run a call with another input is offered none.
  const prompt = `Write. SCRIPT:${JSON.stringify([{ tools: [{ name: "write", input: { path: "a", content: "b" } }] }])}`;
  for (const [agent, edits] of [
    ["plain", 0],
    ["scripted", 1],
  ] as const) {
    const { session } = await fairlead.start({ agent, workspace: home.folder, prompt });
    await expect.poll(async () => (await fairlead.session(session)).waitingFor.length).toBe(1);
    const [asked] = (await fairlead.session(session)).waitingFor;
    await open(inboxPath({ session, decision: asked?.decision ?? "" }));
    await page.locator("[data-armed=true]").waitFor();
    expect(await page.getByRole("button", { name: /Edit/ }).count(), agent).toBe(edits);
  }
}, 120_000);

const [scripted] = adapters.filter(({ manifest }) => manifest.id === "scripted");
if (scripted === undefined) throw new Error("There is no scripted agent.");
const { manifest } = scripted;

/** The scripted agent, without a way to change what is approved. */
const plainAdapter: Adapter = {
  ...scripted,
  manifest: {
    ...manifest,
    id: "plain",
    capabilities: manifest.capabilities.filter((one) => one !== "edited-approvals"),
  },
};
