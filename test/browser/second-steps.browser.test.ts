import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench, scripted } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

const messagesOf = async (session: string): Promise<string[]> => {
  const inputs: string[] = [];
  for await (const event of bench.fairlead.events(session))
    if ("body" in event && event.body.type === "turn.started") inputs.push(event.body.input.split(" SCRIPT")[0] ?? "");
  return inputs;
};

test("what a person does next with a session", async () => {
  const session = await bench.start("First", [{ text: "Working." }, { hang: true }], { name: "steps" });
  await bench.until(session, "text.ended");
  const { page, problems } = await bench.openPage("/s/steps", { user: "admin" });
  const message = page.getByLabel("Message to the agent");
  const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
  const choose = async (name: string): Promise<void> => {
    await page.getByRole("button", { name: "More commands" }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };

  // A name leads to the id, so that state and requests are current.
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/s/${session}`);
  await page.getByText("Working.", { exact: true }).waitFor();

  // A message is queued behind the turn, and starts when a person interrupts it.
  await message.fill(scripted("Second", [{ text: "After the interruption." }]));
  await page.getByRole("button", { name: "Queue" }).click();
  await expect.poll(() => message.inputValue()).toBe("");
  await button("Interrupt").click();
  await page.getByText("After the interruption.", { exact: true }).waitFor();
  expect(await messagesOf(session)).toEqual(["First", "Second"]);

  // Paused, the field says that the message resumes it.
  await choose("Pause");
  await page.getByText("The session is paused. The message resumes it.").waitFor();
  await message.fill(scripted("Third", [{ text: "Awake again." }]));
  await page.getByRole("button", { name: "Resume and send" }).click();
  await page.getByText("Awake again.", { exact: true }).waitFor();
  expect(await messagesOf(session)).toEqual(["First", "Second", "Third"]);

  // Stopped by another person while this one leads in the terminal.
  await page.goto(`${bench.shared.url}/s/${session}/terminal`);
  await button("Take over").click();
  await expect.poll(async () => (await bench.fairlead.session(session)).lead).toBe("human");
  await page.getByTestId("terminal").waitFor();
  await bench.fairlead.stop(session);
  await page
    .getByText(/session has ended/i)
    .first()
    .waitFor();
  await page.getByRole("link", { name: "Show the session" }).click();

  // An ended session continues as another one, and the old one stays as it was.
  await page.getByText("The session has ended. A new session continues the conversation.").waitFor();
  await message.fill(scripted("Fourth", [{ text: "Continued." }]));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Continued.", { exact: true }).waitFor();
  const next = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect(next).not.toBe(session);
  expect(await messagesOf(session)).toEqual(["First", "Second", "Third"]);
  expect((await bench.fairlead.session(next)).continues).toBe(session);

  // A name that no session has, and one that is no name at all.
  for (const wrong of ["no-such-session", "0000000000"]) {
    await page.goto(`${bench.shared.url}/s/${wrong}`);
    await page.getByRole("alert").getByText("(session-not-found)").waitFor();
  }
  await page.goto(`${bench.shared.url}/s/${session}/nothing`);
  await page.getByText("There is no such page.").waitFor();
  // Besides the wrong names, the terminal is taken again while the session ends, and is refused.
  expect(problems.filter((one) => !/status of (404|409)/.test(one))).toEqual([]);
});
