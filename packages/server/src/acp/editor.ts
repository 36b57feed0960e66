import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type RequestPermissionOutcome,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Answer, Question } from "@fairlead/contract";
import { parseElicitationResponse, buildElicitationForm } from "./elicitation.ts";
import { answerFromOutcome, approvalRequest, canceledAnswer, selectedLabel, questionRequest } from "./permission.ts";
import type { DecisionRequest, PermissionPrompt } from "./permission.ts";

/** The connected editor, from the view of one session. Receives updates and answers decisions. */
export class Editor {
  readonly #client: AgentContext;
  readonly #capabilities: ClientCapabilities;
  readonly #sessionId: string;

  constructor(client: AgentContext, capabilities: ClientCapabilities, sessionId: string) {
    this.#client = client;
    this.#capabilities = capabilities;
    this.#sessionId = sessionId;
  }

  async sendUpdate(update: SessionUpdate): Promise<void> {
    const { notices, compaction } = this.#capabilities.session ?? {};
    // The protocol allows these two only for editors that declare the capability.
    if (update.sessionUpdate === "notice" && notices == null) return;
    if (update.sessionUpdate === "compaction_update" && compaction == null) return;
    await this.#client.notify(methods.client.session.update, { sessionId: this.#sessionId, update });
  }

  /** Asks the user for a decision. Aborting the signal withdraws the request. */
  async requestDecision(decision: DecisionRequest, signal: AbortSignal): Promise<Answer> {
    const { kind, questions = [] } = decision;
    if (kind !== "question") return answerFromOutcome(await this.#requestPermission(approvalRequest(decision), signal));
    if (this.#capabilities.elicitation?.form != null) return await this.#elicit(decision, questions, signal);
    return await this.#askQuestions(decision, questions, signal);
  }

  async #elicit(decision: DecisionRequest, questions: readonly Question[], signal: AbortSignal): Promise<Answer> {
    const { title: message, call } = decision;
    const context = { sessionId: this.#sessionId, ...(call !== undefined && { toolCallId: call }) };
    const form: CreateElicitationRequest = {
      mode: "form",
      message,
      requestedSchema: buildElicitationForm(questions),
      ...context,
    };
    const response = await this.#client.request(methods.client.elicitation.create, form, cancellationOptions(signal));
    return (
      parseElicitationResponse(questions, response) ?? (response.action === "cancel" ? canceledAnswer : unanswered)
    );
  }

  /** Asks each question as a permission request, because the protocol has no other question without forms. */
  async #askQuestions(decision: DecisionRequest, questions: readonly Question[], signal: AbortSignal): Promise<Answer> {
    const answers = new Map<string, string>();
    for (const question of questions) {
      if (question.options.length === 0) return unanswered;
      const outcome = await this.#requestPermission(questionRequest(decision, question), signal);
      const choice = selectedLabel(question, outcome);
      if (choice === undefined) return outcome.outcome === "cancelled" ? canceledAnswer : unanswered;
      answers.set(question.text, choice);
    }
    return { type: "choose", answers: Object.fromEntries(answers) };
  }

  async #requestPermission(permission: PermissionPrompt, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    const request = { sessionId: this.#sessionId, ...permission };
    const method = methods.client.session.requestPermission;
    const { outcome } = await this.#client.request(method, request, cancellationOptions(signal));
    return outcome;
  }
}

const unanswered: Answer = { type: "deny", message: "The user did not answer this question.", interrupt: false };

function cancellationOptions(signal: AbortSignal): { cancellationSignal: AbortSignal; stopWaitingOnCancel: true } {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
