import { routes, type Route } from "@fairlead/api";
import { z } from "zod";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { hostileValue, prototypeKeys } from "./hostile-values.ts";
import { mutateJson } from "./mutate-json.ts";
import { createValue, type KnownValues, type ValueSchema } from "./schema-value.ts";

export interface ApiCall {
  readonly route: keyof typeof routes;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

type CalledRoute = Exclude<keyof typeof routes, "shutdown">;

/**
 * How often a route is called, compared with the others. Those that start processes are called less often. A route that is
 * not listed has `defaultWeight`, so that a new route is called without a change here.
 */
const weights: Readonly<Partial<Record<CalledRoute, number>>> = {
  health: 5,
  metrics: 2,
  agents: 2,
  start: 4,
  sessions: 5,
  session: 10,
  events: 15,
  send: 12,
  steer: 10,
  inject: 10,
  answer: 12,
  interrupt: 8,
  pause: 2,
  checkpoint: 8,
  resume: 4,
  fork: 2,
  stop: 2,
  takeOver: 2,
  type: 6,
  resize: 6,
  handBack: 4,
  forget: 4,
  decisions: 6,
  files: 6,
  diff: 1,
  usage: 8,
};
const defaultWeight = 5;
const calledRoutes = (Object.keys(routes) as (keyof typeof routes)[]).filter((name) => name !== "shutdown");
const weightedNames = calledRoutes.flatMap((name) =>
  Array.from({ length: weights[name] ?? defaultWeight }, () => name),
);

const schemas = new Map(
  Object.entries<Route>(routes).map(([name, { body, query }]) => [
    name,
    { body: body && toSchema(body), query: query && toSchema(query) },
  ]),
);

function toSchema(schema: z.ZodType): ValueSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as ValueSchema;
}

export interface CallTargets {
  /** Values of fields, such as names of agents and folders. */
  readonly known: KnownValues;
  /** Ids, prefixes and names of sessions. */
  readonly sessions: readonly [string, ...string[]];
}

/** Creates one call: valid, near-valid or hostile. */
export function createApiCall(targets: CallTargets, random: SeededRandom): ApiCall {
  const name = weightedNames[random.nextBelow(weightedNames.length)] ?? "health";
  const route: Route = routes[name];
  const kind = random.pick(["valid", "valid", "near", "near", "hostile"]);
  const isHostile = kind === "hostile";
  const path = route.path.replace(":session", createSegment(targets, random, isHostile));
  const query = createQuery(name, targets, random, kind !== "valid");
  const body = createBody(name, targets, random, kind);
  return {
    route: name,
    method: isHostile && random.nextBelow(10) === 0 ? random.pick(["GET", "POST", "PUT", "HEAD"]) : route.method,
    path: query === "" ? path : `${path}?${query}`,
    headers: createHeaders(name, random, isHostile),
    body,
  };
}

function createSegment({ sessions }: CallTargets, random: SeededRandom, isHostile: boolean): string {
  if (!isHostile || random.nextBelow(2) === 0) return random.pick(sessions);
  const words = ["..", ".", "%00", "%2e%2e%2f", "%", "%ff", "a%2Fb", "", "-", "a".repeat(2000), ":session", "*", "a;b"];
  return random.pick(["none", ...words, ...prototypeKeys]);
}

function createQuery(name: CalledRoute, targets: CallTargets, random: SeededRandom, isMutated: boolean): string {
  const schema = schemas.get(name)?.query;
  if (!schema) return isMutated && random.nextBelow(20) === 0 ? "a=b&__proto__=c" : "";
  const known: KnownValues = {
    session: targets.sessions,
    after: [0, 1, 10, 2 ** 40],
    limit: [1, 10, 1000],
    deltas: ["true", "false"],
  };
  const value = createValue(schema, known, random);
  const query = (isMutated ? mutateJson(value, random) : value) as object | null;
  if (typeof query !== "object" || query === null) return encode(String(query)).slice(0, 4000);
  return Object.entries(query)
    .map(([key, item]) => `${encode(key)}=${encode(typeof item === "string" ? item : JSON.stringify(item))}`)
    .join("&")
    .slice(0, 4000);
}

/** A lone surrogate cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function createBody(name: CalledRoute, targets: CallTargets, random: SeededRandom, kind: string): Buffer | null {
  const schema = schemas.get(name)?.body;
  if (!schema)
    return kind === "hostile" && random.nextBelow(4) === 0 && routes[name].method === "POST" ? junk(random) : null;
  const value = createValue(schema, targets.known, random);
  if (kind === "valid") return Buffer.from(JSON.stringify(value));
  if (kind === "near") return Buffer.from(JSON.stringify(mutateJson(value, random)) ?? "null");
  return random.nextBelow(2) === 0
    ? Buffer.from(JSON.stringify(mutateJson(mutateJson(value, random), random)) ?? "null")
    : junk(random);
}

function junk(random: SeededRandom): Buffer {
  return random.pick([
    () => Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    () => Buffer.from('{"text":"\xed\xa0\x80"}', "latin1"),
    () => Buffer.from("{"),
    () => Buffer.alloc(0),
    () => Buffer.from("[".repeat(random.nextBelow(100_000))),
    () => Buffer.from('{"text":'.repeat(random.nextBelow(10_000))),
    () => Buffer.from(JSON.stringify({ text: "z".repeat(random.nextBelow(300_000)) })),
    () => Buffer.from(JSON.stringify(hostileValue(random)) ?? "null"),
    () => Buffer.from('{"text":"a","text":"b","__proto__":{"text":"c"}}'),
    () => Buffer.from("1e999"),
  ])();
}

function createHeaders(name: CalledRoute, random: SeededRandom, isHostile: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  const number = random.nextBelow(12);
  // Keys repeat, with the same and with other requests.
  if (number < 3) headers["idempotency-key"] = `key-${random.nextBelow(2000)}`;
  if (name === "events" && number % 4 === 0) headers["accept"] = "text/event-stream";
  if (!isHostile) return headers;
  const hostile: readonly [[string, string], ...[string, string][]] = [
    ["idempotency-key", random.pick(["", " ", "a b", "\u00e9", "k".repeat(129), ...prototypeKeys])],
    ["last-event-id", random.pick(["-1", "NaN", "1e99", "9".repeat(30), "__proto__"])],
    ["authorization", random.pick(["Bearer x", "Basic x", "Bearer", "bearer  "])],
    ["content-type", random.pick(["text/plain", "multipart/form-data", "application/json; charset=utf-7", "x"])],
    ["content-encoding", random.pick(["gzip", "br", "none"])],
    ["origin", random.pick(["null", "http://localhost", "file://"])],
    ["accept", random.pick(["*/*", "text/event-stream", "x", ""])],
    ["x-forwarded-for", "1.1.1.1"],
  ];
  const [header, value] = random.pick(hostile);
  return { ...headers, [header]: value };
}
