import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { expect, test } from "vitest";

const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page", import.meta.url));
/** What programs ask when they start: the kind of terminal, and where the cursor is. */
const queries = "\u001B[c\u001B[6n\u001B]11;?\u0007";

test("a spectator's terminal has the size of the agent's, and answers no question of a program", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await home.open();
  const { session } = await fairlead.start({ agent: "scripted", workspace: home.folder, mode: "full-auto" });
  await fairlead.send(session, withScript("Ask.", [{ text: `${queries}The kind of this terminal.` }]));
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.takeOver(session, { columns: 100, rows: 30 });
  const tokens = new AccessTokens(new FileTokenStore(join(home.folder, "tokens.json")));
  await using service = await serveHttp({ fairlead, tokens, port: 0, pageFolder });
  // With every scope: a page that answered would not be refused.
  const token = await tokens.issue({ label: "spectator", scopes: ["read", "drive", "approve", "admin"] });
  await using browser = await TestBrowser.launch();
  const { page, context, problems } = await browser.open(`${service.url}/s/${session}/terminal`, { token });
  await using _ = context;
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await page.getByText("watching").waitFor();
  // Draws the screen again, with the questions in it.
  for (const size of [
    { columns: 100, rows: 30 },
    { columns: 40, rows: 12 },
  ]) {
    await fairlead.takeOver(session, size);
    await page.getByText(`${size.columns} × ${size.rows}`).waitFor();
    await page.locator(".xterm-rows").getByText("The kind of this terminal.").waitFor();
    await expect.poll(() => page.locator(".xterm-rows > div").count()).toBe(size.rows);
  }
  expect(sent).toEqual([]);
  expect(problems).toEqual([]);
}, 120_000);
