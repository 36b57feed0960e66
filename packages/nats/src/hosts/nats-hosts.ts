import { FairleadError } from "@fairlead/contract";
import type { HostChange, HostInfo, Hosts, Membership } from "@fairlead/engine";
import { Bucket, type OpenBucketOptions } from "../bucket/bucket.ts";
import { maxHostAbsence } from "./create-hosts-bucket.ts";
import { readHostEntry } from "./host-entry.ts";
import { hostOfOwner, parseHostOwner } from "./host-owner.ts";
import { NatsMembership } from "./nats-membership.ts";
import { watchHosts } from "./watch-hosts.ts";

export interface NatsHostsOptions extends OpenBucketOptions {
  /** The stable id of this host. The caller keeps it in the data directory, so that it survives a restart. */
  readonly hostId: string;
  /** The milliseconds between two heartbeats. Default: 3 seconds. */
  readonly heartbeat?: number;
  /** The milliseconds without a heartbeat after which this host no longer counts as alive. Default: 20 seconds. */
  readonly expiry?: number;
}

const defaultHeartbeat = 3_000;
const defaultExpiry = 20_000;
// One heartbeat may be lost, and the next one may be late.
const minHeartbeats = 3;

/**
 * The hosts of a fleet. Each has an entry in a bucket, and the servers remove an entry that no heartbeat has renewed in time.
 * The log alone decides who may write, because a server that is cut off from the others could answer with old entries.
 */
export class NatsHosts implements Hosts {
  readonly #bucket: Bucket;
  readonly #hostId: string;
  readonly #heartbeat: number;
  readonly #expiry: number;
  readonly #asked = new Map<string, Promise<boolean>>();

  private constructor(bucket: Bucket, hostId: string, heartbeat: number, expiry: number) {
    this.#bucket = bucket;
    this.#hostId = hostId;
    this.#heartbeat = heartbeat;
    this.#expiry = expiry;
  }

  /** Opens the bucket that `createHostsBucket` has created. */
  static async open(options: NatsHostsOptions): Promise<NatsHosts> {
    const { hostId, heartbeat = defaultHeartbeat, expiry = defaultExpiry } = options;
    if (hostId === "") throw new FairleadError("invalid-request", "The id of a host is empty.");
    const bucket = await Bucket.open("hosts", options);
    const { maxAge } = await bucket.readState();
    if (maxAge < maxHostAbsence) {
      const message = `The entries of the stream ${bucket.name.stream} expire after ${maxAge} ms, which is too early.`;
      throw new FairleadError("invalid-settings", `${message} Choose another namespace for this version.`);
    }
    if (expiry < heartbeat * minHeartbeats) {
      const message = `Hosts expire after ${expiry} ms, and a heartbeat every ${heartbeat} ms is too slow for that.`;
      throw new FairleadError(
        "invalid-settings",
        `${message} Choose at most ${Math.floor(expiry / minHeartbeats)} ms.`,
      );
    }
    return new NatsHosts(bucket, hostId, heartbeat, expiry);
  }

  async join(host: HostInfo): Promise<Membership> {
    const { expiry, heartbeat } = { expiry: this.#expiry, heartbeat: this.#heartbeat };
    return await NatsMembership.join({ bucket: this.#bucket, hostId: this.#hostId, host, heartbeat, expiry });
  }

  /** Asks the leader, because a copy that lags behind would report a host that has just joined as dead. */
  async isAlive(owner: string): Promise<boolean> {
    const key = parseHostOwner(owner)?.instance;
    if (key === undefined) return false;
    const asked = this.#asked.get(owner);
    if (asked !== undefined) return await asked;
    // Many sessions have the same owner, and a recovery asks about all of them at once.
    const asking = this.#bucket
      .readLast(key)
      .then((entry) => readHostEntry(entry)?.owner === owner)
      .finally(() => this.#asked.delete(owner));
    this.#asked.set(owner, asking);
    return await asking;
  }

  isElsewhere(owner: string): boolean {
    const host = hostOfOwner(owner);
    return host !== undefined && host !== this.#hostId;
  }

  poolOf(owner: string): string | undefined {
    return parseHostOwner(owner)?.pool;
  }

  watch(signal: AbortSignal): AsyncIterable<HostChange> {
    return watchHosts(this.#bucket, signal);
  }
}
