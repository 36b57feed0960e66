/** How often something can be tried again within a time, if the pauses double from the first one to the longest. */
export function retriesWithin(time: number, pauses: { readonly first: number; readonly longest: number }): number {
  let retries = 0;
  let pause = pauses.first;
  for (let waited = pause; waited <= time; waited += pause) {
    retries += 1;
    pause = Math.min(2 * pause, pauses.longest);
  }
  return retries;
}
