import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import type { Fairlead } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens, OneTimeCodes, serveHttp } from "@fairlead/server";
import { LocalFairlead } from "@fairlead/service";
import type { GuardTarget } from "@fairlead/testing/server/guard-cases.ts";
import { TestHome } from "../../measure/test-home.ts";

export const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page", import.meta.url));

/** The origin that the operator named for a proxy. */
export const namedOrigin = "https://agents.example:8443";

/** A service with the built page, one session and a token for each set of scopes. */
export class GuardedPage implements AsyncDisposable {
  readonly port: number;
  readonly fairlead: LocalFairlead;
  readonly codes: OneTimeCodes;
  readonly tokens: AccessTokens;
  readonly target: GuardTarget;
  readonly #calls: { count: number };
  readonly #resources: AsyncDisposableStack;

  private constructor(
    parts: Pick<GuardedPage, "port" | "fairlead" | "codes" | "tokens" | "target">,
    calls: { count: number },
    resources: AsyncDisposableStack,
  ) {
    ({ port: this.port, fairlead: this.fairlead, codes: this.codes, tokens: this.tokens, target: this.target } = parts);
    this.#calls = calls;
    this.#resources = resources;
  }

  static async open(now: () => number = Date.now): Promise<GuardedPage> {
    await using resources = new AsyncDisposableStack();
    const testHome = resources.use(new TestHome());
    const { home, environment } = testHome;
    const options = { home, adapters, environment, fallback: "scripted", version: "0.0.0", observeFiles: false };
    const fairlead = resources.use(await LocalFairlead.open(options));
    const { session } = await fairlead.start({ workspace: testHome.workspace() });
    const tokens = new AccessTokens(new FileTokenStore(join(testHome.folder, "tokens.json")));
    const codes = new OneTimeCodes({ tokens, now });
    const calls = { count: 0 };
    const counted = countCalls(fairlead, calls);
    const origins = [namedOrigin];
    const service = resources.use(await serveHttp({ fairlead: counted, tokens, codes, port: 0, pageFolder, origins }));
    const port = Number(new URL(service.url ?? "").port);
    const target = { port, session, tokens: await issueTokens(tokens) };
    return new GuardedPage({ port, fairlead, codes, tokens, target }, calls, resources.move());
  }

  /** How often a request reached the interface. */
  get calls(): number {
    return this.#calls.count;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** Returns the path of an asset of the built page. */
export function findAsset(extension: string): string {
  const name = readdirSync(join(pageFolder, "assets")).find((one) => one.endsWith(extension));
  if (name === undefined) throw new Error(`The built page has no file of the type ${extension}.`);
  return `/assets/${name}`;
}

async function issueTokens(tokens: AccessTokens): Promise<GuardTarget["tokens"]> {
  return {
    owner: await tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] }),
    read: await tokens.issue({ label: "reader", scopes: ["read"] }),
    drive: await tokens.issue({ label: "driver", scopes: ["read", "drive"] }),
    approve: await tokens.issue({ label: "approver", scopes: ["read", "approve"] }),
  };
}

function countCalls(fairlead: Fairlead, calls: { count: number }): Fairlead {
  return new Proxy(fairlead, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        calls.count += 1;
        return Reflect.apply(member, target, values);
      };
    },
  });
}
