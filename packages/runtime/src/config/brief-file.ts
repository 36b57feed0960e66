import { Brief, maxBriefBytes } from "@fairlead/contract";
import { isBriefTooLarge } from "@fairlead/reducer";
import { stringify } from "yaml";
import { parseConfig } from "./parse-workspace-config.ts";

/** Parses the text of a brief, in YAML or JSON. Throws an error that names the line and the field of the problem. */
export function parseBrief(text: string): Brief {
  const brief = parseConfig(text, Brief);
  if (isBriefTooLarge(brief)) throw new Error(`It is larger than ${maxBriefBytes} bytes as JSON.`);
  return brief;
}

/** Formats a brief as YAML that `parseBrief` accepts. */
export function formatBrief(brief: Brief): string {
  return stringify(brief);
}
