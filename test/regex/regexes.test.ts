import { describe, expect, test } from "vitest";
import { root } from "../../scripts/run.ts";
import { findRegexes, readRegexes } from "./find-regexes.ts";
import { findSlowAttack } from "./find-slow-attack.ts";
import { credentialHint, credentialPattern } from "../../packages/contract/src/credentials/credential-patterns.ts";

// One thread serves all sessions. A regular expression whose time grows with the square of an agent's text stops all of
// them, and again at every restart, because the replay reads the same text.

const files = findRegexes(root);

/**
 * Files that build expressions at run time, from literals that are checked here, from constants, or from a text of bounded
 * length in which every sign stands for itself.
 */
const computedExpressions: Readonly<Record<string, number>> = {
  "packages/adapters/src/codex-exec/transcript.ts": 1,
  "packages/api/src/format/sanitize-text.ts": 1,
  "packages/contract/src/credentials/credential-patterns.ts": 2,
  "packages/contract/src/reading/search-match.ts": 1,
};

test("regular expressions are literals, so that this test can read them", () => {
  const computed = files.filter((one) => one.computed > 0).map(({ file, computed: count }) => [file, count]);
  expect(Object.fromEntries(computed)).toEqual(computedExpressions);
});

describe.each(files.filter(({ regexes }) => regexes.length > 0).map(({ file, regexes }) => [file, regexes] as const))(
  "%s",
  (_, regexes) => {
    test.each(regexes.map((regex) => [String(regex), regex] as const))(
      "%s is linear",
      { timeout: 120_000 },
      (__, regex) => {
        expect(findSlowAttack(regex)).toBeNull();
      },
    );
  },
);

test.each([credentialHint, credentialPattern])(
  "the computed expression %s is linear",
  { timeout: 120_000 },
  (regex) => {
    expect(findSlowAttack(regex)).toBeNull();
  },
);

test.each([
  /\s+$/,
  /API Error: .*?\b([45]\d\d)\b/,
  /same-model retry (?<attempt>\d+)\/(?<maxAttempts>\d+) .*delayMs=(?<delay>\d+)/,
  /end: .*\bisError=true .*? error=(?<message>.*?) rawError=(?:(?<status>\d{3}): )?(?<raw>.*)$/,
  /\[remote .*?\n\s*url = /,
  /^(a+)+$/,
  /(?:\u009d[^\n]*|\r)$/,
  /\d+\.\d+/,
  /<.*>.*</,
  /(x|xx)*y/,
])("a planted expression is found: %s", { timeout: 60_000 }, (regex) => {
  expect(findSlowAttack(regex)).not.toBeNull();
});

test.each([/^\s*[/$]/, /^[\w.-]+$/, /<\[[0-9;]*m/g, /"code": ?(\d{3})/, /^Thread \S+ does not exist/, /\n/g])(
  "a linear expression is accepted: %s",
  (regex) => {
    expect(findSlowAttack(regex)).toBeNull();
  },
);

test("expressions are read from the source", () => {
  expect(readRegexes("a.ts", "const a = /b+/g; new RegExp(a); a.replace(/c/u, 'd');")).toEqual({
    regexes: [/b+/g, /c/u],
    computed: 1,
  });
});
