import type { SeededRandom } from "../../measure/seeded-random.ts";

/** Names that exist on every object, or that change an object they are copied to. */
export const prototypeKeys = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "prototype",
  "toJSON",
  "then",
  "length",
] as const;

const scalars: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -1,
  -0,
  0.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  8.64e15 + 1,
  "",
  " ",
  "0",
  "null",
  "\u0000",
  "\ud800",
  "\udfff lone",
  "\u2028\u2029",
  "\u202e\u001b[2J\u001b]0;title\u0007",
  "e\u0301\u{1f600}",
  "../../../../etc/passwd",
  "a".repeat(300),
  "9".repeat(400),
];

/** Returns a JSON value that a reader of a protocol does not expect. Long and deep ones are rare, because they cost time. */
export function hostileValue(random: SeededRandom): unknown {
  const kind = random.nextBelow(100);
  if (kind < 55) return random.pick(scalars);
  if (kind < 75) return random.pick(prototypeKeys);
  if (kind < 80) return [];
  if (kind < 85) return {};
  if (kind < 88) return [hostileValue(random), hostileValue(random)];
  if (kind < 91) return Object.fromEntries([[random.pick(prototypeKeys), hostileValue(random)]]);
  if (kind < 95) return nest(1 + random.nextBelow(255), random.nextBelow(2) === 0);
  if (kind < 98) return random.pick(["x", "\\", '"', "\u0000", "(", "a\n", "{["]).repeat(random.nextBelow(5000));
  if (kind === 98) return "y".repeat(random.nextBelow(200_000));
  return Array.from({ length: random.nextBelow(2000) }, (_, index) => index);
}

/** Returns arrays or objects inside each other. */
function nest(depth: number, isArray: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = isArray ? [value] : { a: value };
  return value;
}
