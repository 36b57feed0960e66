import type { Fairlead, Scope } from "@fairlead/api";
import type { HttpWatch } from "../watch/http-watch.ts";
import type { RequestFacts, Verdict } from "./guard.ts";
import type { Limits } from "./limits.ts";
import type { Turnstile } from "./turnstile.ts";
import type { Vigil } from "./vigil.ts";

export interface AppOptions {
  readonly fairlead: Fairlead;
  /** Asked before anything else of every request, upgrades included; the scope is null when there is no such route. */
  readonly admit: (facts: RequestFacts, scope: Scope | null) => Verdict;
  /** Ends the streams of those who would be let in no longer. */
  readonly vigil?: Vigil;
  readonly limits: Limits;
  /** Where those pass who want a diff; one for all listeners of a service. */
  readonly diffs?: Turnstile;
  /** Ends every stream, since these do not end by themselves. */
  readonly ending: AbortSignal;
  /** The numbers of the service, in Prometheus' form. */
  readonly metrics?: () => Promise<string>;
  /** Told of every request once it is answered, and of who follows. */
  readonly watch?: HttpWatch;
  readonly shutdown?: () => void;
  /** Told of what went wrong that was not the caller's doing. */
  readonly failed?: (error: unknown) => void;
}
