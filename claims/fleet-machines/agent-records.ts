import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The times at which one agent was at work, in seconds on the monotonic clock of the machine. */
export interface AgentBeats {
  readonly session: string;
  /** The name of its machine. */
  readonly host: string;
  /** Identifies it among all agents of the session. */
  readonly agent: string;
  readonly times: readonly number[];
}

/** Two agents of one session at work: the older one after the newer one's first beat. */
export interface Overlap {
  readonly session: string;
  readonly older: string;
  readonly newer: string;
  /** The beats of the older one since the first of the newer one. */
  readonly beats: number;
  /** The seconds from the first to the last of them. */
  readonly seconds: number;
}

/** What agents wrote to a folder with `work.pl`. */
export class AgentRecords {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The agents in the order of their first beats. */
  readBeats(): AgentBeats[] {
    const agents = this.#list(".beats").map((name) => {
      const [, session = "", agent = ""] = /^(.+?)\.(.+)\.beats$/.exec(name) ?? [];
      const times = this.#readLines(name).map(Number);
      return { session, agent, host: agent.replace(/-\d+-\d+$/, ""), times };
    });
    return agents.toSorted((one, other) => (one.times[0] ?? 0) - (other.times[0] ?? 0));
  }

  findOverlaps(): Overlap[] {
    const all = this.readBeats();
    return all.flatMap((newer, index) =>
      all.slice(0, index).flatMap((older): Overlap[] => {
        const [start = Infinity] = newer.times;
        const late = older.times.filter((time) => time > start);
        if (older.session !== newer.session || late.length === 0) return [];
        const seconds = (late.at(-1) ?? 0) - (late[0] ?? 0);
        return [{ session: older.session, older: older.agent, newer: newer.agent, beats: late.length, seconds }];
      }),
    );
  }

  /** How often each message of all sessions was carried out. */
  countEffects(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.#list(".effects").flatMap((name) => this.#readLines(name))) {
      const [message = ""] = line.split(" ");
      counts.set(message, (counts.get(message) ?? 0) + 1);
    }
    return counts;
  }

  /** The tree of the files that the first turn of a session found on a machine. */
  readTree(session: string, machine: string): string | undefined {
    const lines = this.#list(".trees").includes(`${session}.trees`) ? this.#readLines(`${session}.trees`) : [];
    return lines.find((line) => line.startsWith(`${machine} `))?.split(" ")[1];
  }

  #list(ending: string): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith(ending));
  }

  /** Without a line that is being written. */
  #readLines(name: string): string[] {
    return readFileSync(join(this.folder, name), "utf8").split("\n").slice(0, -1);
  }
}
