import { mustAskAboutAll, usesFallback } from "@fairlead/contract";
import type { Adapter, Conversation, LaunchCommand, Manifest, Opening } from "@fairlead/contract";
import type { PermissionMode, ProbeHost, ProbeResult } from "@fairlead/contract";
import { acpDialect, probeProgram } from "@fairlead/kit";
import { z } from "zod";
import { AcpSettings, optionalSettings } from "./wire.ts";
import type { AcpAgentDefinition, AcpLaunchContext, CommonSettings } from "./wire.ts";

export { AcpSettings, type AcpLaunchContext, type AcpAgentDefinition } from "./wire.ts";

/** Creates the adapter of an agent that speaks the Agent Client Protocol from what is specific to that agent. */
export function defineAcpAdapter<Settings extends CommonSettings = AcpSettings>(
  definition: AcpAgentDefinition<Settings>,
): Adapter {
  const { id, version, vendor, label, models, capabilities, environment } = definition;
  const transcriptPath = definition.transcript?.bind(definition);
  const memory = definition.memory?.bind(definition);
  const needs = definition.needs?.bind(definition);
  const schema = definition.settings ?? (AcpSettings as unknown as z.ZodObject & z.ZodType<Settings>);
  const modes = Object.keys(definition.modes) as PermissionMode[];
  const { fallback } = definition;
  const fallbackRule = fallback && {
    missingFlag: fallback.missingFlag,
    // An unreadable help shows no flags. That does not prove that the program lacks the protocol.
    whenFlagsUnknown: false,
    protocol: fallback.protocol,
    capabilities: fallback.capabilities,
  };
  const manifest: Manifest = {
    contract: "adapter/1",
    id,
    version,
    vendor,
    label,
    models,
    capabilities,
    modes,
    environment,
    settings: withoutUnsupportedSettings(schema, definition.honors),
    secretSettings: ["options"],
    ...(definition.workspaceFiles && { workspaceFiles: definition.workspaceFiles }),
    ...(definition.ignoresWorkspaceFiles && { ignoresWorkspaceFiles: definition.ignoresWorkspaceFiles }),
    ...(definition.workspacePrograms && { workspacePrograms: definition.workspacePrograms }),
    ...(fallbackRule && { fallback: fallbackRule }),
  };
  return {
    manifest,
    probe: (host) => probeAgent(definition, host),
    ...(transcriptPath && { transcriptPath }),
    ...(memory && { memory }),
    ...(needs && { needs: (opening: Opening, environment) => needs(environment, opening) }),
    open(opening) {
      if (fallback && fallbackRule && usesFallback(fallbackRule, opening.probeResult.flags)) {
        return fallback.open(opening);
      }
      // Parsed by the whole schema: a spool may contain settings that the manifest's schema refuses today.
      const asksAboutAll = mustAskAboutAll(manifest, opening);
      return openConversation(definition, opening, { settings: schema.parse(opening.settings), asksAboutAll });
    },
  };
}

/** Removes the settings that an agent does not support, so that the runtime refuses them before it starts anything. */
function withoutUnsupportedSettings(
  schema: z.ZodObject,
  honors: AcpAgentDefinition["honors"],
): z.ZodType<Record<string, unknown>> {
  const unsupported: readonly string[] = optionalSettings.filter((name) => !honors.includes(name));
  const supported = Object.entries(schema.shape).filter(([name]) => !unsupported.includes(name));
  return z.strictObject(Object.fromEntries(supported));
}

function openConversation<Settings extends CommonSettings>(
  definition: AcpAgentDefinition<Settings>,
  opening: Opening,
  { settings, asksAboutAll }: Pick<AcpLaunchContext<Settings>, "settings" | "asksAboutAll">,
): Conversation {
  const { mode, workspace, probeResult, untrustedFiles } = opening;
  const { model } = settings;
  const isTrusted = untrustedFiles === undefined;
  const mcpServers = opening.mcpServers ?? [];
  const servers = mcpServers.map(({ name }) => name);
  const launch = { settings, mode, workspace, probeResult, isTrusted, asksAboutAll, servers };
  const { quirks = {}, serverToolPrefix: prefix } = definition;
  const serverTools = prefix !== undefined && servers.length > 0 ? { serverTools: { prefix, servers } } : {};
  const options =
    definition.modelOption !== undefined && model !== undefined ? { [definition.modelOption]: model } : {};
  const dialect = acpDialect({
    launch: () => buildLaunchCommand(definition, launch),
    workspace,
    resumeSessionId: opening.continues?.agentSessionId ?? null,
    authMethod: probeResult.auth === "api-key" ? (definition.authMethod ?? null) : null,
    mode: (asksAboutAll ? definition.asksAllMode : undefined) ?? definition.modes[mode] ?? null,
    options,
    ...(definition.capabilities.includes("host-tools") && opening.tools && { tools: opening.tools }),
    asksWhileInProgress: mode !== "dangerously-skip-permissions" && definition.asksBeforeAnnouncing !== true,
    retryDeadline: settings.retryDeadline,
    startupWarnings: [],
    mcpServers,
    quirks: { ...quirks, ...serverTools },
  });
  return { processLifetime: "session", protocol: "acp", dialect };
}

function buildLaunchCommand<Settings extends CommonSettings>(
  definition: AcpAgentDefinition<Settings>,
  context: AcpLaunchContext<Settings>,
): LaunchCommand {
  const { args, env = {} } = definition.launch(context);
  const program = context.probeResult.program ?? definition.probe.program;
  return { program, args, env, cwd: context.workspace, stdin: "pipe" };
}

async function probeAgent({ probe }: Pick<AcpAgentDefinition, "probe">, host: ProbeHost): Promise<ProbeResult> {
  const { notices = [], requiredFlags = [], signInHint } = probe;
  const hasKey = probe.keyVariables.some((name) => host.hasVariable(name));
  const probeResult = await probeProgram(host, { ...probe, auth: hasKey ? "api-key" : "unknown" });
  if (!probeResult.installed) return probeResult;
  const loginFilesExist = await Promise.all(probe.loginFiles.map((path) => host.exists(path)));
  const isSignedIn = loginFilesExist.includes(true);
  const missingFlags = requiredFlags.filter((flag) => !probeResult.flags.includes(flag));
  return {
    ...probeResult,
    auth: hasKey ? "api-key" : isSignedIn ? "login" : signInHint === null ? "none" : "unknown",
    problems: [
      ...(hasKey || isSignedIn || signInHint === null ? [] : [signInHint]),
      ...missingFlags.map((flag) => `This version does not support ${flag}. Install a newer version.`),
      ...notices,
    ],
  };
}
