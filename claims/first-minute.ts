import { firstMinute } from "../scripts/first-minute.ts";
import type { Claim } from "./claim.ts";

const seconds = 30;

export const firstMinuteClaim: Claim = {
  id: "first-minute",
  says: "From the first command that a newcomer types, with nothing in npm's cache, to the first event on the screen.",
  bound: `under ${seconds} s, fetched from the registry`,
  async prove() {
    const { install, firstEvent } = await firstMinute();
    const [installed, shown] = [install / 1000, firstEvent / 1000];
    const total = installed + shown;
    return {
      measured: `${total.toFixed(1)} s: ${installed.toFixed(1)} s to install with an empty cache, ${shown.toFixed(1)} s to the first event`,
      holds: total < seconds,
    };
  },
};
