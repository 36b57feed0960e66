import type { Adapter, SpoolRecord } from "@fairlead/contract";
import type { KeeperConnection } from "@fairlead/keeper";
import type { Environment } from "./child-environment.ts";
import type { Clock } from "./clock.ts";
import type { FoldShelf, KeptFold } from "./kept-fold.ts";
import type { Pen } from "./pen.ts";

/** What an actor has of the world. */
export interface ActorParts {
  readonly adapter: Adapter;
  readonly pen: Pen;
  /** The last spool record whose events the journal already has. */
  readonly journaled: number;
  /** Gives the records after the last one given, until there are none; and makes durable what it has given. */
  readonly spool: { read(): readonly SpoolRecord[]; sync(): Promise<void> };
  /** What an actor before us had kept, if it is of use. */
  readonly kept: KeptFold | null;
  readonly shelf: FoldShelf;
  readonly keeper: KeeperConnection;
  /** Starts another keeper when this one is gone. */
  readonly startKeeper: () => Promise<KeeperConnection>;
  readonly environment: Environment;
  readonly clock: Clock;
  /** After so much the fold is kept, and the spool before it may go. */
  readonly keepEvery?: KeepEvery;
}

export interface KeepEvery {
  readonly records: number;
  readonly bytes: number;
}

export const usualKeeping: KeepEvery = { records: 20_000, bytes: 16 * 1024 * 1024 };
