import { basename, resolve } from "node:path";
import type { LaunchLine, RecordKind } from "@fairlead/contract";
import { FrameRefused } from "./frame-refused.ts";
import type { Ack, Frame } from "./frame.ts";
import { HeldProcess } from "./held-process.ts";
import { spoolFolder } from "./session-folder.ts";
import { maxPayload } from "./spool-format.ts";
import { SpoolWriter } from "./spool-writer.ts";

export interface KeeperOptions {
  /** The session's name, asked at each launch; the folder's own unless told. */
  readonly session?: () => string;
  readonly segmentBytes?: number;
  /** Called after each record, with its sequence. */
  readonly appended?: (seq: number) => void;
}

/** Holds a session's processes and writes down what passes. It never looks into what an agent says. */
export class Keeper {
  /** Settles when the keeper has been told to leave and no process runs any more. Then the spool is closed. */
  readonly left: Promise<void>;
  readonly #session: () => string;
  readonly #spool: SpoolWriter;
  readonly #appended: (seq: number) => void;
  readonly #running = new Map<number, HeldProcess>();
  readonly #left = Promise.withResolvers<void>();
  #leaving = false;
  #gone = false;

  constructor(folder: string, options: KeeperOptions = {}) {
    this.left = this.#left.promise;
    this.#session = options.session ?? (() => basename(resolve(folder)));
    this.#spool = new SpoolWriter(spoolFolder(folder), options);
    this.#appended = options.appended ?? (() => {});
  }

  get lastSeq(): number {
    return this.#spool.lastSeq;
  }

  /** Records a frame and does it, in this order; a frame whose id is in the spool is only acknowledged. */
  take(frame: Frame): Ack {
    if (this.#gone) throw new FrameRefused(frame.id, "This keeper has left.");
    const known = this.#spool.seqOf(frame.id);
    if (known !== undefined) return { ack: frame.id, seq: known, duplicate: true };
    return { ack: frame.id, seq: this.#carryOut(frame), duplicate: false };
  }

  /** Ends all processes with everything they started. */
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
    // The values of the environment may be secrets: they never reach the disk.
    const { env, ...shown } = line;
    const seq = this.#record("launch", number, JSON.stringify({ ...shown, env: Object.keys(env).toSorted() }), id);
    const heard = (stream: "out" | "err", bytes: Uint8Array): void => void this.#append(stream, number, bytes, "");
    const held = new HeldProcess({ number, session: this.#session(), line, heard });
    this.#running.set(number, held);
    void this.#awaitExit(number, held);
    return seq;
  }

  async #awaitExit(number: number, held: HeldProcess): Promise<void> {
    const exit = await held.ended;
    this.#record("exit", number, JSON.stringify(exit), "");
    this.#spool.sync();
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

  #record(kind: RecordKind, number: number, text: string, id: string): number {
    const bytes = Buffer.from(text);
    if (bytes.length > maxPayload) throw new FrameRefused(id, `A record may carry ${maxPayload} bytes.`);
    return this.#append(kind, number, bytes, id);
  }

  #append(kind: RecordKind, number: number, bytes: Uint8Array, id: string): number {
    const { seq } = this.#spool.append({ kind, process: number, id, bytes });
    this.#appended(seq);
    return seq;
  }

  #leave(): void {
    this.#leaving = true;
    this.#leaveIfIdle();
  }

  #leaveIfIdle(): void {
    if (!this.#leaving || this.#gone || this.#running.size > 0) return;
    this.#gone = true;
    this.#spool[Symbol.dispose]();
    this.#left.resolve();
  }
}
