import { basename, resolve } from "node:path";
import type { LaunchLine, RecordKind } from "@fairlead/contract";
import { type Containment, findContainment } from "./containment.ts";
import { FrameRefused } from "./frame-refused.ts";
import type { Ack, Frame } from "./frame.ts";
import { HeldProcess } from "./held-process.ts";
import { Lease } from "./lease.ts";
import { PatientSpool, type PatientSpoolOptions } from "./patient-spool.ts";
import { settledWithin } from "./settled-within.ts";
import { maxPayload } from "./spool-format.ts";
import type { Terminal } from "./terminal.ts";

const defaultLease = 15 * 60 * 1000;
const defaultLeaseGrace = 10_000;
/** The id under which the keeper itself hangs up. */
const leaseId = "lease";

export interface KeeperOptions extends PatientSpoolOptions {
  /** The session's name, asked at each launch; the folder's own unless told. */
  readonly session?: () => string;
  /** How processes are held; unless told, as well as the machine allows. */
  readonly containment?: Containment;
  /** How long to go on without a client and without a word from an agent, in milliseconds; 15 minutes unless told. */
  readonly lease?: number;
  /** How long an agent may take to end after it was hung up on because of the lease; 10 seconds unless told. */
  readonly leaseGrace?: number;
}

/** Holds a session's processes and writes down what passes. It never looks into what an agent says. */
export class Keeper {
  /** Settles when the keeper has been told to leave and no process runs any more. Then the spool is closed. */
  readonly left: Promise<void>;
  /** How far the spool was when this keeper began. */
  readonly since: number;
  readonly #session: () => string;
  readonly #spool: PatientSpool;
  readonly #lease: Lease;
  readonly #leaseGrace: number;
  readonly #running = new Map<number, HeldProcess>();
  readonly #left = Promise.withResolvers<void>();
  #containment: Containment | undefined;
  #leaving = false;
  #gone = false;

  constructor(folder: string, options: KeeperOptions = {}) {
    this.left = this.#left.promise;
    this.#session = options.session ?? (() => basename(resolve(folder)));
    this.#spool = new PatientSpool(folder, options);
    this.since = this.#spool.lastSeq;
    this.#containment = options.containment;
    this.#lease = new Lease(options.lease ?? defaultLease, () => void this.#windDown());
    this.#leaseGrace = options.leaseGrace ?? defaultLeaseGrace;
  }

  get lastSeq(): number {
    return this.#spool.lastSeq;
  }

  /**
   * Makes what is recorded hold against a loss of power, and gives the last record that does. Nothing when the disk fails,
   * nor when this keeper has left: then nobody has seen to what it recorded last.
   */
  sync(): number | undefined {
    return !this.#gone && this.#spool.sync() ? this.lastSeq : undefined;
  }

  /** Finds out now, while nobody waits, what the first launch would have to find out. */
  makeReady(): void {
    this.#containment ??= findContainment();
  }

  /** A client is there, until disposed. */
  attend(): Disposable {
    return this.#lease.attend();
  }

