import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench, scripted } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

const viewport = { width: 1500, height: 1600 };
const write = (path: string): object => ({ name: "write", input: { path, content: "x" } });

/** The answers of a session, with the file that each is about. */
async function readAnswers(session: string): Promise<string[]> {
  const files = new Map<string, string>();
  const answers: string[] = [];
  for await (const event of bench.fairlead.events(session)) {
    if (!("body" in event)) continue;
    const { body } = event;
    if (body.type === "decision.requested") files.set(body.decision, (body.input as { path: string }).path);
    if (body.type === "decision.resolved") answers.push(`${files.get(body.decision)} ${body.outcome}`);
  }
  return answers;
}

const cardOf = (page: Page, file: string): Locator => page.getByRole("article").filter({ hasText: file });
const isReady = (card: Locator): Promise<void> => card.locator("[data-armed=true]").waitFor();
const pathOf = (page: Page): string => new URL(page.url()).pathname;

/** Uses a button of a card until the card has taken the answer: a card that has just moved takes none. */
async function useUntil(button: Locator, act: (button: Locator) => Promise<void>): Promise<void> {
  await expect
    .poll(async () => {
      await act(button).catch(() => {}); // it is gone
      return await button.count();
    })
    .toBe(0);
}

/** Selects a session in the list, for the preview. */
async function preview(page: Page, session: string): Promise<void> {
  await page.locator(`[data-session="${session}"]`).focus();
  await page.locator(`[data-session="${session}"][aria-current]`).waitFor();
}

test("keys answer only the request that the person has chosen, and Enter presses the button that has the focus", async () => {
  const files = ["one.txt", "two.txt", "three.txt", "four.txt"];
  const session = await bench.start("Write", [{ tools: files.map(write) }], { name: "four-requests" });
  await expect.poll(async () => (await bench.fairlead.session(session)).waitingFor.length).toBe(4);
  const { page } = await bench.openPage("/", { viewport });
  await preview(page, session);
  const [one, two, three, four] = files.map((file) => cardOf(page, file)) as [Locator, Locator, Locator, Locator];

  // With several requests and none chosen, keys answer nothing. Later answers show that this one was not given.
  for (const card of [one, two]) await isReady(card);
  await page.keyboard.press("y");
  expect(await page.locator("[data-keys=true]").count()).toBe(0);
  await one.getByText("Select it for keys").waitFor();

  // One that is chosen by pointer, then one by the focus, with Enter on its button: the session is not opened.
  await one.getByRole("heading").first().click();
  await one.getByText("Has the keys").waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("n");
      return await readAnswers(session);
    })
    .toEqual(["one.txt denied"]);
  const deny = (card: Locator): Locator => card.getByRole("button", { name: "Deny", exact: true });
  await deny(two).focus();
  await two.getByText("Has the keys").waitFor();
  await useUntil(deny(two), (button) => button.press("Enter", { timeout: 1000 }));
  await expect.poll(() => readAnswers(session)).toEqual(["one.txt denied", "two.txt denied"]);
  expect(pathOf(page)).toBe("/");

  // Only the last closed one is left of the closed ones. A key that is pressed again answers none of the others.
  await two.and(page.locator("[data-status=closed]")).waitFor();
  expect(await one.count()).toBe(0);
  for (const card of [three, four]) await isReady(card);
  await page.keyboard.press("n");
  const working = page.getByRole("button", { name: /^Working/ });
  await working.focus();
  await page.keyboard.press("Enter");
  await page.locator("button[aria-pressed=true]", { hasText: "Working" }).waitFor();
  expect(pathOf(page)).toBe("/");
  expect(await readAnswers(session)).toHaveLength(2);
  await working.press("Enter");

  // The list has its keys where no button has the focus, and in its rows.
  await page.locator(`[data-session="${session}"]`).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => pathOf(page)).toBe(`/s/${session}`);

  // The timeline shows both. A tab with an answer that is not sent asks before it closes.
  await isReady(three);
  await isReady(four);
  await page.keyboard.press("y");
  expect(await page.locator("[data-keys=true]").count()).toBe(0);
  await page.route("**/answers", () => {});
  await useUntil(deny(three), (button) => button.click({ timeout: 1000 }));
  await three.getByText("sending").waitFor();
  const asked = page.waitForEvent("dialog");
  void page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  expect(await readAnswers(session)).toHaveLength(2);
});

