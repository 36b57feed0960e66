import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import { EarlierCheckout } from "../../measure/earlier-checkout.ts";
import { median } from "../../measure/quantile.ts";
import { measureCheckout, type Speed } from "./measure-checkout.ts";

/** The last commit at which runtime and service opened SQLite files themselves. */
const before = "ad3a9e9e";
const rounds = 9;
const tolerance = 0.1;
const repository = join(import.meta.dirname, "../..");

/** One round: the earlier commit twice, so that the difference between two equal programs is known, and this one. */
interface Round {
  readonly old: Speed;
  readonly oldAgain: Speed;
  readonly current: Speed;
}

export const seams: Claim = {
  id: "seams",
  statement:
    "The interfaces of an engine cost a laptop nothing: latency and throughput are those of the commit before.",
  bound: `median of ${rounds} alternating pairs within ${tolerance * 100} % of the commit before, for both`,
  async prove() {
    using earlier = new EarlierCheckout(before);
    const all: Round[] = [];
    for (let round = 0; round < rounds; round += 1) all.push(await measureRound(earlier.folder, round));
    const latency = compare(all, ({ latency }) => latency);
    const throughput = compare(all, ({ throughput }) => throughput);
    return {
      measured: `latency ${latency.text}; throughput ${throughput.text}`,
      holds: latency.ratio <= 1 + tolerance && throughput.ratio >= 1 - tolerance,
    };
  },
};

/** Measures in an order that changes, because the load on a shared machine varies. */
async function measureRound(folder: string, round: number): Promise<Round> {
  const results: Partial<Record<keyof Round, Speed>> = {};
  const names = ["old", "current", "oldAgain"] as const;
  for (let step = 0; step < names.length; step += 1) {
    const name = names[(step + round) % names.length] ?? "old";
    results[name] = await measureCheckout(name === "current" ? repository : folder);
  }
  return results as Round;
}

function compare(
  all: readonly Round[],
  of: (speed: Speed) => number,
): { readonly ratio: number; readonly text: string } {
  const format = (values: readonly number[]): string => {
    const sorted = values.toSorted((a, b) => a - b);
    return `${median(values).toFixed(2)} × (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`;
  };
  const ratios = all.map((round) => of(round.current) / of(round.old));
  const control = all.map((round) => of(round.oldAgain) / of(round.old));
  return { ratio: median(ratios), text: `${format(ratios)}, the earlier commit against itself ${format(control)}` };
}
