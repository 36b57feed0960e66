import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { busyViews, emptyViews } from "../../scripts/web-pictures/page-views.ts";
import { stories } from "../../scripts/web-pictures/stories.ts";
import { StoryService } from "../../scripts/web-pictures/story-service.ts";
import { findViolations } from "./find-violations.ts";

/** The last one is a window of 1280 px with the page enlarged to 400 %. */
const widths = [3840, 1280, 768, 393, 360, 320] as const;
const themes = ["dark", "light"] as const;

export interface ViewsResult {
  readonly views: number;
  readonly checks: number;
  readonly violations: readonly string[];
  /** What is found once a label, a color or a role is taken away. */
  readonly control: readonly string[];
  readonly problems: readonly string[];
}

/** Checks every view in every theme and width with axe. Only views whose names contain `only`. */
export async function checkViews(only = ""): Promise<ViewsResult> {
  const violations = new Set<string>();
  const problems: string[] = [];
  let [views, checks] = [0, 0];
  let control: string[] = [];
  for (const [told, all] of [
    [stories, busyViews],
    [[], emptyViews],
  ] as const) {
    const wanted = all.filter(({ name }) => name.includes(only));
    if (wanted.length === 0) continue;
    await using service = await StoryService.open(told);
    await using browser = await TestBrowser.launch();
    const opened = await browser.open(service.url, {
      token: await service.issueToken("read", "drive", "approve", "admin"),
    });
    const { page } = opened;
    for (const view of wanted) {
      views += 1;
      const fitting = widths.filter((width) => width <= (view.maxWidth ?? Infinity));
      await page.setViewportSize({ width: view.maxWidth ?? 1280, height: 800 });
      await service.show(page, view);
      for (const width of fitting) {
        await page.setViewportSize({ width, height: width === 320 ? 200 : 800 });
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme });
          // Two frames: what depends on the width is there after them.
          await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
          checks += 1;
          for (const found of await findViolations(page)) {
            violations.add(`${view.name} ${width} ${theme}: ${found}`);
            console.error(`${view.name} ${width} ${theme}: ${found}`);
          }
        }
      }
      if (view.name === "sessions") control = await findInDamaged(page);
    }
    problems.push(...opened.problems);
  }
  return { views, checks, violations: [...violations], control, problems };
}

/** Takes a label away, and the contrast of a text. Returns what is found then. */
async function findInDamaged(page: Parameters<typeof findViolations>[0]): Promise<string[]> {
  await page.evaluate(`
    document.querySelector("input[type=search]").removeAttribute("aria-label");
    document.querySelector("input[type=search]").removeAttribute("placeholder");
    document.querySelector("header b").style.color = "rgb(128 128 128 / 30%)";
  `);
  return await findViolations(page);
}
