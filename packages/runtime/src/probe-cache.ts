import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import type { ProbeHost } from "@fairlead/contract";

type Answer = Awaited<ReturnType<ProbeHost["run"]>>;

/**
 * Remembers what programs said of themselves. A program is asked again when its file has changed: asking takes half a
 * second that a session should not have to wait for each time.
 */
export class ProbeCache {
  readonly #file: string;
  #answers: Record<string, Answer> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** The host, with answers that are still true given from memory. */
  before(host: ProbeHost): ProbeHost {
    return {
      ...host,
      run: async (program, args) => {
        const key = keyOf(program, args);
        const known = key === null ? undefined : this.#load()[key];
        if (known !== undefined) return known;
        const answer = await host.run(program, args);
        // A failure may pass; it is asked again.
        if (key !== null && answer.code === 0) this.#save(key, answer);
        return answer;
      },
    };
  }

  #load(): Record<string, Answer> {
    try {
      this.#answers ??= JSON.parse(readFileSync(this.#file, "utf8")) as Record<string, Answer>;
    } catch {
      this.#answers = {}; // nothing remembered, or nothing that can be read
    }
    return this.#answers;
  }

  #save(key: string, answer: Answer): void {
    this.#answers = { ...this.#load(), [key]: answer };
    writeFileSync(`${this.#file}.${process.pid}`, JSON.stringify(this.#answers), { mode: 0o600 });
    renameSync(`${this.#file}.${process.pid}`, this.#file);
  }
}

/** The program's file as it is now: its path, its time and its size. */
function keyOf(program: string, args: readonly string[]): string | null {
  try {
    const file = realpathSync(program);
    const { mtimeMs, size } = statSync(file);
    return JSON.stringify([file, mtimeMs, size, ...args]);
  } catch {
    return null;
  }
}