  /** Records a frame and does it, in this order; a frame whose id is in the spool is only acknowledged. */
  take(frame: Frame): Ack {
    if (this.#gone) throw new FrameRefused(frame.id, "This keeper has left.");
    const known = this.#spool.seqOf(frame.id);
    if (known !== undefined) return { ack: frame.id, seq: known, duplicate: true };
    return { ack: frame.id, seq: this.#carryOut(frame), duplicate: false };
  }

  /** Ends all processes with everything they started. Their exits are recorded a little later. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#running.values()].map((held) => held.kill()));
  }

  /** Ends all processes, and then leaves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    await this.endAll();
    await this.left;
  }

  #carryOut(frame: Frame): number {
    switch (frame.do) {
      case "note":
        return this.#record("note", 0, frame.text, frame.id);
      case "launch":
        return this.#launch(frame.id, frame.line);
      case "say":
        return this.#tell(frame, "in", frame.text, (held) => held.say(frame.text), frame.process);
      case "hangup":
        return this.#tell(frame, "hangup", "", (held) => held.hangup());
      case "signal":
        return this.#tell(frame, "signal", frame.signal, (held) => held.signal(frame.signal));
      case "kill":
        return this.#tell(frame, "signal", "kill", (held) => void held.kill());
      case "type":
        if (!this.#terminal(frame.id).type(frame.text))
          throw new FrameRefused(frame.id, "The terminal does not listen.");
        return this.lastSeq;
      case "resize":
        this.#terminal(frame.id).resize(frame.size);
        return this.lastSeq;
      case "trim":
        this.#spool.trim(frame.id, frame.upTo);
        return this.lastSeq;
      case "leave":
        if (frame.after !== undefined && frame.after !== this.lastSeq) {
          throw new FrameRefused(frame.id, "Something has been recorded since.");
        }
        this.#leave();
        return this.lastSeq;
    }
  }

  #launch(id: string, line: LaunchLine): number {
    if (this.#leaving) throw new FrameRefused(id, "This keeper is leaving and launches nothing any more.");
    const number = this.#spool.lastProcess + 1;
    const containment = (this.#containment ??= findContainment());
    const session = this.#session();
    // The values of the environment may be secrets: they never reach the disk.
    const { env, ...rest } = line;
    const shown = { ...rest, env: Object.keys(env).toSorted(), containment: containment.kind };
    const seq = this.#record("launch", number, JSON.stringify(shown), id);
    this.#spool.prepare();
    const heard = (kind: "out" | "err" | "screen", bytes: Uint8Array): Promise<void> | undefined => {
      this.#lease.renew();
      return this.#spool.hear({ kind, process: number, id: "", bytes });
    };
    const exited = (): void => this.#spool.ending(number);
    // Nobody has asked for this hangup, so it has no id.
    const deafened = (): void => {
      void this.#spool.hear({ kind: "hangup", process: number, id: "", bytes: Buffer.alloc(0) });
    };
    const held = new HeldProcess({ number, session, line, containment, heard, deafened, exited });
    this.#running.set(number, held);
    void this.#awaitExit(number, held);
    return seq;
  }

  async #awaitExit(number: number, held: HeldProcess): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(await held.ended));
    await this.#spool.hear({ kind: "exit", process: number, id: "", bytes });
    this.#running.delete(number);
    this.#leaveIfIdle();
  }

  /**
   * A process that has ended hears nothing, but what was meant for it is recorded all the same: so the id is spent,
   * and the frame, sent again after a crash, can never reach a later process.
   */
  #tell(frame: Frame, kind: RecordKind, text: string, act: (held: HeldProcess) => void, wanted?: number): number {
    const newest = this.#spool.lastProcess;
    const number = wanted ?? newest;
    if (number < 1 || number > newest) throw new FrameRefused(frame.id, "There is no such process to tell.");
    const seq = this.#record(kind, number, text, frame.id);
    const held = this.#running.get(number);
    if (held !== undefined) act(held);
    return seq;
  }

  #terminal(id: string): Terminal {
    const terminal = this.#running.get(this.#spool.lastProcess)?.terminal ?? null;
    if (terminal === null) throw new FrameRefused(id, "No terminal is open.");
    return terminal;
  }

  #record(kind: RecordKind, number: number, text: string, id: string): number {
    const bytes = Buffer.from(text);
    if (bytes.length > maxPayload) throw new FrameRefused(id, `A record may carry ${maxPayload} bytes.`);
    // Whoever wants to end a process on a full disk must be able to.
    return this.#spool.record({ kind, process: number, id, bytes }, kind === "signal");
  }

  /** Nobody has come for a long time: lets the agents end, then makes them. Whoever comes now is too late. */
  async #windDown(): Promise<void> {
    this.#leave();
    for (const [number, held] of this.#running) {
      try {
        this.#record("hangup", number, "", leaseId);
      } catch {
        // The disk is full; but nobody is there who would miss the record.
      }
      held.hangup();
    }
    await settledWithin(this.left, this.#leaseGrace);
    await this.endAll();
  }

  #leave(): void {
    this.#leaving = true;
    this.#leaveIfIdle();
  }

  #leaveIfIdle(): void {
    if (!this.#leaving || this.#gone || this.#running.size > 0) return;
    this.#gone = true;
    this.#lease[Symbol.dispose]();
    this.#spool[Symbol.dispose]();
    this.#left.resolve();
  }
}
