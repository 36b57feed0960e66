import { capabilitiesOf, FairleadError } from "@fairlead/contract";
import type { Continuation, Event, Finding, Opening } from "@fairlead/contract";
import type { FoldState } from "@fairlead/kit";
import type { Catalogue } from "./catalogue.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { preambleOf } from "./preamble.ts";
import type { Registry } from "./registry.ts";
import type { StartOptions } from "./start-options.ts";

export interface ForkOptions {
  /** The id of the new session, if it is to have a certain one. */
  readonly session?: string;
  readonly name?: string;
  /** Another folder to work in; agents keep their conversations by folder, so it is then rebuilt. */
  readonly workspace?: string;
}

interface SuccessionParts {
  readonly catalogue: Catalogue;
  readonly registry: Registry;
  events(session: string): AsyncIterable<Event>;
  probe(agent: string): Promise<Finding>;
}

/** What has to be started so that the conversation of one session goes on in another. */
export class Succession {
  readonly #parts: SuccessionParts;

  constructor(parts: SuccessionParts) {
    this.#parts = parts;
  }

  /** The continuation of a session that has ended, in the agent's own memory or in what there is consent to. */
  async continued(session: string, outcome: Continuation["outcome"]): Promise<StartOptions> {
    const { opening, agentSessionId, injected } = await this.#left(session);
    const { agent, workspace, mode, settings } = opening;
    if (outcome === "native" && agentSessionId === null) {
      throw new FairleadError(
        "not-supported",
        `Session ${session} has ended, and its agent keeps no conversation to go on with; consent to a rebuilt or a fresh one.`,
      );
    }
    const continues = { session, agentSessionId: outcome === "native" ? agentSessionId : null, outcome };
    const said = outcome === "rebuilt" ? await this.#preamble(session) : [];
    return { agent, workspace, mode, settings, continues, injected: [...said, ...injected] };
  }

  async forked(session: string, options: ForkOptions): Promise<StartOptions> {
    const { opening, agentSessionId, injected } = await this.#left(session);
    const { agent, mode, settings } = opening;
    const workspace = options.workspace ?? opening.workspace;
    const start = { agent, workspace, mode, settings, ...(options.name !== undefined && { name: options.name }) };
    if (agentSessionId !== null && workspace === opening.workspace && (await this.#canFork(agent))) {
      return { ...start, injected, continues: { session, agentSessionId, outcome: "native", fork: true } };
    }
    const said = await this.#preamble(session);
    const continues = { session, agentSessionId: null, outcome: "rebuilt", fork: true } as const;
    return { ...start, injected: [...said, ...injected], continues };
  }

  /** The continuation of a session that is not known here, but whose conversation its agent may know. */
  restored({ session, agentSessionId, agent: agent, workspace, mode, settings, injected }: Checkpoint): StartOptions {
    if (agentSessionId === null) {
      const message = `The checkpoint of ${session} names no conversation of its agent, and the session is not known here.`;
      throw new FairleadError("not-supported", message);
    }
    return { agent, workspace, mode, settings, injected, continues: { session, agentSessionId, outcome: "native" } };
  }

  async #canFork(id: string): Promise<boolean> {
    const { version } = await this.#parts.probe(id);
    return capabilitiesOf(this.#parts.registry.find(id).manifest, version).includes("fork");
  }

  async #left(session: string): Promise<FoldState & { readonly opening: Opening }> {
    const { catalogue } = this.#parts;
    const { state } = catalogue.replay(session, (await catalogue.first(session)).agent);
    if (state.opening === null) throw new FairleadError("session-not-found", `The spool of ${session} is empty.`);
    return { ...state, opening: state.opening };
  }

  async #preamble(session: string): Promise<string[]> {
    return await preambleOf((one) => this.#parts.events(one), session);
  }
}
