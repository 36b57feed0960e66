import { exampleTexts } from "./regex-examples.ts";

/** Steps of a quadratic expression on the longest text. */
const quadraticSteps = 4e7;
/** Time that no linear expression needs for any of the texts, in milliseconds of this thread. */
const maxTime = 8;

/** A text that makes a regular expression slow. */
export interface SlowAttack {
  readonly start: string;
  readonly repeated: string;
  readonly end: string;
}

/** Finds a text on which an expression takes more time than a linear one can, or returns null. */
export function findSlowAttack(regex: RegExp): SlowAttack | null {
  if (!/[*+]|\{\d+,\}/.test(regex.source)) return null;
  for (const attack of buildAttacks(regex)) if (isSlow(regex, attack)) return attack;
  return null;
}

/** Builds texts by repeating each piece of each text that the expression matches, and then making the match fail. */
function* buildAttacks(regex: RegExp): Generator<SlowAttack> {
  const seen = new Set<string>();
  for (const pieces of exampleTexts(regex)) {
    for (let from = 0; from < pieces.length; from += 1) {
      for (let to = from + 1; to <= pieces.length; to += 1) {
        const [start, repeated] = [pieces.slice(0, from).join(""), pieces.slice(from, to).join("")];
        const key = `${start}\u0000${repeated}`;
        if (seen.has(key)) continue;
        seen.add(key);
        for (const end of ["", "\u0000", "\n\u0001"]) yield { start, repeated, end };
      }
    }
  }
}

/** Whether an expression takes more time than a linear one, also when it is measured again. */
function isSlow(regex: RegExp, { start, repeated, end }: SlowAttack): boolean {
  return attackLengths(repeated.length).some((length) => {
    const text = start + repeated.repeat(Math.ceil(length / repeated.length)) + end;
    return measure(regex, text) > maxTime && measure(regex, text) > maxTime && measure(regex, text) > maxTime;
  });
}

/**
 * Lengths in small steps, so that an exponential expression is found before a text on which it would not end. On a text
 * of the last length, a quadratic expression begins a search at each repetition and reads to the end.
 */
function attackLengths(period: number): number[] {
  const lengths = [16];
  for (let length = 20; length < 1000; length = Math.max(length + 4, length * 1.15)) lengths.push(length);
  return [...lengths, 3000, Math.sqrt(2 * quadraticSteps * period)];
}

/** Measures one search and the replacement of all matches, in milliseconds of this thread. */
function measure(regex: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  regex.lastIndex = 0;
  regex.exec(text);
  text.replace(regex, "");
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
