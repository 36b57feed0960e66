import { RequestError, type ContentBlock } from "@agentclientprotocol/sdk";

/** Joins the content blocks of a prompt into one message. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join("");
}

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return pathOrUri(block.uri);
  if (block.type === "resource" && "text" in block.resource) {
    const { uri, text } = block.resource;
    return `\n<context ref="${pathOrUri(uri)}">\n${text}\n</context>\n`;
  }
  throw RequestError.invalidParams(
    { type: block.type },
    `Content of type ${block.type} is not supported. Attach text or a link to a file.`,
  );
}

/** Converts a file URI to a path, which every agent understands. */
function pathOrUri(uri: string): string {
  return uri.startsWith("file://") ? decodeURIComponent(new URL(uri).pathname) : uri;
}
