/** A longer piece would hold back too much output. Encoded, it has at most eight times as many bytes. */
const maxPieceBytes = 128;
const minPieceLength = 8;
/** What a keeper accepts. */
const maxTextBytes = 1024;

/**
 * Lists the texts as which a secret can appear: as it is, in JSON, percent-encoded, hexadecimal, and in base64, also as a
 * part of something longer. Each line of a secret, and each part of a very long line, is a text of its own.
 */
export function encodeSecret(secret: string): readonly string[] {
  const texts = splitSecret(secret).flatMap((piece) => [
    piece,
    ...encodeJson(piece),
    ...encodePercent(piece),
    ...encodeHex(piece),
    ...encodeBase64(piece),
  ]);
  return [...new Set(texts)].filter((text) => Buffer.byteLength(text) <= maxTextBytes);
}

/** A terminal and many programs change the ends of lines, so lines are separate. PEM headers are the same in every key. */
function splitSecret(secret: string): string[] {
  const lines = secret.toWellFormed().split(/[\r\n]+/);
  return lines
    .flatMap((line) => splitLine(line.trim()))
    .filter((piece) => piece.length >= minPieceLength && !/^-----.*-----$/.test(piece));
}

function splitLine(line: string): string[] {
  if (Buffer.byteLength(line) <= maxPieceBytes) return [line];
  const characters = Array.from(line); // a character must not be split
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)].flatMap((half) => splitLine(half.join("")));
}

/** JSON in JSON, as in the result of a tool, escapes the escapes. Encoders differ in what they escape besides. */
function encodeJson(text: string): string[] {
  const escape = (one: string): string => JSON.stringify(one).slice(1, -1);
  const unicode = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const once = escape(text);
  const variants = [
    once,
    once.replace(/[^\0-\x7f]/g, unicode),
    once.replace(/[<>&\u2028\u2029]/g, unicode),
    once.replaceAll("/", "\\/"),
  ];
  return variants.flatMap((variant) => [variant, escape(variant), escape(escape(variant))]);
}

function encodePercent(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const variants = [component, strict, form, strict.replaceAll("%20", "+"), encodeURI(text)];
  return [...variants, ...variants.map((one) => one.replace(/%../g, (code) => code.toLowerCase()))];
}

function encodeHex(text: string): string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** The characters that only this text determines, for each number of bytes that may come before it. */
function encodeBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const inner = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
