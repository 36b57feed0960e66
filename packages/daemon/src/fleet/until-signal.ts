/**
 * Resolves with the first signal that asks this process to stop. A second one ends the process at once, as by default. Does not
 * resolve after `canceled` aborts.
 */
export async function untilSignal(canceled?: AbortSignal): Promise<NodeJS.Signals> {
  const signals = ["SIGTERM", "SIGINT"] as const;
  return await new Promise((resolve) => {
    const stop = (): void => {
      for (const one of signals) process.off(one, onSignal);
    };
    const onSignal = (signal: NodeJS.Signals): void => {
      stop();
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, onSignal);
    canceled?.addEventListener("abort", stop, { once: true });
  });
}
