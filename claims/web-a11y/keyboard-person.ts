import type { Page } from "playwright-core";

/** What has the focus: its words, and whether it can be seen that it has it. */
interface FocusedElement {
  readonly words: string;
  readonly isMarked: boolean;
}

const readFocus = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { words: "", isMarked: true };
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const label = element.labels?.[0]?.textContent ?? "";
  const words = [element.getAttribute("aria-label") ?? "", label, element.textContent ?? ""].find((one) => one.trim() !== "") ?? "";
  const isMarked = (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || element.closest(".xterm") !== null;
  return { words: words.trim(), isMarked };
})()`;

const maxStops = 120;

/** A person who has a keyboard and no pointer. */
export class KeyboardPerson {
  readonly page: Page;
  /** Elements that had the focus without a mark that shows it. */
  readonly unmarked = new Set<string>();

  constructor(page: Page) {
    this.page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  readFocus(): Promise<FocusedElement> {
    return this.page.evaluate<FocusedElement>(readFocus);
  }

  /** Presses Tab until an element has the focus whose words begin with these. */
  async tabTo(words: string): Promise<void> {
    for (let stop = 0; stop < maxStops; stop += 1) {
      const focused = await this.readFocus();
      if (stop > 0 && !focused.isMarked) this.unmarked.add(focused.words.slice(0, 60));
      if (focused.words.startsWith(words)) return;
      await this.press("Tab");
    }
    throw new Error(`Tab does not reach “${words}”.`);
  }

  async tabAndEnter(words: string): Promise<void> {
    await this.tabTo(words);
    await this.press("Enter");
  }

  /** Opens a session or does something by its words. */
  async usePalette(text: string): Promise<void> {
    await this.press("Control+k");
    await this.page.getByRole("combobox", { name: "Search sessions and actions" }).waitFor();
    await this.type(text);
    await this.press("Enter");
  }

  /** Waits until the address has this path. */
  waitForPath(path: RegExp): Promise<void> {
    return this.page.waitForURL(({ pathname }) => path.test(pathname), { timeout: 30_000 });
  }

  waitForText(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  async waitUntilArmed(): Promise<void> {
    await this.page.locator("[data-armed=true]").waitFor();
  }
}
