export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The text of the element without the text of its children. */
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Parses the part of XML that our pictures use: elements, attributes in double quotes, text, the five entities. Everything
 * else is an error, so that a picture with a script, a comment or a second document is not accepted.
 */
export function parseXml(source: string): XmlElement {
  const open: { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string }[] = [
    { name: "", attributes: {}, children: [], text: "" },
  ];
  const token = /<([a-zA-Z]\w*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|<\/([a-zA-Z]\w*)>|([^<>]+)/y;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    const parent = open.at(-1);
    if (match === null || parent === undefined) throw malformed(source, at);
    const [, name, attributes = "", selfClosing, closedName, text] = match;
    if (text !== undefined) parent.text += unescapeXml(text, source, at);
    else if (name !== undefined) {
      const element = { name, attributes: parseAttributes(attributes, source, at), children: [], text: "" };
      parent.children.push(element);
      if (selfClosing === "") open.push(element);
    } else {
      if (parent.name !== closedName) throw malformed(source, at);
      open.pop();
    }
  }
  const [document] = open;
  const [element, ...others] = document?.children ?? [];
  if (open.length > 1 || element === undefined || others.length > 0 || document?.text.trim() !== "")
    throw malformed(source, source.length);
  return element;
}

function parseAttributes(list: string, source: string, at: number): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, key = "", value = ""] of list.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (key in attributes) throw malformed(source, at);
    attributes[key] = unescapeXml(value, source, at);
  }
  return attributes;
}

function unescapeXml(text: string, source: string, at: number): string {
  return text.replace(/&(?:(\w+);)?/g, (_, name: string | undefined) => {
    const character = entities[name ?? ""];
    if (character === undefined) throw malformed(source, at);
    return character;
  });
}

function malformed(source: string, at: number): Error {
  const line = source.slice(0, at).split("\n").length;
  return new Error(`The XML is malformed or not allowed in line ${line}: ${JSON.stringify(source.slice(at, at + 60))}`);
}
