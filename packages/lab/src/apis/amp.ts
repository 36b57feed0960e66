import type { Api } from "../api.ts";
import { asObject, asString } from "../json.ts";
import { anthropicMessages } from "./anthropic-messages.ts";

/** Where Amp looks for the models of a vendor: its own servers pass the requests on. */
const passedOn = "/api/provider/anthropic";

/** Amp's own servers, as far as its last local build needs them: who is asking, and a model behind a longer path. */
export const amp: Api = {
  ...anthropicMessages,
  name: "amp",

  recognise({ method, path, body }) {
    if (path === "/api/internal") {
      return { fixed: { ok: true, result: answers[asString(asObject(body)["method"])] ?? {} } };
    }
    if (!path.startsWith(passedOn)) return undefined;
    const asked = anthropicMessages.recognise({ method, path: path.slice(passedOn.length), body });
    if (asked === undefined || "fixed" in asked) return asked;
    // Only the title of a thread is not streamed: a side job, though it has a tool to answer with.
    return { ...asked, hasTools: asked.streamed && asked.hasTools };
  },

  body(answer) {
    const title = { name: "set_title", input: { title: "A scripted session" } };
    return anthropicMessages.body({ ...answer, step: { tools: [title] } });
  },
};

/** What it insists on; with everything else it is content to get nothing. */
const answers: Readonly<Record<string, unknown>> = {
  getUserInfo: { id: "user_lab", username: "lab", email: "lab@example.invalid", features: [], team: null },
  getUserFreeTierStatus: { canUseAmpFree: false, isDailyGrantEnabled: false },
};
