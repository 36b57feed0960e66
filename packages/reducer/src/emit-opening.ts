import { policyDigest, type Opening, type PolicySummary, type SessionPolicy } from "@fairlead/contract";
import { unrecognizedEvent } from "@fairlead/kit";
import { sessionBrief } from "./brief/session-brief.ts";
import type { Emitter } from "./emitter.ts";
import type { FencedDialect } from "./fenced-dialect.ts";
import { spendingAtStart } from "./limits/spending-limits.ts";

/** Begins a session: stores its opening, opens the conversation with the agent and emits `session.started`. */
export function emitOpening(emitter: Emitter, dialect: FencedDialect, opening: Opening): void {
  const {
    name,
    agent,
    adapterVersion,
    probeResult,
    workspace,
    mode,
    continues,
    untrustedFiles = [],
    sandbox,
    limits,
    policy,
    rooms,
    room,
    brief,
    tools,
    parent,
    copy,
    notices = [],
  } = opening;
  const { version: agentVersion, flags } = probeResult;
  emitter.state = { ...emitter.state, opening, spending: spendingAtStart(opening) };
  sessionBrief.opened(emitter, opening);
  // A fork has no conversation of its own until the agent reports its id.
  if (!continues?.fork) emitter.state = { ...emitter.state, agentSessionId: continues?.agentSessionId ?? null };
  const opened = dialect.open(emitter);
  const protocol = "result" in opened ? opened.result.protocol : "unknown";
  if ("result" in opened) emitter.state = { ...emitter.state, dialectState: opened.result.dialect.initialState };
  emitter.emitOwn({
    type: "session.started",
    name,
    agent,
    adapterVersion,
    agentVersion,
    protocol,
    flags,
    workspace,
    mode,
    continues,
    ...(sandbox !== undefined && { sandbox }),
    ...(limits !== undefined && { limits }),
    ...(policy !== undefined && { policy: summarizePolicy(policy) }),
    ...(rooms !== undefined && { rooms }),
    ...(room !== undefined && { room }),
    ...(brief !== undefined && { brief }),
    ...(tools !== undefined && { tools: tools.map((tool) => tool.name) }),
    ...(parent !== undefined && { parent }),
    ...(copy !== undefined && { copy }),
  });
  if (parent !== undefined) emitter.emitOwn({ type: "lead.changed", lead: "delegated" });
  if ("failure" in opened) emitter.emitOwn(unrecognizedEvent("", opened.failure));
  if (untrustedFiles.length > 0) {
    const message = `The workspace is not trusted, so the agent ignores ${untrustedFiles.join(", ")} in it. To use them, type: fairlead trust, and start another session.`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  }
  for (const message of [...notices, ...(policy?.notices ?? [])])
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  // Rebuilt and fresh continuations need no proof. A native one is reported when the agent proves it.
  if (continues !== null && continues.outcome !== "native") {
    emitter.emitOwn({ type: "session.resumed", outcome: continues.outcome, agentSessionId: null });
  }
}

function summarizePolicy(policy: SessionPolicy): PolicySummary {
  const { policies, unattended, deadlineSeconds } = policy;
  return {
    sources: policies.map(({ source, rules, grants }) => ({
      source,
      rules: rules.length,
      ...(grants !== undefined && { grants: grants.length }),
    })),
    digest: policyDigest(policy),
    unattended,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
}
