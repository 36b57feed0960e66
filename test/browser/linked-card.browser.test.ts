import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { expect, test } from "vitest";
import { inboxPath } from "../../packages/web/src/state/inbox/inbox-path.ts";

const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page", import.meta.url));

test("the link of a card opens in a new tab, whatever the agent chose as its id", async () => {
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
  await home.writeHistories([{ session: "asks", bodies }]);
  const fairlead = await home.open();
  const tokens = new AccessTokens(new FileTokenStore(join(home.folder, "tokens.json")));
  await using service = await serveHttp({ fairlead, tokens, port: 0, pageFolder });
  const token = await tokens.issue({ label: "reader", scopes: ["read"] });
  await using browser = await TestBrowser.launch();
  for (const [at, decision] of ids.entries()) {
    const address = `${service.url}${inboxPath({ session: "asks", decision })}`;
    const { page, context, problems } = await browser.open(address, { token });
    await using _ = context;
    await page.getByRole("article").getByText(`Request number ${at}`).waitFor();
    expect(problems).toEqual([]);
  }
}, 120_000);
