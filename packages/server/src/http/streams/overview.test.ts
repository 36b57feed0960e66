import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OverviewMessage } from "@fairlead/api";
import { browserTransport, RemoteFairlead } from "@fairlead/client";
import { FairleadError } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { OverviewReader } from "@fairlead/testing/service/overview-reader.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { AccessTokens } from "../access/access-tokens.ts";
import { serveHttp } from "../serve-http.ts";

const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
/** A page must not be told more than four times a second, and the machine may be slow. */
const manyFrames = 40;

test("a browser's client follows the overview over a WebSocket, until its token is revoked", async () => {
  await using testHome = new ServiceTestHome();
  const folders = ["mine", "other"].map((name) => join(testHome.folder, name));
  for (const folder of folders) mkdirSync(folder);
  const [mine = "", other = ""] = folders;
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens });
  const url = service.url ?? "";
  const token = await tokens.issue({ label: "page", scopes: ["read"] });
  const limitedToken = await tokens.issue({ label: "limited", scopes: ["read"], workspaces: [mine] });
  const clientOf = (value: string): RemoteFairlead => new RemoteFairlead(browserTransport(url, value));
  const [page, limited] = [new OverviewReader(), new OverviewReader()];
  await page.readUntil(clientOf(token));

  const starts = [mine, other].map((workspace) => fairlead.start({ workspace, prompt: ask }));
  const [own, foreign] = (await Promise.all(starts)).map(({ session }) => session);
  await page.readUntil(clientOf(token), () => page.decisions.size === 2 && page.counts?.waiting === 2);
  expect([...page.sessions.keys()].toSorted()).toEqual([own, foreign].toSorted((one, two) => (one! < two! ? -1 : 1)));
  expect(page.resets).toBe(1);

  await limited.readUntil(clientOf(limitedToken), () => limited.decisions.size === 1);
  expect([...limited.sessions.keys()]).toEqual([own]);
  expect(limited.counts).toMatchObject({ waiting: 1, ended: 0 });
  const headers = { authorization: `Bearer ${limitedToken}` };
  const once = await (await fetch(`${url}/v1/overview`, { headers })).json();
  expect(once).toMatchObject({ sessions: [{ session: own }], decisions: [{ session: own }], caughtUp: true });

  const raw = new WebSocket(`${url.replace("http", "ws")}/v1/overview`, ["fairlead.v1"], {
    headers: { authorization: `Bearer ${token}` },
  });
  const messages: OverviewMessage[] = [];
  raw.on("message", (data: Buffer) => messages.push(OverviewMessage.parse(JSON.parse(data.toString()))));
  await expect.poll(() => messages.length).toBeGreaterThan(0);
  expect(messages.length).toBeLessThan(manyFrames);
  await tokens.revoke("page");
  await expect.poll(() => raw.readyState).toBe(WebSocket.CLOSED);
  expect(messages.at(-1)).toMatchObject({ problem: { code: "not-allowed" } });
  const refused = (error: unknown): boolean => FairleadError.isInstance(error);
  const impatient = new RemoteFairlead(browserTransport(url, token), { retryTimeoutMs: 0 });
  await expect(page.readUntil(impatient)).rejects.toSatisfy(refused);
});
