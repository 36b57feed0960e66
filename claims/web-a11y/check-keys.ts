import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { StoryService } from "../../scripts/web-pictures/story-service.ts";
import { keyStories, keyTasks } from "./key-tasks.ts";
import { KeyboardPerson } from "./keyboard-person.ts";

export interface KeysResult {
  readonly done: number;
  readonly failed: readonly string[];
  /** Elements that had the focus, which could not be seen. */
  readonly unmarked: readonly string[];
  /** How many of the first tasks can be done while the page gets no keys. */
  readonly control: number;
  readonly problems: readonly string[];
}

/** Does every task by keys alone. */
export async function checkKeys(only = ""): Promise<KeysResult> {
  await using service = await StoryService.open(keyStories);
  await using browser = await TestBrowser.launch();
  const token = await service.issueToken("read", "drive", "approve", "admin");
  const { page, problems } = await browser.open(service.url, { token, viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(30_000);
  const person = new KeyboardPerson(page);
  await person.waitForText("quiet-one");
  const failed: string[] = [];
  let done = 0;
  for (const { name, run } of keyTasks.filter((task) => task.name.includes(only))) {
    try {
      await run(person, service);
      done += 1;
    } catch (error) {
      failed.push(`${name}: ${String(error).split("\n")[0]}`);
    }
  }
  const deaf = await browser.open("about:blank");
  await deaf.context.addInitScript(`
    sessionStorage.setItem("fairlead.token", ${JSON.stringify(token)});
    addEventListener("keydown", (event) => event.stopImmediatePropagation(), true);`);
  await deaf.page.goto(service.url);
  deaf.page.setDefaultTimeout(3000);
  const other = new KeyboardPerson(deaf.page);
  await deaf.page.getByText("quiet-one").first().waitFor({ timeout: 30_000 });
  let control = 0;
  for (const { run } of keyTasks.slice(0, 2)) {
    try {
      await run(other, service);
      control += 1;
    } catch {
      // As expected: without keys nothing happens.
    }
  }
  return { done, failed, unmarked: [...person.unmarked], control, problems };
}
