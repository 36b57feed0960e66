import { FairleadError } from "@fairlead/contract";
import type { Membership } from "@fairlead/engine";
import type { KeeperAttendance } from "@fairlead/runtime";

/** Milliseconds without a confirmation after which a host's agents are stopped, and after which they are ended. */
export interface AttendanceTimes {
  readonly freezeAfter: number;
  readonly endAfter: number;
}

export interface AttendanceOptions extends AttendanceTimes {
  /** Returns what this process has joined as; null before it has. */
  readonly membership: () => Pick<Membership, "confirmedAt" | "expiry" | "absent"> | null;
  /** When the newest append that the log acknowledged began. */
  readonly appendedAt: () => bigint;
  /** Called when the agents were stopped because no confirmation came in time. Must not throw. */
  readonly onFreeze?: () => void;
}

type Deadlines = NonNullable<ReturnType<KeeperAttendance["deadlines"]>>;

const interval = 2000;
/** Milliseconds between the stop of agents and their end when the host does not come back. */
const absenceFreeze = 3000;
/** Milliseconds for which an absent host counts as alive after its agents have ended. */
const absenceMargin = 5000;

/**
 * Decides until when the agents of a host may work. They end before the host expires, because another host may then start
 * them. Only heartbeats delay that: an append proves that no other host had this session, and not that the host is alive for
 * others. Appends delay the stop of the agents, which harms nothing.
 */
export class Attendance implements KeeperAttendance, Disposable {
  readonly #options: AttendanceOptions;
  #absence: Deadlines | null = null;
  /** The deadlines that the keepers have. */
  #sent: Deadlines | null = null;
  #isFrozen = false;
  #send: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttendanceOptions) {
    this.#options = options;
  }

  get limits(): { readonly freezeMs: number; readonly endMs: number } {
    return { freezeMs: this.#options.freezeAfter, endMs: this.#options.endAfter };
  }

  deadlines(): Deadlines | null {
    const { membership, appendedAt, freezeAfter, endAfter } = this.#options;
    const announcedAt = membership()?.confirmedAt();
    if (this.#absence !== null || announcedAt === undefined) return this.#absence;
    const confirmedAt = appendedAt() > announcedAt ? appendedAt() : announcedAt;
    const endAt = announcedAt + toNanoseconds(endAfter);
    const freezeAt = confirmedAt + toNanoseconds(freezeAfter);
    return { confirmedAt, freezeAt: freezeAt < endAt ? freezeAt : endAt, endAt };
  }

  /** Calls `send` at regular times until this is disposed. Throws `invalid-settings` if agents could outlive the host. */
  start(send: () => void): void {
    const { membership, freezeAfter, endAfter } = this.#options;
    const expiry = membership()?.expiry ?? 0;
    if (!(freezeAfter > 0 && freezeAfter < endAfter && endAfter < expiry)) {
      const times = `stop after ${freezeAfter} ms and end after ${endAfter} ms, and the host expires after ${expiry} ms`;
      throw new FairleadError("invalid-settings", `Agents ${times}. Each time must be longer than the one before.`);
    }
    this.#send = send;
    this.#timer = setInterval(() => this.#attend(), Math.min(interval, freezeAfter / 4));
    this.#timer.unref();
    this.#attend();
  }

  /**
   * Announces that this process stops and comes back within some milliseconds. Agents continue for as long, and then end.
   * Throws `unavailable` if that cannot be stored: agents then end as if the host had died.
   */
  async announceAbsence(milliseconds: number): Promise<void> {
    const membership = this.#options.membership();
    if (membership === null) throw new FairleadError("unavailable", "The host has not joined.");
    await membership.absent(milliseconds + absenceMargin);
    const confirmedAt = membership.confirmedAt();
    const freezeMs = Math.max(milliseconds - absenceFreeze, milliseconds / 2);
    this.#absence = {
      confirmedAt,
      freezeAt: confirmedAt + toNanoseconds(freezeMs),
      endAt: confirmedAt + toNanoseconds(milliseconds),
    };
    this.#attend();
  }

  /** Notes whether the keepers have stopped the agents by the deadlines that they had, and sends them newer ones. */
  #attend(): void {
    const now = process.hrtime.bigint();
    if (this.#sent !== null && now >= this.#sent.freezeAt && !this.#isFrozen) {
      this.#isFrozen = true;
      this.#options.onFreeze?.();
    }
    this.#sent = this.deadlines();
    if (this.#sent === null || now < this.#sent.freezeAt) this.#isFrozen = false;
    this.#send();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const toNanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));
