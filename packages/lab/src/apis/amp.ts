import type { Api } from "../api.ts";
import { asObject, asString } from "../json.ts";
import { anthropicMessages } from "./anthropic-messages.ts";

/** The path prefix of model requests. Amp's servers forward them to the model's vendor. */
const providerPrefix = "/api/provider/anthropic";

/** The part of Amp's servers that its last local build needs: user information, and a model API below a prefix. */
export const ampApi: Api = {
  ...anthropicMessages,
  name: "amp",

  recognize({ method, path, body }) {
    if (path === "/api/internal") {
      return { fixed: { ok: true, result: internalAnswers[asString(asObject(body)["method"])] ?? {} } };
    }
    if (!path.startsWith(providerPrefix)) return undefined;
    const question = anthropicMessages.recognize({ method, path: path.slice(providerPrefix.length), body });
    if (question === undefined || "fixed" in question) return question;
    // Only a request for a thread's title is not streamed. It is auxiliary although it has a tool.
    return { ...question, hasTools: question.streamed && question.hasTools };
  },

  completeBody(answer) {
    const title = { name: "set_title", input: { title: "A scripted session" } };
    return anthropicMessages.completeBody({ ...answer, step: { tools: [title] } });
  },
};

/** The answers that Amp requires. It accepts an empty result for every other method. */
const internalAnswers: Readonly<Record<string, unknown>> = {
  getUserInfo: { id: "user_lab", username: "lab", email: "lab@example.invalid", features: [], team: null },
  getUserFreeTierStatus: { canUseAmpFree: false, isDailyGrantEnabled: false },
};
