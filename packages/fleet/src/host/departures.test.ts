import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { Departures, type DeparturesOptions } from "./departures.ts";
import type { MoveFailure } from "./move-failure.ts";

type Leave = DeparturesOptions["fairlead"]["leave"];
type Put = DeparturesOptions["engine"]["queue"]["put"];

const arrived = { arrival: "arrived", host: "two" } as const;
const idle: Leave = async (_, { takePlace }) => await takePlace();
const { signal } = new AbortController();

/** Departures from a host that drives some sessions. */
function createDepartures(
  sessions: readonly string[],
  {
    leave = idle,
    put = async () => arrived,
    stay = async () => {},
  }: {
    readonly leave?: Leave;
    readonly put?: (...args: Parameters<Put>) => Promise<unknown>;
    readonly stay?: (session: string) => Promise<void>;
  },
): {
  readonly departures: Departures;
  readonly list: () => string[];
  readonly stays: string[];
  readonly failures: MoveFailure[];
} {
  const driven = new Set(sessions);
  const stays: string[] = [];
  const queue = {
    put: async (...args: Parameters<Put>) => {
      const outcome = (await put(...args)) as typeof arrived;
      if (outcome.arrival === "arrived") driven.delete((args[1].params as { session: string }).session);
      return outcome;
    },
  };
  const fairlead = {
    leave,
    stay: async (session: string) => {
      await stay(session);
      stays.push(session);
    },
  };
  const engine = { queue } as unknown as DeparturesOptions["engine"];
  const failures: MoveFailure[] = [];
  const onFailure = (failure: MoveFailure): void => void failures.push(failure);
  const closing = new AbortController().signal;
  const options = { engine, fairlead, host: "one", pool: "default", closing, retryPause: 5, onFailure };
  return { departures: new Departures(options), list: () => [...driven], stays, failures };
}

test("sessions whose turns do not end delay no others", async () => {
  const endless = Promise.withResolvers<void>();
  const busy = Array.from({ length: 40 }, (_, n) => `busy${n}`);
  const waiting = Array.from({ length: 40 }, (_, n) => `idle${n}`);
  const others = Promise.withResolvers<void>();
  let moved = 0;
  const { departures, list } = createDepartures([...busy, ...waiting], {
    leave: async (session, { takePlace, returnPlace }) => {
      await takePlace();
      if (!session.startsWith("busy")) return;
      returnPlace();
      await endless.promise;
      await takePlace();
    },
    put: async () => {
      if ((moved += 1) === waiting.length) others.resolve();
      return arrived;
    },
  });
  const drained = departures.drain(list, signal);
  await others.promise;
  endless.resolve();
  expect((await drained).moved).toHaveLength(80);
});

test("at most 16 sessions are between two hosts", async () => {
  let most = 0;
  let now = 0;
  const { departures, list } = createDepartures(
    Array.from({ length: 60 }, (_, n) => `s${n}`),
    {
      put: async () => {
        most = Math.max(most, (now += 1));
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return arrived;
      },
    },
  );
  expect((await departures.drain(list, signal)).moved).toHaveLength(60);
  expect(most).toBe(16);
});

test("servers that fail between two hosts leave no session without a host", async () => {
  let outages = 0;
  const { departures, list, stays, failures } = createDepartures(["a"], {
    put: async () => {
      if ((outages += 1) <= 3) throw new FairleadError("unavailable", "No leader.");
      return { host: "two", problem: { code: "not-installed", message: "It has no agent." } };
    },
    stay: async () => {
      if ((outages += 1) <= 7) throw new FairleadError("unavailable", "No leader.");
    },
  });
  const { left } = await departures.drain(list, signal);
  const reason = "Host two cannot take it: It has no agent.";
  expect(left).toEqual([{ session: "a", reason }]);
  expect(stays).toEqual(["a"]);
  expect(failures).toEqual([{ session: "a", move: "departure", error: new FairleadError("unavailable", reason) }]);
  await departures.leave("a", signal);
  expect(failures).toHaveLength(2);
});

