import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import type { Attack } from "./attack.ts";
import { AttackTarget } from "./attack-target.ts";
import { attacks } from "./attacks/index.ts";
import { EarlierCheckout } from "../../measure/earlier-checkout.ts";
import { summarizeAttacks, type AttackResult } from "./summarize-attacks.ts";

/** The last commit without the defenses. */
const undefended = "608c6f6";
const thisCheckout = join(import.meta.dirname, "../..");
/** Names of attacks, to run only these: `ATTACKS=flipped-byte,poisoned-key`. The control is then run only for these. */
const selected = process.env["ATTACKS"]?.split(",") ?? [];

export const attackClosed: Claim = {
  id: "attack-closed",
  statement: "Hostile agents, tokens and files do not reach their goals.",
  bound: `0 attacks succeed; control: on ${undefended}, before the defenses, all succeed except the named ones`,
  async prove() {
    const chosen = attacks.filter(({ id }) => selected.length === 0 || selected.includes(id));
    const now = await runAll(chosen, thisCheckout, "now");
    using earlier = new EarlierCheckout(undefended);
    const withControl = chosen.filter(({ noControl }) => noControl === undefined);
    const before = await runAll(withControl, earlier.folder, undefended);
    const runs = chosen.map(({ id }) => {
      const control = before.get(id);
      return { id, now: now.get(id) ?? "failed", ...(control !== undefined && { before: control }) };
    });
    const { open, proven, unproven, withoutControl } = summarizeAttacks(runs);
    return {
      measured:
        `${open.length} of ${chosen.length} attacks succeed${list(open)}; on ${undefended} ${proven.length} of ${withControl.length} did` +
        `${unproven.length > 0 ? `, not${list(unproven)}` : ""}; ${withoutControl.length} without a control${list(withoutControl)}`,
      holds: open.length === 0 && unproven.length === 0 && selected.length === 0,
    };
  },
};

const list = (ids: readonly string[]): string => (ids.length === 0 ? "" : ` (${ids.join(", ")})`);

/** Runs attacks one after another, each with a daemon of its own. Returns their results by id. */
async function runAll(
  chosen: readonly Attack[],
  checkout: string,
  label: string,
): Promise<ReadonlyMap<string, AttackResult>> {
  const results = new Map<string, AttackResult>();
  for (const attack of chosen) {
    const startedAt = performance.now();
    await using target = new AttackTarget(checkout);
    const [result, seen] = await attack.run(target).then(
      (outcome) => [outcome.succeeded ? "succeeded" : "closed", outcome.seen] as const,
      (error: unknown) => ["failed", String(error)] as const,
    );
    results.set(attack.id, result);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(`${label} · ${attack.id} · ${result} · ${seen} · ${seconds} s`);
  }
  return results;
}
