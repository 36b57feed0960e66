import type { Page } from "playwright-core";
import type { TimelineRow } from "../../packages/web/src/state/timeline/timeline-row.ts";
import type { Truth } from "./truth.ts";

/** Notes each change of what the top bar says of the connection, from the first one on. */
export const freshnessProbe = `
  window.freshnessLog = [];
  new MutationObserver(() => {
    const state = document.querySelector("[data-freshness]")?.dataset.freshness;
    if (state !== undefined && state !== window.freshnessLog.at(-1)) window.freshnessLog.push(state);
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-freshness"] });`;

/** Returns what the top bar has said since it was asked last. */
export async function takeFreshness(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>("window.freshnessLog.splice(0)");
}

/** Compares the list of sessions with their journals. Returns null, or how they differ. */
export async function compareSessions(page: Page, truth: Truth, sessions: readonly string[]): Promise<string | null> {
  const expected: Record<string, string> = {};
  for (const session of sessions) expected[session] = (await truth.readSession(session)).state;
  const shown = await page.evaluate<Record<string, string>>(`Object.fromEntries(
    [...document.querySelectorAll("[data-testid=sessions] [data-session]")].map((row) =>
      [row.dataset.session, row.firstElementChild.textContent]))`);
  return describeDifference(sortKeys(expected), sortKeys(shown));
}

/** Compares the open cards of the inbox with the open requests of the journals. */
export async function compareInbox(page: Page, truth: Truth, sessions: readonly string[]): Promise<string | null> {
  const expected: string[] = [];
  for (const session of sessions) expected.push(...(await truth.readSession(session)).openDecisions);
  const shown = await page.evaluate<string[]>(`[...document.querySelectorAll("[data-decision]")]
    .filter(({ dataset }) => dataset.status !== "closed").map(({ dataset }) => dataset.decision)`);
  return describeDifference(expected.toSorted(compareText), shown.toSorted(compareText));
}

interface ShownRow {
  readonly first: number;
  readonly text: string;
}

/** Compares the rows at the end of a session's timeline with those of its journal. */
export async function compareTimeline(page: Page, truth: Truth, session: string): Promise<string | null> {
  const rows = await truth.readRows(session);
  const shown = await page.evaluate<ShownRow[]>(`[...document.querySelectorAll("[role=log] [data-event]")].map((row) =>
    ({ first: Number(row.dataset.event), text: row.textContent }))`);
  if (shown.length === 0) return "no row is shown";
  const expected = rows.slice(-shown.length);
  const numbers = describeDifference(
    expected.map(({ first }) => first),
    shown.map(({ first }) => first),
  );
  if (numbers !== null) return numbers;
  const wrong = expected.find((row, at) => !squeeze(shown[at]?.text ?? "").includes(wordsOf(row)));
  return wrong === undefined ? null : `row ${wrong.first} lacks "${wordsOf(wrong)}"`;
}

/** Words that the row must have, whatever it looks like. */
function wordsOf(row: TimelineRow): string {
  if (row.type === "text" || row.type === "message") return squeeze(row.text).slice(0, 60);
  if (row.type === "tool") return row.state;
  return "";
}

function squeeze(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sortKeys(record: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
}

function describeDifference(expected: unknown, shown: unknown): string | null {
  const [wanted, found] = [JSON.stringify(expected), JSON.stringify(shown)];
  return wanted === found ? null : `expected ${wanted}, shown ${found}`;
}
