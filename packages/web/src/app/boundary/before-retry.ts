const actions = new Set<() => void>();

/** Registers what is done before a part of the page that has failed is shown again. */
export function onBeforeRetry(action: () => void): void {
  actions.add(action);
}

/** Drops what would make a part fail again in the same way, such as an answer that it cannot show. */
export function prepareRetry(): void {
  for (const action of actions) action();
}
