import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { HostInfo, Membership } from "@fairlead/engine";
import type { Bucket, BucketWrite } from "../bucket/bucket.ts";
import { hostMarkerAge, maxHostAbsence } from "./create-hosts-bucket.ts";
import { encodeHostEntry } from "./host-entry.ts";
import type { HostOwner } from "./host-owner.ts";
import { listAbsences } from "./list-absences.ts";

// A host that leaves while the servers cannot be reached expires instead.
const leaveTimeout = 3_000;

export interface MembershipOptions {
  readonly bucket: Bucket;
  readonly hostId: string;
  readonly host: HostInfo;
  /** The milliseconds between two heartbeats, and after which the servers expire an entry without one. */
  readonly heartbeat: number;
  readonly expiry: number;
}

/** A host's entry in the bucket, which heartbeats keep from expiring. Only this instance writes its key. */
export class NatsMembership implements Membership {
  readonly owner: string;
  readonly #bucket: Bucket;
  readonly #key: string;
  #host: HostInfo;
  readonly #heartbeat: number;
  readonly expiry: number;
  readonly #hostId: string;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #revision = 0;
  #confirmedAt = 0n;
  #expiryTimer: NodeJS.Timeout | undefined;
  #heartbeats: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #leaving: Promise<void> | undefined;

  private constructor({ bucket, hostId, host, heartbeat, expiry }: MembershipOptions) {
    const instance = randomBytes(12).toString("base64url");
    const owner: HostOwner = { host: hostId, instance, ...(host.pool !== undefined && { pool: host.pool }) };
    this.owner = JSON.stringify(owner);
    this.#bucket = bucket;
    this.#key = owner.instance;
    this.#hostId = hostId;
    this.#host = host;
    this.#heartbeat = heartbeat;
    this.expiry = expiry;
  }

  static async join(options: MembershipOptions): Promise<NatsMembership> {
    const membership = new NatsMembership(options);
    await membership.#write({ expiry: options.expiry });
    if (membership.lost.aborted) throw membership.lost.reason;
    membership.#heartbeats = membership.#sendHeartbeats();
    return membership;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  confirmedAt(): bigint {
    return this.#confirmedAt;
  }

  async setDraining(isDraining: boolean): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { draining: _, ...host } = this.#host;
    this.#host = isDraining ? { ...host, draining: true } : host;
    await this.#write({ expiry: this.expiry, signal: AbortSignal.any([this.#stopped.signal, this.lost]) });
  }

  async absent(milliseconds: number): Promise<void> {
    if (milliseconds > maxHostAbsence) {
      const message = `A host can be absent for at most ${maxHostAbsence / 60_000} minutes.`;
      throw new FairleadError("invalid-request", message);
    }
    await this.#stop();
    // Without an entry that could be renewed, its owner counts as dead already.
    this.#leaving ??= Promise.resolve();
    if (this.lost.aborted) throw this.lost.reason;
    this.#host = { ...this.#host, absent: true };
    await this.#write({ expiry: milliseconds });
    if (this.lost.aborted) throw this.lost.reason;
  }

  async endAbsences(): Promise<void> {
    for (const { key, revision } of await listAbsences(this.#bucket, this.#hostId)) {
      await this.#bucket.write({ key, value: null, expected: revision, expiry: hostMarkerAge });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#leaving ??= this.#leave());
  }

  async #sendHeartbeats(): Promise<void> {
    const stop = AbortSignal.any([this.#stopped.signal, this.lost]);
    while (!stop.aborted) {
      await delay(this.#heartbeat, undefined, { signal: stop, ref: false }).catch(() => {});
      // A failure is not the end: servers may elect a leader, or the connection may come back before the host expires.
      if (!stop.aborted) await this.#write({ expiry: this.expiry, signal: stop }).catch(() => {});
    }
  }

  /** Writes what is true of the host now, after the writes before, so that no earlier state replaces a later one. */
  async #write(options: Pick<BucketWrite, "expiry" | "signal">): Promise<void> {
    const written = this.#writing.then(() => this.#writeEntry(options));
    this.#writing = written.catch(() => {}); // the caller gets the error
    await written;
  }

  /** Writes the entry with the revision of the one before, so that it cannot come back after it has expired. */
  async #writeEntry(options: Pick<BucketWrite, "expiry" | "signal">): Promise<void> {
    const value = encodeHostEntry({ owner: this.owner, host: this.#host });
    for (;;) {
      const outcome = await this.#bucket.write({ key: this.#key, value, expected: this.#revision, ...options });
      if (outcome.kind === "written") {
        this.#revision = outcome.revision;
        this.#confirmedAt = outcome.startedAt;
        this.#expireLater();
        return;
      }
      // The key is this instance's own, so an entry with a value is a heartbeat whose answer was lost.
      if ((outcome.last?.value ?? null) === null) return this.#lose();
      this.#revision = outcome.last?.revision ?? 0;
    }
  }

  /** Ends the membership on this host's own clock too: a host that is cut off cannot ask whether it has expired. */
  #expireLater(): void {
    clearTimeout(this.#expiryTimer);
    if (this.#stopped.signal.aborted || this.lost.aborted) return;
    // The servers count from when they store the entry, which is later.
    const age = Number(process.hrtime.bigint() - this.#confirmedAt) / 1e6;
    this.#expiryTimer = setTimeout(() => this.#lose(), Math.max(0, this.expiry - age));
    this.#expiryTimer.unref();
  }

  #lose(): void {
    clearTimeout(this.#expiryTimer);
    const reason = `The host has not been able to announce for ${this.expiry / 1000} s that it is alive.`;
    this.#lost.abort(new FairleadError("unavailable", `${reason} Its sessions may be driven by other hosts.`));
  }

  /** Sends no more heartbeats. */
  async #stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#expiryTimer);
    await this.#heartbeats;
    await this.#writing;
  }

  async #leave(): Promise<void> {
    const signal = AbortSignal.timeout(leaveTimeout);
    await this.#stop();
    const erase = async (expected: number): Promise<void> => {
      const outcome = await this.#bucket.write({
        key: this.#key,
        value: null,
        expected,
        expiry: hostMarkerAge,
        signal,
      });
      // A heartbeat whose answer was lost.
      const last = outcome.kind === "refused" ? outcome.last : undefined;
      if (last !== undefined && last.value !== null) await erase(last.revision);
    };
    await erase(this.#revision).catch(() => {});
  }
}
