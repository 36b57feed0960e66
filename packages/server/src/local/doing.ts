import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Checkpoint, Fork, Resume, SessionView, Start } from "@fairlead/api";
import { FairleadError, type Answer, type TerminalSize } from "@fairlead/contract";
import {
  choose,
  nameOfKey,
  type Asked,
  type Environment,
  type Runtime,
  type Session,
  type Sessions,
} from "@fairlead/runtime";
import { awaken, eventOf } from "./awaken.ts";
import type { Looking } from "./looking.ts";
import { mustAsk } from "./must-ask.ts";

export interface DoingParts {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly looking: Looking;
  readonly environment: Environment;
  /** The agent when nobody says which. */
  readonly fallback: string;
  /** Whether a workspace's file is trusted with all that it sets. */
  readonly trusts: NonNullable<Asked["trusts"]>;
}

/** Under which key something is done, and whether it may have been done already, before this process was there. */
export interface Act {
  readonly key: string;
  readonly again: boolean;
  /** Whether nothing may be begun that would ask nobody. */
  readonly cautious: boolean;
}

/**
 * What changes something. Each thing is done under a key, from which the names of all that comes of it are derived: done
 * again under the same key, by this process or after it was killed, it is the same thing.
 */
export class Doing {
  readonly #parts: DoingParts;

  constructor(parts: DoingParts) {
    this.#parts = parts;
  }

  async start(order: Start, act: Act): Promise<SessionView> {
    const { runtime, environment, fallback, trusts } = this.#parts;
    const { workspace, agent, settings, mode, name, prompt } = order;
    acceptWorkspace(workspace);
    const asked = { workspace, environment, fallback, trusts };
    const wanted = { ...(agent && { agent }), ...(settings && { settings }), ...(mode && { mode }) };
    const choice = choose(runtime.registry, {
      ...asked,
      ...wanted,
      cautious: act.cautious,
    });
    if (act.cautious) {
      mustAsk(runtime.registry.find(choice.agent).manifest, {
        mode: choice.mode ?? "default",
        settings: choice.settings,
      });
    }
    const options = {
      agent: choice.agent,
      workspace,
      settings: choice.settings,
      ...(choice.mode && { mode: choice.mode }),
    };
    const begin = (session: string): Promise<Session> => runtime.start({ ...options, session, ...(name && { name }) });
    return await this.#begin(act, begin, prompt);
  }

  async send(id: string, text: string, act: Act): Promise<{ turn: string }> {
    const turn = await this.#do(id, act, async (session) => {
      await awaken(session);
      return await session.send(text, act.key);
    });
    return { turn };
  }

  async steer(id: string, text: string, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.steer(text, act.key));
  }

  async inject(id: string, text: string, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.inject(text, act.key));
  }

  async answer(id: string, decision: string, answer: Answer, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.answer(decision, answer, act.key));
  }

  async interrupt(id: string, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.interrupt(act.key));
  }

  async pause(id: string, act: Act): Promise<Checkpoint> {
    const { looking } = this.#parts;
    const { state, last } = await looking.session(id);
    if (state !== "paused") {
      await this.#do(id, act, async (session) => {
        await session.pause(act.key);
        await eventOf(session, last, "session.paused");
      });
    }
    return await looking.checkpoint(id);
  }

  async resume(id: string, { outcome = "native" }: Resume, act: Act): Promise<SessionView> {
    const { runtime, looking } = this.#parts;
    if (outcome === "native" && (await looking.session(id)).state !== "ended") {
      await this.#do(id, act, awaken);
      return await looking.session(id);
    }
    await this.#mustAskLike(id, act);
    return await this.#begin(act, (as) => runtime.resume(id, outcome, as));
  }

  async fork(id: string, { name, workspace }: Fork, act: Act): Promise<SessionView> {
    if (workspace !== undefined) acceptWorkspace(workspace);
    await this.#mustAskLike(id, act);
    const options = { ...(name && { name }), ...(workspace && { workspace }) };
    return await this.#begin(act, (session) => this.#parts.runtime.fork(id, { ...options, session }));
  }

  async stop(id: string, act: Act): Promise<SessionView> {
    const { looking } = this.#parts;
    const { state, last } = await looking.session(id);
    if (state !== "ended") {
      try {
        await this.#do(id, act, async (session) => {
          await session.end(act.key);
          await eventOf(session, last, "session.ended");
        });
      } catch (error) {
        // It came to its end by itself, or it turned out that it had been lost.
        if (!FairleadError.is(error, "session-ended")) throw error;
      }
    }
    return await looking.session(id);
  }

  async takeOver(id: string, size: TerminalSize, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.takeOver(size, act.key));
  }

  async handBack(id: string, act: Act): Promise<void> {
    await this.#do(id, act, (session) => session.handBack(act.key));
  }

  async forget(id: string): Promise<void> {
    const { runtime, sessions, looking } = this.#parts;
    // Of one that has just ended, whoever drove it may not have let go yet.
    if (sessions.driven(id)?.state.ledger.over) await sessions.driven(id)?.finished;
    await runtime.forget(id);
    looking.forget(id);
  }

  /** What comes of a session is begun as that was. */
  async #mustAskLike(id: string, { cautious }: Act): Promise<void> {
    if (!cautious) return;
    const { runtime, looking } = this.#parts;
    const { agent, mode, settings } = await looking.checkpoint(id);
    mustAsk(runtime.registry.find(agent).manifest, { mode, settings });
  }

  async #do<Result>(id: string, { again }: Act, ask: (session: Session) => Promise<Result>): Promise<Result> {
    const { sessions } = this.#parts;
    return again ? await sessions.actAgain(id, ask) : await sessions.act(id, ask);
  }

  /** Begins a session under the id that belongs to the key, or finds that it was begun. */
  async #begin({ key }: Act, begin: (id: string) => Promise<Session>, prompt?: string): Promise<SessionView> {
    const { runtime, sessions, looking } = this.#parts;
    const id = nameOfKey(key);
    try {
      const isKnown = await runtime.catalogue.knows(id);
      const session = isKnown ? await sessions.get(id) : await sessions.adopt(begin(id));
      if (prompt !== undefined) await session.send(prompt, key);
    } catch (error) {
      // An agent that failed at once has still been started, and the session tells what became of it.
      if (!FairleadError.is(error, "session-ended")) throw error;
    }
    return await looking.session(id);
  }
}

function acceptWorkspace(workspace: string): void {
  if (workspace.includes("\0")) throw new FairleadError("invalid-request", "No path has a NUL in it.");
  if (!isAbsolute(workspace)) throw new FairleadError("invalid-request", `"${workspace}" is not an absolute path.`);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new FairleadError("invalid-request", `There is no folder ${workspace} to work in.`);
}
