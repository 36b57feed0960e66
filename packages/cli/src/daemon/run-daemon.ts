import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import { openWatch, serve, Tokens } from "@fairlead/server";
import { openLocal } from "../open-local.ts";
import type { Surroundings } from "../surroundings.ts";
import { versionOf } from "../version.ts";
import { answers } from "./answers.ts";
import { leaveAccount } from "./daemon-account.ts";
import { daemonPlace, type DaemonPlace } from "./daemon-place.ts";
import { portOf } from "./port-of.ts";
import { tryToHold } from "./try-to-hold.ts";
import { variableDigests } from "./variable-digests.ts";

/** Is the daemon of a home, until somebody asks it to end. `listen` is a place besides its socket. */
export async function runDaemon(surroundings: Surroundings, listen: string | null): Promise<void> {
  const { environment } = surroundings;
  const place = daemonPlace(surroundings.home);
  const version = versionOf(environment);
  const ending = Promise.withResolvers<string>();
  const end = (signal: NodeJS.Signals): void => ending.resolve(signal);
  // Before anything is opened: two that drive the same sessions would take them from each other.
  using _lock = await holdWhenFree(place);
  rmSync(place.account, { force: true }); // of one that was killed
  await using watch = await openWatch({ environment, version, write: (line) => process.stdout.write(line) });
  const { log } = watch;
  await using fairlead = await openLocal(surroundings, watch.observer);
  await using service = await serve({
    fairlead,
    socket: place.socket,
    ...(listen !== null && { port: portOf(listen) }),
    tokens: new Tokens(place.tokens),
    watch: watch.http,
    metrics: () => watch.metrics(fairlead),
    shutdown: () => ending.resolve("asked to"),
    failed: (error) => log.error("a request failed", error),
  });
  const { api, startedAt, pid } = await fairlead.health();
  const { url } = service;
  const variables = variableDigests(environment, startedAt);
  using _account = leaveAccount(place.account, { pid, version, api, startedAt, listen, url, variables });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, end);
  log.info("up", { version, url });
  fairlead.recovered.then(
    ({ sessions, failures }) => {
      if (sessions > 0) log.info("sessions found again", { sessions });
      for (const { session, error } of failures) log.error("a session was not found again", error, { session });
    },
    (error: unknown) => log.error("sessions were not looked for", error),
  );
  log.info("ending", { why: await ending.promise });
}

/** One that is about to end, or that is just being started, is waited for; one that is there is not. */
async function holdWhenFree(place: DaemonPlace): Promise<Disposable> {
  for (;;) {
    const held = await tryToHold(place.lock);
    if (held !== null) return held;
    if (await answers(place.socket)) {
      throw new FairleadError("unavailable", "Fairlead is up already. `fairlead status` tells more.");
    }
    await delay(20);
  }
}