/** Moves a region with the wheel until all of a card is in it, and waits until the card takes answers. */
async function bring(page: Page, region: Locator, card: Locator): Promise<void> {
  await card.waitFor();
  await region.hover();
  const look = async (): Promise<string> => {
    const [inner, outer] = await Promise.all([card.boundingBox(), region.boundingBox()]);
    if (inner === null || outer === null) return "gone";
    if (inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height) return "whole";
    await page.mouse.wheel(0, inner.y - outer.y - 8);
    return `from ${inner.y} to ${inner.y + inner.height} in ${outer.y} to ${outer.y + outer.height}`;
  };
  // The list may still move after a turn of the wheel.
  await expect.poll(look, { interval: 500 }).toBe("whole");
  await isReady(card);
}

test.each(["preview", "session"])("two requests in a %s in a small window are answered one by one", async (place) => {
  const session = await bench.start("Write", [{ tools: ["one.txt", "two.txt"].map(write) }], {
    name: `small-${place}`,
  });
  await expect.poll(async () => (await bench.fairlead.session(session)).waitingFor.length).toBe(2);
  const isPreview = place === "preview";
  const { page } = await bench.openPage(isPreview ? "/" : `/s/${session}`, { viewport: { width: 1280, height: 800 } });
  if (isPreview) await preview(page, session);
  const region = isPreview ? page.getByLabel("Preview", { exact: true }) : page.getByRole("log", { name: "Timeline" });
  const [one, two] = [cardOf(page, "one.txt"), cardOf(page, "two.txt")];

  // Each is read once. The keys then answer the chosen one, and never the one that remains, which a key would deny.
  await bring(page, region, two);
  await bring(page, region, one);
  await one.getByRole("heading").first().click();
  await one.getByText("Has the keys").waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("n");
      return await readAnswers(session);
    })
    .toEqual(["one.txt denied"]);
  await bring(page, region, two);
  await page.keyboard.press("n");
  await useUntil(two.getByRole("button", { name: /^Allow once/ }), (button) => button.click({ timeout: 1000 }));
  await expect.poll(() => readAnswers(session)).toEqual(["one.txt denied", "two.txt allowed"]);
});

test("a message that is sent again after an unknown outcome counts once, and what was typed meanwhile stays", async () => {
  const session = await bench.start("Work", [{ text: "Working." }, { hang: true }]);
  await bench.until(session, "text.ended");
  const { page } = await bench.openPage(`/s/${session}`);
  const message = page.getByLabel("Message to the agent");
  const queue = page.getByRole("button", { name: "Queue" });
  const text = scripted("Next", [{ text: "Next." }]);
  // The service has the message, and the page is not told.
  const json = { type: "about:blank", title: "No", status: 500, detail: "Nobody knows.", code: "indeterminate" };
  const messages = (url: URL): boolean => url.pathname.endsWith(`/sessions/${session}/messages`);
  await page.route(messages, async (route) => {
    await route.fetch();
    await route.fulfill({ status: 500, json });
  });
  await message.fill(text);
  await queue.click();
  await page.getByText("(indeterminate)").waitFor();
  expect((await bench.fairlead.session(session)).queued).toBe(1);
  await page.unroute(messages);

  const released = Promise.withResolvers<void>();
  await page.route(messages, async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.reload();
  await queue.click();
  await message.fill(`${text}\n\nAnd then this.`);
  released.resolve();
  await expect.poll(() => message.inputValue()).toBe("And then this.");
  expect((await bench.fairlead.session(session)).queued).toBe(1);
  await bench.fairlead.stop(session);
});
