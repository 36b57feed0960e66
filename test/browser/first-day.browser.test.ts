import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

const phone = { viewport: { width: 393, height: 760 } };

/** Starts a session whose agent asks whether commands may run, and waits for the first question. */
async function startAsking(name: string, commands: readonly string[]): Promise<string> {
  const steps = commands.map((command) => ({ tools: [{ name: "run", input: { command } }] }));
  const session = await bench.start("Asks", steps, { name });
  await bench.until(session, "decision.requested");
  return session;
}

const armed = (page: Page): Promise<void> => page.locator("[data-armed=true]").waitFor();

/** Turns the wheel in the middle of the timeline, where the card is, until an element is in the window. */
async function wheelTo(page: Page, target: Locator, step: number): Promise<void> {
  await page.mouse.move(200, 400);
  await expect
    .poll(async () => {
      const top = await target.evaluate((element) => {
        const { x, y } = element.getBoundingClientRect();
        const found = element.ownerDocument.elementFromPoint(x + 4, y + 4);
        return found !== null && element.contains(found);
      });
      if (!top) await page.mouse.wheel(0, step);
      return top;
    })
    .toBe(true);
}

test("a long request in a session is answered on a phone, for later ones, too", async () => {
  // Long enough that the card is higher than the timeline.
  const command = `rarelyseen report ${"seldom-used-word ".repeat(50)}`;
  const session = await startAsking("small", [command]);
  const { page } = await bench.openPage(`/s/${session}`, phone);
  const card = page.getByRole("article");
  await card.waitFor();
  const choose = card.getByRole("button", { name: "Allow for…" });
  await wheelTo(page, card.getByRole("heading").first(), -120);
  await wheelTo(page, choose, 120);
  await choose.click();
  const always = card.getByText("From now on, as a rule of your policy");
  await wheelTo(page, always, -120);
  // The request stays readable beside the form.
  expect(await card.getByText("seldom-used-word").count()).toBeGreaterThan(0);
  await always.click();
  await wheelTo(page, card.getByRole("button", { name: "Allow from now on" }), 120);
  await armed(page);
  await card.getByRole("button", { name: "Allow from now on" }).click();
  await bench.until(session, "decision.resolved");
});

test("requests are answered one after the other by keys only", async () => {
  const sessions = [await startAsking("keys-a", ["rm -r one"]), await startAsking("keys-b", ["rm -r two"])];
  const { page } = await bench.openPage("/inbox");
  const card = page.getByRole("article");
  await card.waitFor();
  const nameOf = async (): Promise<string> => (await card.getAttribute("aria-label")) ?? "";
  // One session may have several requests.
  const cardOf = async (): Promise<string> => `${await nameOf()} ${await card.getAttribute("data-decision")}`;
  for (const name of ["keys-a", "keys-b"]) {
    // Other tests leave requests, too.
    while (!(await nameOf()).endsWith(name)) {
      const before = await cardOf();
      await page.keyboard.press("j");
      await expect.poll(cardOf).not.toBe(before);
    }
    await armed(page);
    await page.keyboard.press("n");
    await page.locator("article[data-status=closed]").waitFor();
    await page.keyboard.press("Enter");
    await page.locator("article[data-status=closed]").waitFor({ state: "detached" });
  }
  for (const session of sessions) await bench.until(session, "decision.resolved");
});

test("a page without its service says what starts it, and a list on a phone says whose and where", async () => {
  await startAsking("listed", ["rm -r three"]);
  const { page } = await bench.openPage("/", phone);
  const row = page.locator("[data-session]", { hasText: "listed" });
  await row.getByText("Scripted agent").first().waitFor();
  await page.route("**/v1/**", (route) => route.abort());
  await page.context().setOffline(true);
  await page.getByText("fairlead open", { exact: true }).waitFor();
});

test("a field that is closed says why once", async () => {
  const session = await startAsking("read-only", ["rm -r four"]);
  const { page } = await bench.openPage(`/s/${session}`, { user: "reader" });
  const reason = "Your access has no scope “drive”, so it cannot send messages.";
  await page.getByText(reason).waitFor();
  expect(await page.getByPlaceholder(reason).count()).toBe(0);
});

test("a session is stopped only after a second step", async () => {
  const session = await startAsking("stopped", ["rm -r five"]);
  const { page } = await bench.openPage(`/s/${session}`);
  const askToStop = async (): Promise<void> => {
    await page.getByRole("button", { name: "More commands" }).click();
    await page.getByRole("menuitem", { name: "Stop", exact: true }).click();
  };
  await askToStop();
  await page.getByRole("button", { name: "Keep it running" }).click();
  expect((await bench.fairlead.session(session)).state).toBe("waiting");
  await askToStop();
  await page.getByRole("button", { name: "Stop the session" }).click();
  await bench.until(session, "session.ended");
});
