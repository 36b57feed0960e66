import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { FileTokenStore } from "@fairlead/engine";
import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import { guardCases, type GuardTarget } from "@fairlead/testing/server/guard-cases.ts";
import { LocalFairlead } from "@fairlead/service";
import { serveHttp, AccessTokens } from "@fairlead/server";
import { createApp } from "../packages/server/src/http/app.ts";
import type { AccessDecision } from "../packages/server/src/http/access/guard.ts";
import { defaultLimits } from "../packages/server/src/http/limits.ts";
import { Listener } from "../packages/server/src/http/listener.ts";
import type { Claim } from "../measure/claim.ts";
import { TestHome } from "../measure/test-home.ts";

const minimumCases = 40;
/** The HTTP library also rejects a backslash in a path. */
const rejectedByLibrary = 1;

interface TrialResults {
  readonly tried: number;
  /** The names of the failed cases. */
  readonly failed: readonly string[];
}

export const apiGuard: Claim = {
  id: "api-guard",
  statement: "The daemon's port accepts a request only with a valid host, origin, token and scope.",
  bound: `all of ≥ ${minimumCases} cases; control: without the guard all refusals but ${rejectedByLibrary} fail`,
  async prove() {
    await using testHome = new TestHome();
    const { home, environment } = testHome;
    const options = { home, adapters, environment, fallback: "scripted", version: "0.0.0" };
    await using fairlead = await LocalFairlead.open(options);
    const { session } = await fairlead.start({ workspace: testHome.workspace() });
    const tokens = new AccessTokens(new FileTokenStore(join(testHome.folder, "tokens.json")));
    const shared = { session, tokens: await issueTokens(tokens) };

    await using service = await serveHttp({ fairlead, tokens, port: 0 });
    const guarded = await tryAll({ ...shared, port: Number(new URL(service.url ?? "").port) }, () => true);
    for (const name of guarded.failed) console.log(`not as stated: ${name}`);

    const authorize = (): AccessDecision => ({
      grant: { id: null, label: "anybody", scopes: ["read", "drive", "approve", "admin"] },
    });
    const app = createApp({ fairlead, authorize, limits: defaultLimits, shutdownSignal: new AbortController().signal });
    await using open = await Listener.open(app, defaultLimits.connections, { host: "127.0.0.1", port: 0 });
    // A missing route is not found, with or without the guard.
    const unguarded = await tryAll({ ...shared, port: open.port ?? 0 }, (status) => status >= 400 && status !== 404);
    return {
      measured:
        `${guarded.tried - guarded.failed.length} of ${guarded.tried} cases as stated; ` +
        `control, without the guard: ${unguarded.failed.length} of ${unguarded.tried} refusals fail`,
      holds:
        guarded.tried >= minimumCases &&
        guarded.failed.length === 0 &&
        unguarded.failed.length === unguarded.tried - rejectedByLibrary,
    };
  },
};

async function issueTokens(tokens: AccessTokens): Promise<GuardTarget["tokens"]> {
  return {
    owner: await tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] }),
    read: await tokens.issue({ label: "reader", scopes: ["read"] }),
    drive: await tokens.issue({ label: "driver", scopes: ["read", "drive"] }),
    approve: await tokens.issue({ label: "approver", scopes: ["read", "approve"] }),
  };
}

async function tryAll(testHome: GuardTarget, isWanted: (status: number) => boolean): Promise<TrialResults> {
  const cases = guardCases(testHome).filter(({ status }) => isWanted(status));
  const failed: string[] = [];
  for (const { name, request, status } of cases) {
    if ((await sendRawRequest(testHome.port, request)).status !== status) failed.push(name);
  }
  return { tried: cases.length, failed };
}
