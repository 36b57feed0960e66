import type { Page } from "playwright-core";

/** What a picture shows: where the page is, and what a person does there first. */
export interface PageView {
  readonly name: string;
  /** The path; a name in brackets is a session of the stories. */
  readonly path: string;
  /** A text that is there once the view is complete. */
  readonly shows: string | RegExp;
  /** What a person does before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** Only in a window of this width or less. */
  readonly maxWidth?: number;
}

const tab = (name: string) => async (page: Page) => {
  await page.getByRole("navigation", { name: "Parts of the session" }).getByRole("button", { name }).click();
};

/** The views with sessions in every state. */
export const busyViews: readonly PageView[] = [
  {
    name: "sessions",
    path: "/",
    shows: "payments-retry",
    act: async (page) => {
      const { width = 0 } = page.viewportSize() ?? {};
      if (width >= 1024) await page.locator("[data-armed=true]").waitFor();
    },
  },
  { name: "session-waiting", path: "/s/[payments-retry]", shows: /npm publish/ },
  { name: "session-working", path: "/s/[parser-ast]", shows: /sleep 3600/ },
  { name: "session-streaming", path: "/s/[flaky-login]", shows: /redirect has ended/ },
  { name: "session-failed", path: "/s/[rate-limits]", shows: /middleware/ },
  { name: "session-start", path: "/s/[payments-retry]#1", shows: /Why do retries/ },
  { name: "session-turns", path: "/s/[payments-retry]", shows: /npm publish/, act: tab("Turns"), maxWidth: 1023 },
  {
    name: "session-changes",
    path: "/s/[payments-retry]",
    shows: /npm publish/,
    act: async (page) => {
      await tab("Changes")(page);
      await page.getByText("budget.ts").filter({ visible: true }).first().waitFor();
    },
    maxWidth: 1023,
  },
  { name: "session-files", path: "/s/[payments-retry]", shows: /npm publish/, act: tab("Files") },
  { name: "session-plan", path: "/s/[payments-retry]", shows: /npm publish/, act: tab("Plan") },
  { name: "session-raw", path: "/s/[payments-retry]", shows: /npm publish/, act: tab("Raw") },
  { name: "session-ended", path: "/s/[license-year]", shows: /The year is 2026/ },
  { name: "inbox", path: "/inbox", shows: "moves a shared ref" },
  {
    name: "inbox-question",
    path: "/inbox",
    shows: "moves a shared ref",
    act: (page) => page.getByRole("button", { name: /schema-split/ }).click(),
  },
  {
    name: "inbox-words",
    path: "/inbox",
    shows: "moves a shared ref",
    act: (page) => page.getByRole("button", { name: "Say why…" }).click(),
  },
  {
    name: "inbox-edit",
    path: "/inbox",
    shows: "moves a shared ref",
    act: (page) => page.getByRole("button", { name: "Edit…" }).click(),
  },
  { name: "terminal-prompt", path: "/s/[build-time]/terminal", shows: /hand\s+back/ },
  { name: "replay", path: "/s/[payments-retry]/replay", shows: /Event \d+ of/ },
  { name: "agents", path: "/agents", shows: /installed on/ },
  { name: "start", path: "/start", shows: "First message" },
  {
    name: "palette",
    path: "/",
    shows: "payments-retry",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search sessions and actions" }).fill("re");
    },
  },
  {
    name: "keys",
    path: "/",
    shows: "payments-retry",
    act: async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
    },
  },
];

/** The views of a service whose sessions used tokens in the last week. */
export function usageViews(name: string): readonly PageView[] {
  const choose = (chip: string) => async (page: Page) => {
    await page.getByRole("button", { name: chip, exact: true }).click();
    await page.getByText("Cost, as reported").waitFor();
  };
  const view = { path: "/usage", shows: "Requests waited" };
  return [
    { ...view, name },
    { ...view, name: `${name}-today`, act: choose("Today") },
    {
      ...view,
      name: `${name}-month-models`,
      act: async (page) => {
        await choose("30 days")(page);
        await choose("model")(page);
      },
    },
    { ...view, name: `${name}-all`, act: choose("All sessions that are kept") },
  ];
}

/** The views of a service that never had a session. */
export const emptyViews: readonly PageView[] = [
  { name: "empty-sessions", path: "/", shows: "No sessions yet" },
  { name: "empty-inbox", path: "/inbox", shows: /Nothing waits/ },
  { name: "empty-usage", path: "/usage", shows: /No turn ended/ },
  { name: "empty-agents", path: "/agents", shows: /installed on/ },
];
