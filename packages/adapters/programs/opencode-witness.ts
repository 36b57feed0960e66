/**
 * A plugin for opencode. Its own protocol tells neither what each call of a model has used, nor that it is trying again,
 * nor the number of a failure. This tells them, a line each, on standard error. It is loaded by the agent's own runtime,
 * so it imports nothing.
 */

interface Told {
  readonly type: string;
  readonly properties?: {
    readonly info?: { readonly id?: string; readonly providerID?: string; readonly modelID?: string };
    readonly part?: { readonly id?: string; readonly type?: string; readonly messageID?: string } & Usage;
    readonly status?: { readonly type?: string; readonly message?: string };
    readonly error?: { readonly data?: { readonly statusCode?: number } };
  };
}

interface Usage {
  readonly tokens?: unknown;
  readonly cost?: number;
}

export async function witness(): Promise<{ event(heard: { readonly event: Told }): Promise<void> }> {
  const models = new Map<string, { provider: string; model: string }>();
  const counted = new Set<string>();

  function tell(witnessed: object): void {
    process.stderr.write(`${JSON.stringify({ witnessed })}\n`);
  }

  return {
    async event({ event: { type, properties = {} } }) {
      const { info, part, status, error } = properties;
      if (type === "session.status") {
        // They kept it from waiting for a registry out of reach when it started; its commands must not inherit them.
        delete process.env["npm_config_fetch_retries"];
        delete process.env["npm_config_fetch_timeout"];
      }
      if (type === "message.updated" && info?.id && info.providerID && info.modelID) {
        models.set(info.id, { provider: info.providerID, model: info.modelID });
      }
      if (type === "message.part.updated" && part?.type === "step-finish" && !counted.has(part.id ?? "")) {
        counted.add(part.id ?? "");
        tell({ type: "step", ...models.get(part.messageID ?? ""), tokens: part.tokens, cost: part.cost });
      }
      if (type === "session.status" && status?.type === "retry") tell({ type: "retry", words: status.message ?? "" });
      if (type === "session.error") tell({ type: "error", status: error?.data?.statusCode ?? null });
    },
  };
}
