import { basename, resolve } from "node:path";
import type { Exit, NetworkRecord, RecordKind } from "@fairlead/contract";
import type { KeeperOptions } from "./keeper-options.ts";
import { type Containment, findContainment } from "./process/containment.ts";
import { RequestRejected } from "./protocol/request-rejected.ts";
import { ownRequestIds } from "./own-request-ids.ts";
import type { KeeperAck, KeeperRequest } from "./protocol/messages.ts";
import { PreparedGates } from "./gate/prepared-gates.ts";
import type { LaunchedProcess, LaunchedProcessOptions, LaunchProcess } from "./process/launched-process.ts";
import { nextProcessNumber, requestedProcessNumber } from "./process/process-numbers.ts";
import { RunningProcesses } from "./process/running-processes.ts";
import { resolveSecrets, resolveSecretText } from "./process/resolve-secrets.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import { RealProcess } from "./process/real-process.ts";
import { withholdProcess } from "./process/withhold-process.ts";
import { type KeeperClock, settledWithin, systemClock } from "./keeper-clock.ts";
import type { KeeperDeadlines } from "./keeper-deadlines.ts";
import { Lease } from "./lease.ts";
import { MaskedOutput } from "./masks/masked-output.ts";
import { Masks } from "./masks/masks.ts";
import { BufferedSpool } from "./spool/buffered-spool.ts";
import { maxPayloadBytes } from "./spool/spool-format.ts";
import { TerminalRequests } from "./process/terminal-requests.ts";
import { UnattendedRule } from "./unattended-rule.ts";

const defaultLeaseMs = 15 * 60 * 1000;
const defaultLeaseGraceMs = 10_000;

type NetworkAnswer = Extract<KeeperRequest, { readonly do: "network" }>;
type LaunchRequest = Extract<KeeperRequest, { readonly do: "launch" }>;

