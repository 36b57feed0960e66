import { join } from "node:path";
import type { Claim } from "../../measure/claim.ts";
import { attempts } from "./attempts/index.ts";
import { runAttempts } from "./run-attempts.ts";

const checkout = join(import.meta.dirname, "../..");
/** Names of attempts, to run only these: `ATTEMPTS=git-hook,ssh-agent`. The claim then does not hold. */
const selected = process.env["ATTEMPTS"]?.split(",") ?? [];

export const sandboxEscape: Claim = {
  id: "sandbox-escape",
  statement: "An agent in a sandbox reaches neither Fairlead, nor the user's files, programs and servers.",
  bound: "0 attempts succeed in a sandbox with network none; control: without a sandbox all succeed that can",
  async prove() {
    const chosen = attempts.filter(({ name }) => selected.length === 0 || selected.includes(name));
    const withControl = chosen.filter(({ noControl }) => noControl === undefined);
    const inSandbox = await runAttempts(chosen, checkout, true);
    const without = await runAttempts(withControl, checkout, false);
    const open = chosen.map(({ name }) => name).filter((name) => inSandbox.get(name) !== "prevented");
    const unproven = withControl.map(({ name }) => name).filter((name) => without.get(name) !== "succeeded");
    return {
      measured:
        `${open.length} of ${chosen.length} attempts succeed${list(open)}; without a sandbox ` +
        `${withControl.length - unproven.length} of ${withControl.length} do${unproven.length > 0 ? `, not${list(unproven)}` : ""}; ` +
        `${chosen.length - withControl.length} have no control`,
      holds: open.length === 0 && unproven.length === 0 && selected.length === 0,
    };
  },
};

const list = (names: readonly string[]): string => (names.length === 0 ? "" : ` (${names.join(", ")})`);
