import { capabilitiesOf, FairleadError, type HostTool, type ToolOffer } from "@fairlead/contract";
import type { Manifest, ProbeResult } from "@fairlead/contract";

/** The tools that this process runs for agents, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, HostTool>();

  constructor(tools: readonly HostTool[] = []) {
    for (const tool of tools) {
      const { name } = tool.offer;
      if (this.#tools.has(name)) throw new FairleadError("invalid-request", `Two tools have the name ${name}.`);
      this.#tools.set(name, tool);
    }
  }

  find(name: string): HostTool | undefined {
    return this.#tools.get(name);
  }

  /** Returns what an agent is told of these tools, each once. Throws `invalid-request` for a name that no tool has. */
  offers(names: readonly string[]): ToolOffer[] {
    return [...new Set(names)].map((name) => {
      const offer = this.#tools.get(name)?.offer;
      if (offer !== undefined) return offer;
      const known = [...this.#tools.keys()].join(", ");
      throw new FairleadError(
        "invalid-request",
        `There is no tool ${name}. ${known === "" ? "There is none." : `There is: ${known}.`}`,
      );
    });
  }
}

/** Throws `not-supported` if an agent cannot be offered tools. */
export function assertTakesTools(
  manifest: Manifest,
  { version, flags }: Pick<ProbeResult, "version" | "flags">,
  tools: readonly ToolOffer[],
): void {
  if (tools.length === 0 || takesTools(manifest, { version, flags })) return;
  const program = version === null ? manifest.label : `${manifest.label} ${version}`;
  throw new FairleadError("not-supported", `${program} cannot be offered tools: it lacks the capability host-tools.`);
}

/** Reports whether an agent can be offered tools. */
export function takesTools(manifest: Manifest, { version, flags }: Pick<ProbeResult, "version" | "flags">): boolean {
  return capabilitiesOf(manifest, version, flags).includes("host-tools");
}
