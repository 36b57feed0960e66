import { describe } from "vitest";
import type { OpenPart, ReopenPart } from "./conformance/opened-engine.ts";
import { testBusCalls } from "./conformance/test-bus-calls.ts";
import { testBusServing } from "./conformance/test-bus-serving.ts";
import { testHosts } from "./conformance/test-hosts.ts";
import { testLiveOutput } from "./conformance/test-live-output.ts";
import { testJobs } from "./conformance/test-jobs.ts";
import { testObjectKeys } from "./conformance/test-object-keys.ts";
import { testObjects } from "./conformance/test-objects.ts";
import { testTickets } from "./conformance/test-tickets.ts";
import { testTokens } from "./conformance/test-tokens.ts";

export type { OpenedEngine, OpenPart, ReopenPart } from "./conformance/opened-engine.ts";

/**
 * Registers the tests that the bus of every engine must pass. `open` returns an engine with empty storage each time. `reopen`
 * opens a second engine on the storage of the first, as another process would: without it, one engine is gateway and host.
 * The suite disposes all engines, some of them twice.
 */
export function busConformance(name: string, open: OpenPart<"bus">, reopen?: ReopenPart<"bus">): void {
  describe(`${name} bus`, () => {
    testBusCalls(open, reopen);
    testBusServing(open, reopen);
    testLiveOutput(open, reopen);
  });
}

/**
 * Registers the tests that every work queue must pass. `open` and `reopen` are as for a bus. Some tests wait until a lease
 * has expired, and some hold tickets for a second on a busy machine: a lease of 2 to 5 seconds suits both.
 */
export function workQueueConformance(name: string, open: OpenPart<"queue">, reopen?: ReopenPart<"queue">): void {
  describe(`${name} work queue`, () => {
    testJobs(open, reopen);
    testTickets(open, reopen);
  });
}

/** Registers the tests that every object store must pass. `open` and `reopen` are as for a bus. */
export function objectStoreConformance(name: string, open: OpenPart<"objects">, reopen?: ReopenPart<"objects">): void {
  describe(`${name} object store`, () => {
    testObjects(open, reopen);
    testObjectKeys(open);
  });
}

/** Registers the tests that the hosts of every engine must pass. `open` and `reopen` are as for a bus. */
export function hostsConformance(name: string, open: OpenPart<"hosts">, reopen?: ReopenPart<"hosts">): void {
  describe(`${name} hosts`, () => testHosts(open, reopen));
}

/** Registers the tests that every token store must pass. `open` and `reopen` are as for a bus. */
export function tokenStoreConformance(name: string, open: OpenPart<"tokens">, reopen?: ReopenPart<"tokens">): void {
  describe(`${name} token store`, () => testTokens(open, reopen));
}
