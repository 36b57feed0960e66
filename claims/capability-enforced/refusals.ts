import { setTimeout as wait } from "node:timers/promises";
import type { SessionView, StartRequest } from "@fairlead/api";
import type { ModelStep, TestBench } from "@fairlead/conformance";
import { capabilitiesOf, FairleadError, type Adapter, type Capability, type EventOf } from "@fairlead/contract";
import type { AgentEventType } from "@fairlead/contract";
import { LocalFairlead } from "@fairlead/service";
import type { TestHome } from "../../measure/test-home.ts";
import { editInput, invocations, type Moment } from "./invocations.ts";
import { findSideEffects, observeState } from "./observed-effects.ts";

/** A call that was made twice in one moment of a session. */
export interface Refusal {
  readonly feature: string;
  readonly moment: Moment;
  /** The code of the error, or `accepted`, for both calls. */
  readonly outcomes: readonly string[];
  readonly sideEffects: readonly string[];
}

export interface AgentReport {
  readonly refusals: readonly Refusal[];
  /** What the session should have done after the refusals, and did not. */
  readonly problems: readonly string[];
}

/** What happens to an edited approval when the check is off, because the manifest declares `edited-approvals`. */
export interface ControlReport {
  readonly accepted: boolean;
  /** What the agent wrote: `asked` is the original, `edited` the edit. */
  readonly written: string;
  /** Whether the journal says that the edit was allowed. */
  readonly journalSaysEdited: boolean;
}

const waitLimitMs = 240_000;
const writeNote: ModelStep = { actions: [{ write: { path: "note.txt", content: "asked\n" } }] };
const slowText = "one two three four five six seven eight nine ten ".repeat(2).trim();

/** Raises the time that the model may be silent, so that a busy machine does not fail a turn. */
function withLongRetries(settings: object): Record<string, unknown> {
  return { ...settings, ...("retryDeadline" in settings && { retryDeadline: waitLimitMs }) };
}

/** Drives one session of an agent through every moment, and makes every call that the agent must refuse there. */
export class RefusalRun {
  readonly #fairlead: LocalFairlead;
  readonly #testHome: TestHome;
  readonly #bench: TestBench;
  readonly #adapter: Adapter;
  readonly #workspace: string;
  readonly #start: StartRequest;
  readonly #refusals: Refusal[] = [];
  readonly #problems: string[] = [];
  #declared: readonly Capability[] = [];
  #session = "";

