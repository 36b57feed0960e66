/**
 * Encodes a session's id as one token of a subject. Letters, digits, `_` and `-` stay. Any other UTF-16 unit becomes `=`
 * with two hexadecimal digits, or `==` with four, so that the encoding can be reversed for every string.
 */
export function encodeSessionToken(session: string): string {
  if (session === "") return "=";
  return session.replaceAll(/[^\w-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return code < 0x100 ? `=${toHex(code, 2)}` : `==${toHex(code, 4)}`;
  });
}

/** Decodes a token of `encodeSessionToken`. */
export function decodeSessionToken(token: string): string {
  if (token === "=") return "";
  return token.replaceAll(/==([\da-f]{4})|=([\da-f]{2})/g, (_, long: string | undefined, short: string | undefined) =>
    String.fromCharCode(Number.parseInt(long ?? short ?? "", 16)),
  );
}

function toHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
