import { mkdirSync } from "node:fs";
import { adapters } from "@fairlead/adapters";
import type { Fairlead } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { LocalFairlead } from "@fairlead/service";
import type { TestHome } from "../../measure/test-home.ts";

/** A service in this process, with some methods replaced. */
export async function serveFaulty(
  { home, environment }: Pick<TestHome, "home" | "environment">,
  replace: (fairlead: Fairlead) => Partial<Fairlead>,
): Promise<AsyncDisposable & { readonly socket: string }> {
  await using resources = new AsyncDisposableStack();
  mkdirSync(home.daemonFolder, { recursive: true, mode: 0o700 });
  const real = resources.use(await LocalFairlead.open({ home, adapters, environment, fallback: "scripted" }));
  const replaced = replace(real);
  const fairlead = new Proxy<Fairlead>(real, {
    get(target, name: keyof Fairlead) {
      if (replaced[name] !== undefined) return replaced[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
  const socket = home.daemonSocket;
  resources.use(await serveHttp({ fairlead, socket, tokens: new AccessTokens(new FileTokenStore(home.tokensFile)) }));
  const closing = resources.move();
  return { socket, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
