import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import type { Attempt } from "./attempt.ts";
import { attempts } from "./attempts/index.ts";
import { runAttempts } from "./run-attempts.ts";

const checkout = join(import.meta.dirname, "../..");
/** Names of attempts, to run only these: `ATTEMPTS=git-hook,ssh-agent`. The claim then does not hold. */
const selected = process.env["ATTEMPTS"]?.split(",") ?? [];

export const sandboxEscape: Claim = {
  id: "sandbox-escape",
  statement: "An agent in a sandbox reaches neither Fairlead, nor the user's files, programs and servers.",
  bound:
    "0 attempts succeed in a sandbox with network none, besides those that no sandbox with a writable workspace prevents; control: without a sandbox all succeed that can",
  async prove() {
    const chosen = attempts.filter(({ name }) => selected.length === 0 || selected.includes(name));
    const withControl = chosen.filter(({ noControl }) => noControl === undefined);
    const inSandbox = await runAttempts(chosen, checkout, true);
    const without = await runAttempts(withControl, checkout, false);
    const preventable = chosen.filter(({ notPreventable }) => notPreventable === undefined);
    const namesOf = (some: readonly Attempt[]): string[] =>
      some.map(({ name }) => name).filter((name) => inSandbox.get(name) !== "prevented");
    const open = namesOf(preventable);
    const notPreventable = namesOf(chosen.filter((attempt) => !preventable.includes(attempt)));
    const unproven = withControl.map(({ name }) => name).filter((name) => without.get(name) !== "succeeded");
    return {
      measured:
        `${open.length} of ${preventable.length} attempts succeed${list(open)}; ` +
        `${notPreventable.length} of ${chosen.length - preventable.length} that no sandbox with a writable workspace prevents${list(notPreventable)}; without a sandbox ` +
        `${withControl.length - unproven.length} of ${withControl.length} do${unproven.length > 0 ? `, not${list(unproven)}` : ""}; ` +
        `${chosen.length - withControl.length} have no control`,
      holds: open.length === 0 && unproven.length === 0 && selected.length === 0,
    };
  },
};

const list = (names: readonly string[]): string => (names.length === 0 ? "" : ` (${names.join(", ")})`);
