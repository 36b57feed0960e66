import type { Tokens } from "./tokens.ts";

/** How often it is looked whether a token was taken back, in milliseconds. */
const every = 250;

interface Kept {
  readonly isGood: () => boolean;
  readonly end: () => void;
}

/**
 * Ends what goes on with a token once that is good no longer: a stream outlives the moment at which it was let in. The
 * file is looked at, since most often it is another process that takes a token back.
 */
export class Vigil implements Disposable {
  readonly #tokens: Tokens;
  readonly #kept = new Set<Kept>();
  #timer: NodeJS.Timeout | undefined;
  #seen = "";

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** Calls `end` as soon as it is no longer good, until disposed of. */
  keep(isGood: () => boolean, end: () => void): Disposable {
    const one = { isGood, end };
    this.#kept.add(one);
    this.#timer ??= setInterval(() => this.#look(), every);
    this.#check(one); // it may have been taken back since it was let in
    return { [Symbol.dispose]: () => this.#forget(one) };
  }

  [Symbol.dispose](): void {
    for (const one of this.#kept) this.#forget(one);
  }

  #look(): void {
    const found = this.#tokens.stamp();
    if (found === this.#seen) return;
    this.#seen = found;
    for (const one of this.#kept) this.#check(one);
  }

  #check(one: Kept): void {
    if (stillGood(one)) return;
    this.#forget(one);
    one.end();
  }

  #forget(one: Kept): void {
    this.#kept.delete(one);
    if (this.#kept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Tokens that cannot be read let nobody in, and so nobody stay either. */
function stillGood({ isGood }: Kept): boolean {
  try {
    return isGood();
  } catch {
    return false;
  }
}
