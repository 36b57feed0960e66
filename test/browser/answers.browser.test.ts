import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inboxPath } from "../../packages/web/src/state/inbox/inbox-path.ts";
import { PageBench, scripted } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

/** Steps that ask whether a file may be written, so often. */
function asking(file: string, times: number): readonly object[] {
  return Array.from({ length: times }, (_, at) => ({
    tools: [{ name: "write", input: { path: `${file}-${at}.txt`, content: "x" } }],
  }));
}

/** The decisions of a session, and how they were answered. */
async function readOutcomes(session: string): Promise<string[]> {
  const outcomes: string[] = [];
  for await (const event of bench.fairlead.events(session))
    if ("body" in event && event.body.type === "decision.resolved") outcomes.push(event.body.outcome);
  return outcomes;
}

const card = (page: Page): Locator => page.getByRole("article");

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.locator("[data-armed=true]").waitFor();
  await page.getByRole("button", { name }).click();
}

test("answers, messages and starts over a network that is cut", async () => {
  const { proxy, at } = await bench.openNetwork();
  const session = await bench.start("Write", asking("cut", 4), { name: "cut" });
  await bench.until(session, "decision.requested");
  const { page } = await bench.openPage("/", { at });
  /** Opens the link of the open request, because the inbox has those of other tests, too. */
  const openCard = async (): Promise<void> => {
    const findOpen = async () => (await bench.fairlead.decisions()).find((one) => one.session === session);
    await expect.poll(findOpen).toBeDefined();
    await page.goto(at + inboxPath((await findOpen()) ?? { session, decision: "" }));
    await card(page).waitFor();
  };
  await openCard();

  // The answer leaves the page, and the network is cut before the service has answered. It counts once.
  const answers = (url: URL): boolean => url.pathname.endsWith("/answers");
  await page.route(answers, async (route) => {
    proxy.cut("drop");
    const request = route.request();
    const { pathname } = new URL(request.url());
    const { authorization = "", "content-type": type = "", "idempotency-key": key = "" } = request.headers();
    const headers = { authorization, "content-type": type, "idempotency-key": key };
    await fetch(bench.shared.url + pathname, { method: "POST", headers, body: request.postData() });
    await route.abort();
  });
  await press(page, "Allow once");
  await card(page).getByText("Allow once: waits for the connection.").waitFor();
  await page.unroute(answers);
  await bench.until(session, "decision.resolved");
  await page
    .getByText(/reconnecting/)
    .first()
    .waitFor();
  proxy.restore();
  await card(page)
    .getByText(/allowed by/)
    .waitFor();
  expect(await readOutcomes(session)).toEqual(["allowed"]);

  // An answer that waits for the connection is taken back, and is not sent after it.
  await openCard();
  await page.locator("[data-armed=true]").waitFor();
  proxy.cut("blackhole");
  await page.locator("[data-freshness=stale]").waitFor();
  await press(page, /^Deny( n)?$/);
  await card(page).getByText("Deny: waits for the connection.").waitFor();
  await page.getByRole("button", { name: "Do not send it" }).click();
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  proxy.restore();
  await page.locator("[data-freshness=live]").waitFor();
  expect(await readOutcomes(session)).toEqual(["allowed"]);

  // One that waits is answered elsewhere meanwhile. The card says by whom, and not that it was this page's.
  proxy.cut("drop");
  await page.locator("[data-freshness=stale]").waitFor();
  await press(page, /^Deny( n)?$/);
  await card(page).getByText("Deny: waits for the connection.").waitFor();
  const [open] = (await bench.fairlead.decisions()).filter((one) => one.session === session);
  await bench.fairlead.answer(session, open?.decision ?? "", { type: "allow" });
  proxy.restore();
  await card(page)
    .getByText(/allowed by/)
    .waitFor();
  expect(await readOutcomes(session)).toEqual(["allowed", "allowed"]);

  // A view that is opened during an outage is loaded after it, without a click.
  proxy.cut("drop");
  await page.locator("[data-freshness=stale]").waitFor();
  await page.getByRole("link", { name: "Agents" }).first().click();
  await page.getByRole("alert").getByText("This view cannot be loaded: the service cannot be reached.").waitFor();
  proxy.restore();
  await page.getByText("Scripted agent").first().waitFor();

  // A message that is sent during an outage arrives once, and one that the page gave up is still in the field.
  await page.goto(`${at}/s/${session}`);
  const message = page.getByLabel("Message to the agent");
  await message.fill(scripted("Queued offline", [{ text: "Done." }]));
  proxy.cut("drop");
  await page.locator("[data-freshness=stale]").waitFor();
  await page.getByRole("button", { name: "Queue" }).click();
  proxy.restore();
  await expect.poll(() => message.inputValue()).toBe("");
  await expect.poll(async () => (await bench.fairlead.session(session)).queued).toBe(1);

  // So does the start of a session.
  await page.goto(`${at}/start`);
  await page.getByRole("radio", { name: /Scripted/ }).check();
  await page.getByLabel("Folder").fill(bench.shared.workspace);
  await page
    .getByRole("textbox", { name: "First message", exact: true })
    .fill(scripted("Started offline", [{ text: "Begun." }]));
  await page.getByRole("textbox", { name: /^Name/ }).fill("offline");
  await page.reload();
  expect(await page.getByRole("textbox", { name: /^Name/ }).inputValue()).toBe("offline");
  await expect.poll(() => page.getByRole("button", { name: "Start" }).isEnabled()).toBe(true);
  proxy.cut("drop");
  await page.locator("[data-freshness=stale]").waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("button", { name: "Starting…" }).waitFor();
  proxy.restore();
  await page.getByText("Begun.", { exact: true }).waitFor();
  const { sessions } = await bench.fairlead.sessions({ order: "session" });
  expect(sessions.filter(({ name }) => name === "offline")).toHaveLength(1);
});

test("a page that is opened while the service does not say what it may do shows no control, and then its controls", async () => {
  const session = await bench.start("Hello", [{ text: "Hello." }]);
  const { page } = await bench.openPage("/inbox", { user: "driver" });
  // Not `waitForFunction`, which the policy of the page refuses.
  await expect.poll(() => page.evaluate(`sessionStorage.getItem("fairlead.grant")`)).not.toBeNull();
  await page.evaluate(`sessionStorage.removeItem("fairlead.grant")`);
  await page.route("**/v1/grant", (route) => route.abort());
  await page.goto(`${bench.shared.url}/s/${session}`);
  await page.getByText("The service has not said yet what this page may do.").first().waitFor();
  expect(await page.getByRole("button", { name: "Send", exact: true }).count()).toBe(0);
  await page.unroute("**/v1/grant");
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  // A reload during an outage knows what the service said before.
  await page.route("**/v1/grant", (route) => route.abort());
  await page.reload();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
});
