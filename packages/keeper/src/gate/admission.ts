import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { NetworkGate, NetworkRecord, NetworkRule } from "@fairlead/contract";
import type { KeeperClock } from "../keeper-clock.ts";
import { HeldTargets } from "./held-targets.ts";
import { judgeHost, type Target, targetKey } from "./judge-host.ts";
import { isPublicAddress } from "./public-address.ts";

export interface AdmissionOptions {
  readonly gate: NetworkGate;
  readonly clock: KeeperClock;
  /** Receives every verdict, before anything is sent. */
  readonly onVerdict: (record: NetworkRecord) => void;
  /** Resolves a name outside of the sandbox. Default: the machine's resolver. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  /** Whether a resolved address may be connected to. Default: addresses on the internet. */
  readonly isReachable?: (address: string) => boolean;
}

/** The addresses to connect to, or why the connection is refused. */
export type AdmissionResult =
  | { readonly addresses: readonly LookupAddress[] }
  | { readonly refusedBy: NetworkRule | "denied" };

/** Decides which connections of an agent pass the gate. */
export class Admission implements Disposable {
  readonly #options: AdmissionOptions;
  readonly #resolve: (host: string) => Promise<readonly LookupAddress[]>;
  readonly #isReachable: (address: string) => boolean;
  /** Targets that were allowed while this process ran. */
  readonly #answered = new Set<string>();
  readonly #held: HeldTargets;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? ((host) => lookup(host, { all: true }));
    this.#isReachable = options.isReachable ?? isPublicAddress;
    this.#held = new HeldTargets({
      clock: options.clock,
      onHeld: (target) => this.#record(target, "held", "unlisted"),
      onTimeout: (target) => this.#record(target, "refused", "no-answer"),
    });
  }

  /** Applies an answer to what waits. An allowed target stays allowed; a refused one is asked about again. */
  answer(target: Target, isAllowed: boolean): void {
    if (isAllowed) this.#answered.add(targetKey(target));
    this.#held.answer(target, isAllowed);
  }

  /**
   * Judges a connection, waits for an answer if one is needed, and resolves the name, once. Returns null if an allowed name
   * has no address.
   */
  async admit(target: Target): Promise<AdmissionResult | null> {
    const { verdict, rule } = judgeHost(target, this.#options.gate, this.#answered);
    if (verdict === "refused") return this.#refuse(target, rule);
    if (verdict === "ask") {
      const outcome = await this.#held.hold(target);
      if (outcome === "too-many") return this.#refuse(target, outcome);
      // The keeper records answers, and the timeout is recorded once for all connections.
      if (outcome !== "allowed") return { refusedBy: outcome === "refused" ? "denied" : outcome };
    }
    const addresses = await this.#resolve(target.host).catch(() => []);
    if (addresses.length === 0) {
      this.#record(target, "refused", "unresolved");
      return null;
    }
    // One private address is enough: a name that has both kinds is used to reach the private one.
    const isTrusted = rule === "service" || rule === "forwarded";
    if (!isTrusted && !addresses.every(({ address }) => this.#isReachable(address))) {
      return this.#refuse(target, "private");
    }
    this.#record(target, "allowed", verdict === "ask" ? "answer" : rule);
    return { addresses };
  }

  /** Records a request that names no target. */
  recordInvalid(text: string): void {
    const printable = text.replace(/[^\x20-\x7e]/g, "?").slice(0, 255);
    this.#record({ host: printable === "" ? "?" : printable, port: 0 }, "refused", "invalid");
  }

  /** Refuses everything that waits. */
  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  #refuse(target: Target, rule: NetworkRule): AdmissionResult {
    this.#record(target, "refused", rule);
    return { refusedBy: rule };
  }

  #record({ host, port }: Target, verdict: NetworkRecord["verdict"], rule: NetworkRule): void {
    this.#options.onVerdict({ host, port, verdict, rule });
  }
}
