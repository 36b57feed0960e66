/**
 * A plugin for opencode that writes one JSON line to stderr for each model call's usage, each retry and each failure's
 * HTTP status. opencode's protocol reports none of them. opencode's own runtime loads the file, so it imports nothing.
 */

interface OpencodeEvent {
  readonly type: string;
  readonly properties?: {
    readonly info?: { readonly id?: string; readonly providerID?: string; readonly modelID?: string };
    readonly part?: { readonly id?: string; readonly type?: string; readonly messageID?: string } & PartUsage;
    readonly status?: { readonly type?: string; readonly message?: string };
    readonly error?: { readonly data?: { readonly statusCode?: number } };
  };
}

interface PartUsage {
  readonly tokens?: unknown;
  readonly cost?: number;
}

export async function reporterPlugin(): Promise<{ event(hook: { readonly event: OpencodeEvent }): Promise<void> }> {
  const models = new Map<string, { provider: string; model: string }>();
  const reportedParts = new Set<string>();

  function report(message: object): void {
    process.stderr.write(`${JSON.stringify({ witnessed: message })}\n`);
  }

  return {
    async event({ event: { type, properties = {} } }) {
      const { info, part, status, error } = properties;
      if (type === "session.status") {
        // The adapter sets these so that opencode starts without a network. Commands must not inherit them.
        delete process.env["npm_config_fetch_retries"];
        delete process.env["npm_config_fetch_timeout"];
      }
      if (type === "message.updated" && info?.id && info.providerID && info.modelID) {
        models.set(info.id, { provider: info.providerID, model: info.modelID });
      }
      if (type === "message.part.updated" && part?.type === "step-finish" && !reportedParts.has(part.id ?? "")) {
        reportedParts.add(part.id ?? "");
        report({ type: "step", ...models.get(part.messageID ?? ""), tokens: part.tokens, cost: part.cost });
      }
      if (type === "session.status" && status?.type === "retry") report({ type: "retry", words: status.message ?? "" });
      if (type === "session.error") report({ type: "error", status: error?.data?.statusCode ?? null });
    },
  };
}
