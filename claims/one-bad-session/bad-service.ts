/** A daemon with agents that misbehave, otherwise like the real one: `node bad-service.ts OPTIONS`. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { adapters, unverifiedAdapters } from "@fairlead/adapters";
import type { Adapter, Observation } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { serveHttp, AccessTokens } from "@fairlead/server";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import { FencedDialect } from "../../packages/reducer/src/fenced-dialect.ts";
import { ForcedEnds } from "../../packages/runtime/src/sessions/forced-ends.ts";
import { SessionCatalog } from "../../packages/runtime/src/sessions/session-catalog.ts";

export interface BadServiceOptions {
  readonly home: string;
  readonly socket: string;
  /** Turns a defense off, for a control. */
  readonly off?: "fence" | "plain-files" | "damaged-state" | "forced-end";
}

const { home, socket, off } = JSON.parse(process.argv[2] ?? "") as BadServiceOptions;
if (off === "fence") removeFence();
if (off === "plain-files") openFilesPlainly();
if (off === "damaged-state") SessionCatalog.prototype.summarizeDamaged = (_, error) => Promise.reject(error);
if (off === "forced-end") ForcedEnds.prototype.end = (_, cause) => Promise.reject(cause);

const ticking = createStandInAdapter(new URL("ticking-agent.pl", import.meta.url), 100, "perl");
const claude = adapters.find(({ manifest }) => manifest.id === "claude-code");
if (claude === undefined) throw new Error("The adapter is missing.");
const throwing = observing("throwing", claude, ({ text }) => {
  if (text.includes("THROW")) throw new TypeError("The dialect cannot read this line.");
});
const spinning = observing("spinning", claude, ({ text }) => {
  const end = /THROW \d*00"/.test(text) ? performance.now() + 1000 : 0; // every two seconds
  while (performance.now() < end);
});

const fairlead = await LocalFairlead.open({
  home: new Home(home),
  adapters: [
    ticking,
    ...adapters.filter(({ manifest }) => manifest.id !== "scripted"),
    ...unverifiedAdapters,
    throwing,
    spinning,
  ],
  environment: process.env,
  fallback: "scripted",
  version: "0.0.0",
});
const tokens = new AccessTokens(new FileTokenStore(new Home(home).tokensFile));
await serveHttp({ fairlead, socket, tokens, onError: console.error });
console.log(JSON.stringify({ msg: "daemon started" }));

/** An adapter whose dialect does something with each line before it reads the line. */
function observing(id: string, adapter: Adapter, act: (line: Extract<Observation, { kind: "line" }>) => void): Adapter {
  return {
    ...adapter,
    manifest: { ...adapter.manifest, id },
    open(opening) {
      const { dialect, ...conversation } = adapter.open(opening);
      return {
        ...conversation,
        dialect: {
          ...dialect,
          observe(state, observation) {
            if (observation.kind === "line") act(observation);
            return dialect.observe(state, observation);
          },
        },
      };
    },
  };
}

function removeFence(): void {
  FencedDialect.prototype.observe = function observe(emitter, observation): boolean {
    const conversation = this.open(emitter);
    if ("failure" in conversation) throw new Error(conversation.failure);
    const transition = conversation.result.dialect.observe(emitter.state.dialectState, observation);
    this.apply(emitter, { events: [], deltas: [], effects: [], ...transition });
    return true;
  };
}

/** Opens files without the flags that keep a pipe from blocking. */
function openFilesPlainly(): void {
  const { openSync } = fs;
  const { open } = fs.promises;
  const plain = (flags: fs.OpenMode | undefined): fs.OpenMode | undefined =>
    typeof flags === "number" ? flags & ~fs.constants.O_NONBLOCK : flags;
  fs.openSync = (path, flags, mode) => openSync(path, plain(flags) ?? "r", mode);
  fs.promises.open = (path, flags, mode) => open(path, plain(flags), mode);
  syncBuiltinESMExports();
}