  constructor(options: {
    readonly fairlead: LocalFairlead;
    readonly testHome: TestHome;
    readonly bench: TestBench;
    readonly adapter: Adapter;
    readonly mode?: StartRequest["mode"];
  }) {
    const { fairlead, testHome, bench, adapter, mode = bench.mode } = options;
    this.#fairlead = fairlead;
    this.#testHome = testHome;
    this.#bench = bench;
    this.#adapter = adapter;
    this.#workspace = testHome.workspace();
    this.#start = {
      agent: adapter.manifest.id,
      workspace: this.#workspace,
      settings: withLongRetries(bench.settings ?? {}),
      ...(mode && { mode }),
    };
  }

  async run(): Promise<AgentReport> {
    this.#declared = await this.#readCapabilities();
    await this.#refuse("no session");
    this.#session = (await this.#fairlead.start(this.#start)).session;
    if (this.#declared.includes("approvals")) await this.#answerAfterRefusals();
    await this.#sendAndWait([{ text: "Ready." }]);
    await this.#refuse("idle");
    await this.#completeTurnAfterRefusals();
    await this.#pause();
    await this.#refuse("paused");
    await this.#sendAndWait([{ text: "Resumed." }]);
    await this.#fairlead.stop(this.#session);
    await this.#waitForState("ended");
    await this.#refuse("ended");
    return { refusals: this.#refusals, problems: this.#problems };
  }

  /** Allows an edited input. The agent does not support it, and the manifest says that it does. */
  async runControl(): Promise<ControlReport> {
    this.#session = (await this.#fairlead.start(this.#start)).session;
    await this.#send([writeNote, { text: "Done." }]);
    const { decision, input } = await this.#waitForEvent("decision.requested", 1);
    const accepted = await this.#fairlead
      .answer(this.#session, decision, { type: "allow", input: editInput(input) })
      .then(() => true)
      .catch(() => false);
    if (!accepted) return { accepted, written: "", journalSaysEdited: false };
    await this.#waitForEvent("turn.ended", 1);
    const { files } = await this.#observe();
    const [resolved] = await this.#eventsOfType("decision.resolved");
    const journalSaysEdited = JSON.stringify(resolved?.input ?? "").includes("edited");
    await this.#fairlead.stop(this.#session);
    return { accepted, written: (files["note.txt"] ?? "").trim(), journalSaysEdited };
  }

  /** Makes all refused calls while a decision is open, then allows it, then denies another one. */
  async #answerAfterRefusals(): Promise<void> {
    await this.#send([writeNote, { text: "Done." }]);
    const first = await this.#waitForEvent("decision.requested", 1);
    await this.#refuse("decision", first);
    await this.#fairlead.answer(this.#session, first.decision, { type: "allow" });
    await this.#waitForEvent("turn.ended", 1);
    const { files } = await this.#observe();
    this.#expect(files["note.txt"] === "asked\n", "the allowed call did not run as shown");
    const [allowed] = await this.#eventsOfType("decision.resolved");
    this.#expect(allowed?.outcome === "allowed" && allowed.input === undefined, "the journal has another answer");
    const refusedStep: ModelStep = { actions: [{ write: { path: "other.txt", content: "asked\n" } }] };
    await this.#send([refusedStep, { text: "Then not." }]);
    const second = await this.#waitForEvent("decision.requested", 2);
    await this.#refuse("decision", second);
    await this.#fairlead.answer(this.#session, second.decision, { type: "deny", message: "", interrupt: false });
    await this.#waitForEvent("turn.ended", 2);
    this.#expect(!("other.txt" in (await this.#observe()).files), "the denied call ran");
    this.#expect((await this.#eventsOfType("decision.resolved")).length === 2, "a decision was answered twice");
  }

  async #completeTurnAfterRefusals(): Promise<void> {
    const turns = (await this.#eventsOfType("turn.ended")).length;
    const { modelContext } = await this.#observe();
    await this.#send([{ text: slowText, chunks: 20, chunkDelay: 400 }]);
    await this.#waitUntilModelResponds(modelContext);
    await this.#refuse("turn");
    const { outcome } = await this.#waitForEvent("turn.ended", turns + 1);
    this.#expect(outcome === "completed", `the turn ended as ${outcome}`);
    const starts = await this.#eventsOfType("turn.started");
    this.#expect(starts.length === turns + 1, "a refused message became a turn");
  }

  /** Pauses, and waits until the runtime has recorded the transcript's fingerprint, if the agent has a transcript. */
  async #pause(): Promise<void> {
    await this.#fairlead.pause(this.#session);
    await this.#waitForState("paused");
    const signal = AbortSignal.timeout(waitLimitMs);
    const isFingerprinted = async (): Promise<boolean> =>
      (await this.#eventsOfType("session.changed")).some(({ transcript }) => transcript !== undefined);
    if (this.#adapter.transcriptPath === undefined) return;
    while (!(await isFingerprinted())) await wait(20, undefined, { signal });
  }

  /** Makes each refused call of a moment twice, and compares what there is before and after. */
  async #refuse(moment: Moment, request?: EventOf<"decision.requested">): Promise<void> {
    const { decision = "", input } = request ?? {};
    const target = {
      fairlead: this.#fairlead,
      start: this.#start,
      session: this.#session,
      decision,
      input,
    };
    for (const invocation of invocations) {
      const { feature, moments } = invocation;
      if (!moments.includes(moment) || !invocation.isMissing(this.#adapter.manifest, this.#declared)) continue;
      const before = await this.#observe();
      const outcomes: string[] = [];
      for (const _ of [1, 2])
        outcomes.push(
          await invocation.call(target).then(
            () => "accepted",
            (error: unknown) => (FairleadError.isInstance(error) ? error.code : String(error)),
          ),
        );
      const after = await this.#observe();
      const sideEffects = findSideEffects(before, after, moment === "turn");
      this.#refusals.push({ feature, moment, outcomes, sideEffects });
    }
  }

  #observe(): ReturnType<typeof observeState> {
    return observeState({
      fairlead: this.#fairlead,
      home: this.#testHome.home,
      bench: this.#bench,
      workspace: this.#workspace,
      session: this.#session,
    });
  }

  async #readCapabilities(): Promise<readonly Capability[]> {
    const { manifest } = this.#adapter;
    // A probe of a large program fails on a busy machine, because it has a time limit.
    for (const signal = AbortSignal.timeout(waitLimitMs); ; await wait(1000, undefined, { signal })) {
      const view = (await this.#fairlead.agents()).find(({ agent }) => agent === manifest.id);
      const { installed = false, version = null, flags } = view?.probeResult ?? {};
      if (installed) return capabilitiesOf(manifest, version, flags);
    }
  }

  async #sendAndWait(steps: readonly ModelStep[]): Promise<void> {
    const turns = (await this.#eventsOfType("turn.ended")).length;
    await this.#send(steps);
    const { outcome } = await this.#waitForEvent("turn.ended", turns + 1);
    this.#expect(outcome === "completed", `the turn ended as ${outcome}`);
  }

  async #send(steps: readonly ModelStep[]): Promise<void> {
    const prompt = this.#bench.buildPrompt(steps, this.#workspace);
    if (prompt === null) throw new Error("The test bench has no prompt for these steps.");
    await this.#fairlead.send(this.#session, prompt);
  }

  /** Waits until the agent has the message. From then on, only a call can make the runtime write to the agent. */
  async #waitUntilModelResponds(contextBefore: string): Promise<void> {
    const signal = AbortSignal.timeout(waitLimitMs);
    if (this.#declared.includes("streaming")) {
      for await (const item of this.#fairlead.events(this.#session, { follow: true, deltas: true, signal }))
        if ("type" in item && item.type === "text.delta") return;
      throw new Error("The agent did not answer.");
    }
    while ((await this.#observe()).modelContext === contextBefore) await wait(20, undefined, { signal });
  }

  async #eventsOfType<Type extends AgentEventType>(type: Type): Promise<EventOf<Type>[]> {
    const bodies: EventOf<Type>[] = [];
    for await (const item of this.#fairlead.events(this.#session))
      if ("body" in item && item.body.type === type) bodies.push(item.body as EventOf<Type>);
    return bodies;
  }

  async #waitForEvent<Type extends AgentEventType>(type: Type, nth: number): Promise<EventOf<Type>> {
    const signal = AbortSignal.timeout(waitLimitMs);
    let count = 0;
    for await (const item of this.#fairlead.events(this.#session, { follow: true, signal })) {
      if ("body" in item && item.body.type === type && (count += 1) === nth) return item.body as EventOf<Type>;
    }
    throw new Error(`${type} number ${nth} did not come.`);
  }

  async #waitForState(state: SessionView["state"]): Promise<void> {
    const signal = AbortSignal.timeout(waitLimitMs);
    while ((await this.#fairlead.session(this.#session)).state !== state) await wait(20, undefined, { signal });
  }

  #expect(condition: boolean, problem: string): void {
    if (!condition) this.#problems.push(problem);
  }
}
