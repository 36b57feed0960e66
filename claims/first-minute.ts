import { runFirstFiveMinutes } from "../scripts/first-five-minutes.ts";
import type { Claim } from "../measure/claim.ts";

const maxSeconds = 30;

export const firstMinuteClaim: Claim = {
  id: "first-minute",
  statement: "The time from a newcomer's first command, with an empty npm cache, to the first event on the screen.",
  bound: `under ${maxSeconds} s, installed from the registry`,
  async prove() {
    const { install, firstEvent } = await runFirstFiveMinutes();
    const [installSeconds, firstEventSeconds] = [install / 1000, firstEvent / 1000];
    const total = installSeconds + firstEventSeconds;
    return {
      measured: `${total.toFixed(1)} s: ${installSeconds.toFixed(1)} s to install with an empty cache, ${firstEventSeconds.toFixed(1)} s to the first event`,
      holds: total < maxSeconds,
    };
  },
};
