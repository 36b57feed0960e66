const storageKey = (session: string): string => `fairlead.taken.${session}`;

/** Remembers that this tab leads a session, so that a reload of the page does not ask again. */
export function rememberTaken(session: string): void {
  sessionStorage.setItem(storageKey(session), "yes");
}

export function forgetTaken(session: string): void {
  sessionStorage.removeItem(storageKey(session));
}

export function isTaken(session: string): boolean {
  return sessionStorage.getItem(storageKey(session)) !== null;
}