test("a session that another host claims at the last moment has moved, and one that ends has ended", async () => {
  const refused = async (): Promise<unknown> => {
    throw new FairleadError("corrupt", "Broken.");
  };
  const codes = { a: "fenced", b: "session-ended", c: "conflict" } as const;
  const { departures } = createDepartures([], {
    put: refused,
    stay: async (session) => {
      throw new FairleadError(codes[session as keyof typeof codes], "No.");
    },
  });
  expect(await departures.leave("a", signal)).toBe("moved");
  expect(await departures.leave("b", signal)).toBe("ended");
  expect(await departures.leave("c", signal)).toEqual({ reason: "Broken. It cannot continue here either: No." });
});

test("a session that is given work while it leaves does so later", async () => {
  let rounds = 0;
  const { departures, list, stays, failures } = createDepartures(["a"], {
    put: async () => ((rounds += 1) === 1 ? { arrival: "kept", host: "two" } : arrived),
  });
  expect(await departures.drain(list, signal)).toEqual({ moved: ["a"], ended: [], left: [] });
  expect(failures).toEqual([]);
  expect(stays).toEqual(["a"]);
});

test("a session that gets work whenever it is to leave stays for that reason", async () => {
  const { departures } = createDepartures([], { put: async () => ({ arrival: "kept", host: "two" }) });
  const { reason } = (await departures.leave("a", signal)) as { reason: string };
  expect(reason).toBe("It got work while it was to move, and continues here.");
});

test("a session that fails to leave continues here, and the reason is reported", async () => {
  const { departures, list, stays } = createDepartures(["a"], {
    leave: async () => {
      throw new FairleadError("corrupt", "Its image cannot be stored.");
    },
  });
  const { left } = await departures.drain(list, signal);
  expect(left).toEqual([{ session: "a", reason: "Its image cannot be stored." }]);
  expect(stays).toEqual(["a"]);
});

test("two requests to move a session share one task", async () => {
  let leaves = 0;
  const mayGo = Promise.withResolvers<void>();
  const { departures, list } = createDepartures(["a"], {
    leave: async () => {
      leaves += 1;
      await mayGo.promise;
    },
  });
  const asked = [departures.leave("a", signal), departures.leave("a", signal), departures.drain(list, signal)];
  mayGo.resolve();
  expect(await Promise.all(asked)).toEqual(["moved", "moved", { moved: ["a"], ended: [], left: [] }]);
  expect(leaves).toBe(1);
});

test("a session that is no longer to leave continues here", async () => {
  const stop = new AbortController();
  const { departures, stays } = createDepartures([], {
    leave: async (_, { signal: leaving }) => {
      stop.abort();
      await new Promise((resolve) => leaving?.addEventListener("abort", resolve));
      leaving?.throwIfAborted();
    },
  });
  await expect(departures.leave("a", stop.signal)).rejects.toThrow("aborted");
  expect(stays).toEqual(["a"]);
});

test("a session that fails to leave for a moment leaves in the next round", async () => {
  let failures = 0;
  const { departures, list, stays } = createDepartures(["a"], {
    leave: async () => {
      if ((failures += 1) === 1) throw new FairleadError("unavailable", "No leader.");
    },
  });
  expect(await departures.drain(list, signal)).toEqual({ moved: ["a"], ended: [], left: [] });
  expect(stays).toEqual(["a"]);
});

test("a session that a person has paused neither leaves nor stays, and is tried once", async () => {
  let attempts = 0;
  const { departures, list, stays, failures } = createDepartures(["a"], {
    leave: async () => {
      attempts += 1;
      throw new FairleadError("session-paused", "Session a is paused.");
    },
  });
  expect(await departures.leave("a", signal)).toBe("paused");
  expect(await departures.drain(list, signal)).toEqual({ moved: [], ended: [], left: [] });
  expect([attempts, stays, failures]).toEqual([2, [], []]);
});

test("a drain that was stopped before its first session reports no success", async () => {
  const { departures, list } = createDepartures(["a"], {});
  await expect(departures.drain(list, AbortSignal.abort())).rejects.toThrow("aborted");
});

test("a refusal that several callers share is reported once", async () => {
  const { departures, list, failures } = createDepartures(["a"], {
    put: async () => ({ host: "two", problem: { code: "conflict", message: "No." } }),
  });
  await Promise.all([departures.leave("a", signal), departures.leave("a", signal), departures.drain(list, signal)]);
  expect(failures).toHaveLength(1);
});
