import { inboxPath } from "../../packages/web/src/state/inbox/inbox-path.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

const write = (path: string): object => ({ tools: [{ name: "write", input: { path, content: "x" } }] });

test("an address with a name leads to the session, and an answer there to what follows", async () => {
  const steps = [{ flood: { lines: 40 } }, write("one.txt"), { flood: { lines: 10 } }, write("two.txt")];
  const session = await bench.start("Write twice", steps, { name: "by-name" });
  await bench.until(session, "decision.requested");
  const [request] = (await bench.fairlead.decisions()).filter((one) => one.session === session);

  const { page, problems } = await bench.openPage(inboxPath({ session: "by-name", decision: request!.decision }));
  const allow = page.getByRole("button", { name: /^Allow once/ });
  await allow.waitFor();
  expect(new URL(page.url()).pathname).toBe(inboxPath(request!));

  await page.goto(`${bench.shared.url}/s/by-name`);
  await allow.waitFor();
  expect(new URL(page.url()).pathname).toBe(`/s/${session}`);

  // A person moves up to read the request, answers it, and sees the next one.
  const log = page.getByRole("log", { name: "Timeline" });
  const distance = () => log.evaluate((list) => Math.round(list.scrollHeight - list.clientHeight - list.scrollTop));
  await log.hover();
  await page.mouse.wheel(0, -20);
  await expect.poll(distance).toBeGreaterThan(1);
  // A click that waits for the button lets the driver move the list, and a card that has just moved takes no answer.
  const one = log.getByRole("article").filter({ hasText: "one.txt" });
  await expect
    .poll(async () => {
      await one
        .locator("[data-armed=true]")
        .waitFor({ timeout: 5000 })
        .catch(() => {}); // it is gone
      await one
        .getByRole("button", { name: /^Allow once/ })
        .click({ timeout: 1000 })
        .catch(() => {});
      return await one.count();
    })
    .toBe(0);
  await log.getByText("two.txt", { exact: true }).nth(2).waitFor();
  await expect.poll(distance).toBeLessThanOrEqual(1);
  expect(await page.getByRole("button", { name: /new ↓|To the end/ }).count()).toBe(0);
  expect(problems).toEqual([]);
});
