/** What the page shows of a session: the time in the newest text of its agent, and when it was on the screen. */
export interface ShownTime {
  readonly session: string;
  /** Milliseconds since 1970, by the clock of the agent. */
  readonly saidAt: number;
  readonly shownAt: number;
}

/**
 * Records in the page when rows show another text. The agents write the time, so that the text of a row is the age of what it
 * shows. A text is on the screen in the frame after the change.
 */
export const recordRowTimes = `(() => {
  const shown = (globalThis.shownTimes = []);
  const readRow = (row) => {
    const said = /\\b(\\d{10}\\.\\d+)/.exec(row.textContent)?.[1];
    if (said !== undefined && row.dataset.said !== said) {
      row.dataset.said = said;
      const entry = { session: row.dataset.session, saidAt: Number(said) * 1000, shownAt: 0 };
      shown.push(entry);
      requestAnimationFrame(() => (entry.shownAt = performance.timeOrigin + performance.now()));
    }
  };
  const read = () => document.querySelectorAll("[data-session]").forEach(readRow);
  new MutationObserver(read).observe(document.querySelector("[data-testid=sessions]"), {
    subtree: true, childList: true, characterData: true,
  });
})()`;

/**
 * Returns how long each event took until the page showed it or a later one. The page shows at most four states a second, so
 * one change of a row shows several events: those that the agent wrote, one every `beat` milliseconds, since the last one.
 */
export function listDelays(shown: readonly ShownTime[], beat: number): number[] {
  const lastBySession = new Map<string, number>();
  const delays: number[] = [];
  for (const { session, saidAt, shownAt } of shown) {
    const last = lastBySession.get(session);
    lastBySession.set(session, saidAt);
    // What came before the first text of a row was not waited for: the row was scrolled into view or just created.
    if (last === undefined || saidAt <= last || shownAt === 0) continue;
    for (let at = saidAt; at > last + beat / 2; at -= beat) delays.push(shownAt - at);
  }
  return delays;
}
