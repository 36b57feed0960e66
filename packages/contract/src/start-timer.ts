/** The longest delay of `setTimeout`, 24.8 days. It calls back at once after any longer one. */
const maxDelay = 2 ** 31 - 1;

export interface TimerOptions {
  /** The timer does not keep the process running. */
  readonly background?: boolean;
}

/** Calls back once after a delay of any length in milliseconds, unless the result is disposed first. */
export function startTimer(
  milliseconds: number,
  callback: () => void,
  { background = false }: TimerOptions = {},
): Disposable {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (remaining: number): void => {
    timer =
      remaining > maxDelay ? setTimeout(() => wait(remaining - maxDelay), maxDelay) : setTimeout(callback, remaining);
    if (background) (timer as { unref?: () => void }).unref?.(); // browsers have no processes to keep running
  };
  wait(milliseconds);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
