/** Waits, but not longer than until the browser says that the network is there again, or until the signal aborts. */
export function waitOrOnline(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      removeEventListener("online", finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    addEventListener("online", finish);
    signal.addEventListener("abort", finish);
  });
}