/** Supervises a session's processes and records their input and output. It never interprets the output of an agent. */
export class Keeper {
  /** Settles when the keeper was asked to leave and no process runs. The spool is then closed. */
  readonly whenLeft: Promise<void>;
  /** The last sequence in the spool when this keeper started. */
  readonly startSeq: number;
  readonly #sessionName: () => string;
  readonly #spool: BufferedSpool;
  readonly #clock: KeeperClock;
  readonly #launchProcess: LaunchProcess;
  readonly #lease: Lease;
  readonly #leaseGraceMs: number;
  readonly #running = new RunningProcesses();
  readonly #terminals = new TerminalRequests(
    () => this.#running.get(this.#spool.lastProcess)?.terminal ?? null,
    () => this.#unattended.isFrozen,
  );
  readonly #unattended: UnattendedRule;
  readonly #masks = new Masks();
  readonly #gates = new PreparedGates();
  readonly #whenLeft = Promise.withResolvers<void>();
  #containment: Containment | undefined;
  #isLeaving = false;
  #hasLeft = false;

  constructor(folder: string, options: KeeperOptions = {}) {
    this.whenLeft = this.#whenLeft.promise;
    this.#sessionName = options.sessionName ?? (() => basename(resolve(folder)));
    this.#spool = new BufferedSpool(folder, options);
    this.startSeq = this.#spool.lastSeq;
    this.#containment = options.containment;
    this.#clock = options.clock ?? systemClock;
    this.#launchProcess = options.launchProcess ?? ((launch) => new RealProcess(launch));
    this.#lease = new Lease(options.leaseMs ?? defaultLeaseMs, () => void this.#windDown(), this.#clock);
    this.#leaseGraceMs = options.leaseGraceMs ?? defaultLeaseGraceMs;
    const rule = { processes: this.#running, clock: this.#clock, onEnd: () => this.#endUnattended() };
    this.#unattended = new UnattendedRule({ limits: options.unattended, ...rule });
  }

  get lastSeq(): number {
    return this.#spool.lastSeq;
  }

  /**
   * Syncs the spool and returns the sequence of the last record, which now survives a loss of power. Returns undefined
   * when the disk fails, and when this keeper has left: the spool is then closed and its last records may be unsynced.
   */
  sync(): number | undefined {
    return !this.#hasLeft && this.#spool.sync() ? this.lastSeq : undefined;
  }

  /** Detects the containment ahead of the first launch, so that the launch does not have to wait for it. */
  detectContainment(): Containment {
    return (this.#containment ??= findContainment());
  }

  /** Prepares the gate of the next launch. Settles when it is ready, or if there can be none. */
  async prepareGate(): Promise<void> {
    const containment = this.detectContainment();
    if (containment.kind === "namespace" && !this.#isLeaving) await this.#gates.prepare(containment.program);
  }

  /** Keeps the lease from expiring until disposed. Called for each connected client. */
  acquireLease(): Disposable {
    return this.#lease.acquire();
  }

  /** Records a request and then executes it. A request whose id is in the spool is only acknowledged. */
  handle(request: KeeperRequest): KeeperAck {
    this.#unattended.check();
    if (this.#hasLeft) throw new RequestRejected(request.id, "The keeper has left: it accepts no requests.", true);
    const recordedSeq = this.#spool.seqOf(request.id);
    if (recordedSeq !== undefined) return { ack: request.id, seq: recordedSeq, duplicate: true };
    return { ack: request.id, seq: this.#execute(request), duplicate: false };
  }

  /** Sets until when the agents may work. Does nothing in a keeper whose agents continue without a client. */
  attend(deadlines: KeeperDeadlines): void {
    this.#unattended.attend(deadlines);
  }

  /** Kills all processes and everything they started. Their exits are recorded a little later. */
  async killAll(): Promise<void> {
    await this.#running.kill();
  }

  /** Kills all processes, then leaves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    await this.killAll();
    await this.whenLeft;
  }

  #execute(request: KeeperRequest): number {
    switch (request.do) {
      case "note":
        return this.#record("note", 0, request.text, request.id);
      case "launch":
        return this.#launch(request);
      case "write": {
        const text = resolveSecretText(request.text, request.secrets);
        const write = (launched: LaunchedProcess): void => launched.write(this.#masks.restore(text));
        return this.#sendToProcess(request, "in", request.text, write, request.process);
      }
      case "close-stdin":
        return this.#sendToProcess(request, "stdin-closed", "", (launched) => launched.closeStdin());
      case "signal":
        return this.#sendToProcess(request, "signal", request.signal, (launched) => launched.signal(request.signal));
      case "kill":
        return this.#sendToProcess(request, "signal", "kill", (launched) => void launched.kill());
      case "mask":
        this.#masks.add(request.masks);
        return this.lastSeq;
      case "prepare-gate":
        void this.prepareGate();
        return this.lastSeq;
      case "network":
        return this.#answerNetwork(request);
      case "type":
        this.#terminals.type(request.id, request.text);
        return this.lastSeq;
      case "resize":
        this.#terminals.resize(request.id, request.size);
        return this.lastSeq;
      case "trim":
        this.#spool.trim(request.id, request.upTo);
        return this.lastSeq;
      case "leave":
        if (request.after !== undefined && request.after !== this.lastSeq) {
          throw new RequestRejected(request.id, `Records were written after record ${request.after}.`);
        }
        this.#leave();
        return this.lastSeq;
    }
  }

  #launch({ id, command, secrets = {}, sandbox = noSandbox, credential }: LaunchRequest): number {
    // Retryable: the next keeper of the session launches it.
    if (this.#isLeaving) throw new RequestRejected(id, "The keeper is leaving: it launches no more processes.", true);
    const number = nextProcessNumber(id, this.#spool.lastProcess);
    const containment = this.detectContainment();
    // Environment values may be secrets: only the names are written to disk.
    const { env, ...rest } = command;
    const limits = sandbox.kind === "none" ? {} : { sandbox };
    const recordedCommand = { ...rest, env: Object.keys(env).toSorted(), containment: containment.kind, ...limits };
    const seq = this.#record("launch", number, JSON.stringify(recordedCommand), id);
    this.#spool.fillReserve();
    const output = new MaskedOutput({
      masks: this.#masks,
      clock: this.#clock,
      write: (kind, bytes) => this.#spool.appendOrQueue({ kind, process: number, id: "", bytes }),
    });
    const onOutput: LaunchedProcessOptions["onOutput"] = (kind, bytes) => {
      this.#unattended.check();
      this.#lease.renew();
      return output.push(kind, bytes);
    };
    // No request caused this record, so it has no id.
    const onStdinClosed = (): void => {
      void this.#spool.appendOrQueue({ kind: "stdin-closed", process: number, id: "", bytes: Buffer.alloc(0) });
    };
    // Recorded like an agent that was ended: the client then knows that the session continues elsewhere, or later.
    const launched = (this.#unattended.isOver ? withholdProcess : this.#launchProcess)({
      number,
      sessionName: this.#sessionName(),
      command: this.#masks.restoreCommand(resolveSecrets(command, secrets)),
      containment,
      sandbox: this.#masks.restoreSandbox(sandbox),
      credential,
      gates: this.#gates,
      clock: this.#clock,
      onOutput,
      onVerdict: (verdict) => void this.#report("network", number, verdict),
      onStdinClosed,
      onExit: () => this.#spool.markExiting(number),
    });
    this.#running.add(number, launched);
    this.#unattended.processLaunched();
    void this.#awaitExit(number, launched, output);
    return seq;
  }

  async #awaitExit(number: number, launched: LaunchedProcess, output: MaskedOutput): Promise<void> {
    const exit = await launched.ended;
    output.end();
    await this.#report("exit", number, exit);
    this.#running.remove(number);
    this.#leaveIfIdle();
  }

  /** Records what happened to a process without a request. */
  async #report(kind: "exit" | "network", number: number, value: Exit | NetworkRecord): Promise<void> {
    const bytes = this.#masks.mask(Buffer.from(JSON.stringify(value)));
    await this.#spool.appendOrQueue({ kind, process: number, id: "", bytes });
  }

  /**
   * Records a request and passes it to a process. A request for a process that has ended is recorded too: the id is
   * then used up, so the request, sent again after a crash, can never reach a later process.
   */
  #sendToProcess(
    request: KeeperRequest,
    kind: RecordKind,
    text: string,
    action: (launched: LaunchedProcess) => void,
    requestedProcess?: number,
  ): number {
    const number = requestedProcessNumber(request.id, this.#spool.lastProcess, requestedProcess);
    const seq = this.#record(kind, number, text, request.id);
    const launched = this.#running.get(number);
    if (launched !== undefined) action(launched);
    return seq;
  }

  /** Records the answer about a host and passes it to the gates of all processes. */
  #answerNetwork({ id, host, port, allow }: NetworkAnswer): number {
    const record = { host, port, verdict: allow ? "allowed" : "refused", rule: "answer" } satisfies NetworkRecord;
    const seq = this.#record("network", 0, JSON.stringify(record), id);
    const target = { host: this.#masks.restore(host), port };
    this.#running.answerNetwork(target, allow);
    return seq;
  }

  #record(kind: RecordKind, number: number, text: string, id: string): number {
    const bytes = Buffer.from(text);
    if (bytes.length > maxPayloadBytes)
      throw new RequestRejected(id, `The request is too large: a record holds at most ${maxPayloadBytes} bytes.`);
    // A signal may use the disk reserve: a client must be able to end a process when the disk is full.
    const entry = { kind, process: number, id, bytes: this.#masks.mask(bytes) };
    return this.#spool.appendOrReject(entry, kind === "signal");
  }

  /**
   * Runs when the lease expires: closes the agents' stdin, then kills those that remain. A new client cannot stop it.
   */
  async #windDown(): Promise<void> {
    this.#leave();
    this.#running.closeStdin((number) => {
      try {
        this.#record("stdin-closed", number, "", ownRequestIds.lease);
      } catch {
        // The disk is full. The record is dropped, because there is no client that needs it.
      }
    });
    await settledWithin(this.#clock, this.whenLeft, this.#leaseGraceMs);
    await this.killAll();
  }

  /** Kills first, then records why. The exits follow, because they are recorded a little later. */
  #endUnattended(): void {
    this.#isLeaving = true;
    void this.#running.killAtOnce();
    const [process, bytes] = [this.#spool.lastProcess, Buffer.from("kill")];
    void this.#spool.appendOrQueue({ kind: "signal", process, id: ownRequestIds.unattended, bytes });
  }

  #leave(): void {
    this.#isLeaving = true;
    this.#leaveIfIdle();
  }

  #leaveIfIdle(): void {
    if (!this.#isLeaving || this.#hasLeft || this.#running.size > 0) return;
    this.#hasLeft = true;
    for (const part of [this.#lease, this.#unattended, this.#gates, this.#spool]) part[Symbol.dispose]();
    this.#whenLeft.resolve();
  }
}
