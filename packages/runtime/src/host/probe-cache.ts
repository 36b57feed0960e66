import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import type { ProbeHost } from "@fairlead/contract";

type ProbeOutput = Awaited<ReturnType<ProbeHost["run"]>>;

/**
 * Caches the output of probe commands. A command runs again when its program's file has changed. Without the cache,
 * every session would wait half a second for it.
 */
export class ProbeCache {
  readonly #file: string;
  #outputs: Record<string, ProbeOutput> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Wraps a probe host so that `run` returns cached output while it is valid. */
  wrap(host: ProbeHost): ProbeHost {
    return {
      ...host,
      run: async (program, args) => {
        const key = cacheKey(program, args);
        const cached = key === null ? undefined : this.#load()[key];
        if (cached !== undefined) return cached;
        const output = await host.run(program, args);
        // A failure may be temporary, so it is not cached.
        if (key !== null && output.code === 0) this.#save(key, output);
        return output;
      },
    };
  }

  #load(): Record<string, ProbeOutput> {
    try {
      this.#outputs ??= JSON.parse(readFileSync(this.#file, "utf8")) as Record<string, ProbeOutput>;
    } catch {
      this.#outputs = {}; // missing or damaged
    }
    return this.#outputs;
  }

  #save(key: string, output: ProbeOutput): void {
    this.#outputs = { ...this.#load(), [key]: output };
    writeFileSync(`${this.#file}.${process.pid}`, JSON.stringify(this.#outputs), { mode: 0o600 });
    renameSync(`${this.#file}.${process.pid}`, this.#file);
  }
}

/** Identifies the current content of the program's file: its path, modification time and size. */
function cacheKey(program: string, args: readonly string[]): string | null {
  try {
    const file = realpathSync(program);
    const { mtimeMs, size } = statSync(file);
    return JSON.stringify([file, mtimeMs, size, ...args]);
  } catch {
    return null;
  }
}
