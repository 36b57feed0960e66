import { RequestError, type ContentBlock } from "@agentclientprotocol/sdk";

/** What was typed and attached in the editor, as one message. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks.map(textOf).join("");
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return placeOf(block.uri);
  if (block.type === "resource" && "text" in block.resource) {
    const { uri, text } = block.resource;
    return `\n<context ref="${placeOf(uri)}">\n${text}\n</context>\n`;
  }
  throw RequestError.invalidParams({ type: block.type }, `What is of type ${block.type} cannot be passed on.`);
}

/** A file is named by its path, which every agent understands. */
function placeOf(uri: string): string {
  return uri.startsWith("file://") ? decodeURIComponent(new URL(uri).pathname) : uri;
}
