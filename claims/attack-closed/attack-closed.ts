import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import type { Attack } from "./attack.ts";
import { AttackTarget } from "./attack-target.ts";
import { attacks } from "./attacks/index.ts";
import { EarlierCheckout } from "./earlier-checkout.ts";

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
    const open = await runAll(chosen, thisCheckout, "now");
    using earlier = new EarlierCheckout(undefended);
    const withControl = chosen.filter(({ noControl }) => noControl === undefined);
    const succeededBefore = await runAll(withControl, earlier.folder, undefended);
    const unproven = withControl.filter((attack) => !succeededBefore.includes(attack));
    const without = chosen.filter(({ noControl }) => noControl !== undefined);
    return {
      measured:
        `${open.length} of ${chosen.length} attacks succeed${list(open)}; on ${undefended} ${succeededBefore.length} of ${withControl.length} did` +
        `${unproven.length > 0 ? `, not${list(unproven)}` : ""}; ${without.length} without a control${list(without)}`,
      holds: open.length === 0 && unproven.length === 0 && selected.length === 0,
    };
  },
};

const list = (found: readonly Attack[]): string =>
  found.length === 0 ? "" : ` (${found.map(({ id }) => id).join(", ")})`;

/** Runs attacks one after another, each with a daemon of its own. Returns those that succeed. */
async function runAll(chosen: readonly Attack[], checkout: string, label: string): Promise<Attack[]> {
  const succeeded: Attack[] = [];
  for (const attack of chosen) {
    const startedAt = performance.now();
    await using target = new AttackTarget(checkout);
    const outcome = await attack
      .run(target)
      .catch((error: unknown) => ({ succeeded: true, seen: `failed: ${String(error)}` }));
    if (outcome.succeeded) succeeded.push(attack);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${label} · ${attack.id} · ${outcome.succeeded ? "SUCCEEDS" : "closed"} · ${outcome.seen} · ${seconds} s`,
    );
  }
  return succeeded;
}
