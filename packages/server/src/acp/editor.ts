import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type RequestPermissionOutcome,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer, Question } from "@fairlead/contract";
import { answersOf, formOf } from "./elicitation.ts";
import { answerOf, approvalRequest, cancelled, choiceOf, questionRequest } from "./permission.ts";
import type { Decision, Permission } from "./permission.ts";

/** The editor on the other side, as one session sees it: it can be told something, and asked. */
export class Editor {
  readonly #client: AgentContext;
  readonly #capabilities: ClientCapabilities;
  readonly #sessionId: string;

  constructor(client: AgentContext, capabilities: ClientCapabilities, sessionId: string) {
    this.#client = client;
    this.#capabilities = capabilities;
    this.#sessionId = sessionId;
  }

  async tell(update: SessionUpdate): Promise<void> {
    const { notices, compaction } = this.#capabilities.session ?? {};
    // These two may be told only to those who asked for them.
    if (update.sessionUpdate === "notice" && notices == null) return;
    if (update.sessionUpdate === "compaction_update" && compaction == null) return;
    await this.#client.notify(methods.client.session.update, { sessionId: this.#sessionId, update });
  }

  /** Puts a decision to whoever sits there; when the signal aborts, it is withdrawn. */
  async decide(decision: Decision, signal: AbortSignal): Promise<Answer> {
    const { kind, questions = [] } = decision;
    if (kind === "approval") return answerOf(await this.#permit(approvalRequest(decision), signal));
    if (this.#capabilities.elicitation?.form != null) return await this.#elicit(decision, questions, signal);
    return await this.#choose(decision, questions, signal);
  }

  async #elicit(decision: Decision, questions: readonly Question[], signal: AbortSignal): Promise<Answer> {
    const { title: message, call } = decision;
    const about = { sessionId: this.#sessionId, ...(call !== undefined && { toolCallId: call }) };
    const form: CreateElicitationRequest = { mode: "form", message, requestedSchema: formOf(questions), ...about };
    const response = await this.#client.request(methods.client.elicitation.create, form, withdrawable(signal));
    return answersOf(questions, response) ?? (response.action === "cancel" ? cancelled : unanswered);
  }

  /** One question after the other, each as if it were a permission: all that the protocol has without forms. */
  async #choose(decision: Decision, questions: readonly Question[], signal: AbortSignal): Promise<Answer> {
    const answers: Record<string, string> = {};
    for (const question of questions) {
      if (question.options.length === 0) return unanswered;
      const outcome = await this.#permit(questionRequest(decision, question), signal);
      const choice = choiceOf(question, outcome);
      if (choice === undefined) return outcome.outcome === "cancelled" ? cancelled : unanswered;
      answers[question.text] = choice;
    }
    return { type: "choose", answers };
  }

  async #permit(permission: Permission, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    const request = { sessionId: this.#sessionId, ...permission };
    const method = methods.client.session.requestPermission;
    const { outcome } = await this.#client.request(method, request, withdrawable(signal));
    return outcome;
  }
}

const unanswered: Answer = { type: "deny", message: "The user did not answer this question.", interrupt: false };

function withdrawable(signal: AbortSignal): { cancellationSignal: AbortSignal; stopWaitingOnCancel: true } {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
