import type { ComponentType } from "react";

/** Loads the code of a session's view. */
export async function loadSessionView(): Promise<ComponentType> {
  return (await import("../views/session/session-details.tsx")).SessionDetails;
}

/** Begins to load it while the frame of the page is loaded too, if the address is that of a session. */
export function loadSessionViewEarly(path: string): void {
  // A failure is shown by the view, which loads the code again.
  if (/^\/s\/[^/]+\/?$/.test(path)) loadSessionView().catch(() => {});
}
