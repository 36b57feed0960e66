import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { askRaw, guardCases, type GuardGround, LocalFairlead, serve, Tokens } from "@fairlead/server";
import { createApp } from "../packages/server/src/http/app.ts";
import type { Verdict } from "../packages/server/src/http/guard.ts";
import { usualLimits } from "../packages/server/src/http/limits.ts";
import { Listener } from "../packages/server/src/http/listener.ts";
import type { Claim } from "./claim.ts";
import { Ground } from "./ground.ts";

const enough = 40;
/** The library below us takes no backslash in a path either. */
const heldByOthers = 1;

interface Trials {
  readonly tried: number;
  /** The names of those that did not come out as stated. */
  readonly failed: readonly string[];
}

export const apiGuard: Claim = {
  id: "api-guard",
  says: "The daemon's port lets in whom it should, by name, page, token and scope, and nobody else.",
  bound: `all of ≥ ${enough} cases as stated; without the guard, all refusals but ${heldByOthers} fail`,
  async prove() {
    await using ground = new Ground();
    const { home, environment } = ground;
    const options = { home, adapters, environment, fallback: "scripted", version: "0.0.0" };
    await using fairlead = await LocalFairlead.open(options);
    const { session } = await fairlead.start({ workspace: ground.workspace() });
    const tokens = new Tokens(join(ground.folder, "tokens.json"));
    const known = { session, tokens: issue(tokens, session) };

    await using service = await serve({ fairlead, tokens, port: 0 });
    const guarded = await tryAll({ ...known, port: Number(new URL(service.url ?? "").port) }, () => true);
    for (const name of guarded.failed) console.log(`not as stated: ${name}`);

    const admit = (): Verdict => ({ grant: { label: "anybody", scopes: ["read", "drive", "approve", "admin"] } });
    const app = createApp({ fairlead, admit, limits: usualLimits, ending: new AbortController().signal });
    await using open = await Listener.open(app, usualLimits.connections, { host: "127.0.0.1", port: 0 });
    // What is not there is not found, guarded or not.
    const unguarded = await tryAll({ ...known, port: open.port ?? 0 }, (status) => status >= 400 && status !== 404);
    return {
      measured:
        `${guarded.tried - guarded.failed.length} of ${guarded.tried} cases as stated; ` +
        `control, without the guard: ${unguarded.failed.length} of ${unguarded.tried} refusals fail`,
      holds:
        guarded.tried >= enough &&
        guarded.failed.length === 0 &&
        unguarded.failed.length === unguarded.tried - heldByOthers,
    };
  },
};

function issue(tokens: Tokens, session: string): GuardGround["tokens"] {
  return {
    owner: tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] }),
    read: tokens.issue({ label: "reader", scopes: ["read"] }),
    drive: tokens.issue({ label: "driver", scopes: ["read", "drive"] }),
    approve: tokens.issue({ label: "approver", scopes: ["read", "approve"] }),
    report: tokens.issue({ label: "agent", scopes: ["report"], session }),
  };
}

async function tryAll(ground: GuardGround, wanted: (status: number) => boolean): Promise<Trials> {
  const cases = guardCases(ground).filter(({ status }) => wanted(status));
  const failed: string[] = [];
  for (const { name, request, status } of cases) {
    if ((await askRaw(ground.port, request)).status !== status) failed.push(name);
  }
  return { tried: cases.length, failed };
}
